package run

import (
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
)

// comm is a communicator that notes in a watchdog that the process waits for others, during each collective call.
type comm struct {
	mpi.Comm
	dog   *bench.Watchdog
	ender *ender
}

// begin tells the watchdog that this process waits for others, until the function that is returned is called. It does
// not return if a call of this process was taken for hung.
func (c comm) begin() func() {
	c.ender.waitIfHung()
	return c.dog.Wait()
}

// Barrier is that of mpi.Comm, as are the methods below.
func (c comm) Barrier() {
	defer c.begin()()
	c.Comm.Barrier()
}

// Agree agrees on the highest code.
func (c comm) Agree(
	code int, hurry func() bool, grace time.Duration, how mpi.Wait,
) (highest, rank int, err error) {
	defer c.begin()()
	return c.Comm.Agree(code, hurry, grace, how)
}

// Reduce combines values.
func (c comm) Reduce(values []float64) []mpi.Extremes {
	defer c.begin()()
	return c.Comm.Reduce(values)
}

// SumUint64 adds values.
func (c comm) SumUint64(values []uint64) {
	defer c.begin()()
	c.Comm.SumUint64(values)
}

// Bcast returns the bytes of root.
func (c comm) Bcast(data []byte, root int) []byte {
	defer c.begin()()
	return c.Comm.Bcast(data, root)
}

// Gather returns the bytes of all on rank 0.
func (c comm) Gather(data []byte) [][]byte {
	defer c.begin()()
	return c.Comm.Gather(data)
}

// Split returns a communicator of some processes, with the same watchdog.
func (c comm) Split(color, key int) mpi.Comm {
	defer c.begin()()
	if part := c.Comm.Split(color, key); part != nil {
		return comm{part, c.dog, c.ender}
	}
	return nil
}

// SplitNode returns a communicator of the processes on this node, with the same watchdog.
func (c comm) SplitNode() mpi.Comm {
	defer c.begin()()
	return comm{c.Comm.SplitNode(), c.dog, c.ender}
}

// First returns a communicator of the first n processes, with the same watchdog.
func (c comm) First(n int) mpi.Comm {
	defer c.begin()()
	return comm{c.Comm.First(n), c.dog, c.ender}
}
