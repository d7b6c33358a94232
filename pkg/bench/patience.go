// This file decides how long a process waits for others before it gives them up. They may be in a call that
// opens, closes or syncs a file, so the waits follow how long such calls have taken in this run.

package bench

import (
	"fmt"
	"time"
)

// PatienceMargin is how many times longer than the longest call that was seen a process waits.
const PatienceMargin = 4

// MaxPatience is the longest wait for calls that were seen.
const MaxPatience = time.Minute

// Patience is the patience of a process. The zero value has seen nothing and knows no limits but Most. It belongs to
// the goroutine that measures.
type Patience struct {
	longest time.Duration // of the calls that were seen
	timeout time.Duration // 0 is none
	end     time.Time     // the zero time is never
}

// SetLimits sets how long a call may last before it counts as hung, and when the run should have ended. What was seen
// makes no wait longer than that. The timeout 0 and the zero time are no limits.
func (p *Patience) SetLimits(timeout time.Duration, end time.Time) { p.timeout, p.end = timeout, end }

// NoteCall notes how long a call of this process took, or how long this process waited for such a call of others.
func (p *Patience) NoteCall(took time.Duration) { p.longest = max(p.longest, took) }

// WaitTime returns how long to wait from now on: least, or longer if calls took long.
func (p *Patience) WaitTime(least time.Duration, now time.Time) time.Duration {
	wait := min(p.longest, MaxPatience) * PatienceMargin
	wait = min(wait, MaxPatience)
	if p.timeout > 0 {
		wait = min(wait, p.timeout)
	}
	if !p.end.IsZero() {
		wait = min(wait, p.end.Sub(now))
	}
	return max(least, wait)
}

// WaitReason returns the reason for a wait that was longer than least, as what stands before an error; "" for other
// waits.
func (p *Patience) WaitReason(waited, least time.Duration) string {
	if waited <= least {
		return ""
	}
	return fmt.Sprintf("waited %v for the other ranks, since an open, close or sync took %v in this run: ",
		waited.Round(time.Millisecond), p.longest.Round(time.Millisecond))
}
