//go:build cgo && !nompi

package mpi

// #include "h5perf_mpi.h"
import "C"

import "time"

// waitSlice is how long one call of C waits. Agree and AwaitSignal call the function stopped only between such calls.
const waitSlice = 50 * time.Millisecond

func (c *mpiComm) Agree(code int, stopped func() bool, grace time.Duration, how WaitMode) (highest, rank int,
	err error,
) {
	C.h5perf_comm_vote(c.c, C.int(code), C.int(c.rank))
	start := time.Now()
	var end time.Time // zero: no limit yet
	var sleeps C.int
	if how == Asleep {
		sleeps = 1
	}
	for C.h5perf_comm_wait_vote(c.c, C.int64_t(time.Since(start)), C.int64_t(waitSlice), sleeps) == 0 {
		if end.IsZero() && code != 0 {
			end = start.Add(grace)
		}
		if end.IsZero() && stopped != nil && stopped() {
			end = time.Now().Add(grace)
		}
		if !end.IsZero() && time.Now().After(end) {
			return 0, 0, ErrNoAgreement
		}
	}
	return int(c.c.highest.code), int(c.c.highest.rank), nil
}

func (c *mpiComm) Signal(to, code int) { C.h5perf_comm_signal(c.c, C.int(to), C.int(code)) }

func (c *mpiComm) AwaitSignal(from int, stopped func() bool) (code int, came bool) {
	var got C.int
	for C.h5perf_comm_wait_signal(c.c, C.int(from), C.int64_t(waitSlice), &got) == 0 {
		if stopped != nil && stopped() {
			return 0, false
		}
	}
	return int(got), true
}

// agreePause returns how long Agree sleeps before its next check, when it has already waited for the given time.
func agreePause(waited time.Duration) time.Duration {
	return time.Duration(C.h5perf_comm_nap(C.int64_t(waited)))
}
