// This file decides how long a process waits for others before it gives up. They may be in a call that opens, closes or
// syncs a file, so the wait depends on how long such calls have taken in this run.

package bench

import (
	"fmt"
	"time"
)

// PatienceMargin is the ratio of the wait to the longest recorded call.
const PatienceMargin = 4

// MaxPatience is the longest wait that recorded calls can cause.
const MaxPatience = time.Minute

// WaitPolicy decides how long a process waits for others before it reports an error: the longer calls of the file
// system took in this run, the longer it waits. The zero value has no recorded calls, and MaxPatience is its only
// limit. Only the goroutine that measures may use it.
type WaitPolicy struct {
	longest time.Duration // longest recorded call
	timeout time.Duration // 0: no timeout
	end     time.Time     // zero: no end
}

// SetLimits sets how long a call may last before it counts as hung, and when the run should end. However long recorded
// calls took, they do not make waits longer than these two limits allow. A timeout of 0 and the zero time mean no
// limit.
func (p *WaitPolicy) SetLimits(timeout time.Duration, end time.Time) { p.timeout, p.end = timeout, end }

// NoteCall records how long a call of this process took, or how long this process waited for such a call on others.
func (p *WaitPolicy) NoteCall(took time.Duration) { p.longest = max(p.longest, took) }

// WaitTime returns how long to wait, counted from the time now: minWait, or longer if recorded calls took long.
func (p *WaitPolicy) WaitTime(minWait time.Duration, now time.Time) time.Duration {
	wait := min(p.longest, MaxPatience) * PatienceMargin
	wait = min(wait, MaxPatience)
	if p.timeout > 0 {
		wait = min(wait, p.timeout)
	}
	if !p.end.IsZero() {
		wait = min(wait, p.end.Sub(now))
	}
	return max(minWait, wait)
}

// WaitReason returns a prefix for an error message that says why a process has waited longer than minWait; "" if it has
// not.
func (p *WaitPolicy) WaitReason(waited, minWait time.Duration) string {
	if waited <= minWait {
		return ""
	}
	return fmt.Sprintf("waited %v for the other ranks, since an open, close or sync took %v in this run: ",
		waited.Round(time.Millisecond), p.longest.Round(time.Millisecond))
}
