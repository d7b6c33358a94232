package run

import (
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
)

// watchedComm is a communicator that tells a watchdog, during each collective call, that the process waits for other
// processes.
type watchedComm struct {
	mpi.Comm
	watchdog *bench.Watchdog
	ender    *jobEnder
}

// noteWait tells the watchdog that this process waits for other processes, until the returned function is called. If
// the watchdog has reported a call of this process as hung, noteWait waits forever, because the job is being ended.
func (c watchedComm) noteWait() func() {
	c.ender.waitIfHung()
	return c.watchdog.NoteWait()
}

// Barrier calls the method of mpi.Comm with the same name, as do the methods below.
func (c watchedComm) Barrier() {
	defer c.noteWait()()
	c.Comm.Barrier()
}

// Agree returns the highest code that any process passed.
func (c watchedComm) Agree(
	code int, stopped func() bool, grace time.Duration, how mpi.WaitMode,
) (highest, rank int, err error) {
	defer c.noteWait()()
	return c.Comm.Agree(code, stopped, grace, how)
}

// Reduce reduces the values over all processes.
func (c watchedComm) Reduce(values []float64) []mpi.ReducedValue {
	defer c.noteWait()()
	return c.Comm.Reduce(values)
}

// SumUint64 sums the values over all processes.
func (c watchedComm) SumUint64(values []uint64) {
	defer c.noteWait()()
	c.Comm.SumUint64(values)
}

// Bcast returns the bytes of rank root on all processes.
func (c watchedComm) Bcast(data []byte, root int) []byte {
	defer c.noteWait()()
	return c.Comm.Bcast(data, root)
}

// Gather returns the bytes of all processes on rank 0.
func (c watchedComm) Gather(data []byte) [][]byte {
	defer c.noteWait()()
	return c.Comm.Gather(data)
}

// Split returns a communicator of the processes with the same color, with the same watchdog.
func (c watchedComm) Split(color, key int) mpi.Comm {
	defer c.noteWait()()
	if part := c.Comm.Split(color, key); part != nil {
		return watchedComm{part, c.watchdog, c.ender}
	}
	return nil
}

// SplitNode returns a communicator of the processes on this node, with the same watchdog.
func (c watchedComm) SplitNode() mpi.Comm {
	defer c.noteWait()()
	return watchedComm{c.Comm.SplitNode(), c.watchdog, c.ender}
}

// SplitFirst returns a communicator of the first n processes, with the same watchdog.
func (c watchedComm) SplitFirst(n int) mpi.Comm {
	defer c.noteWait()()
	return watchedComm{c.Comm.SplitFirst(n), c.watchdog, c.ender}
}
