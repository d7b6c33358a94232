package run

import (
	"time"

	"h5perf/pkg/bench/watchdog"
	"h5perf/pkg/mpi"
)

// comm is a communicator that tells a watchdog when the process waits for others.
type comm struct {
	mpi.Comm
	dog *watchdog.Watchdog
}

// Barrier waits for the others, as the methods after it do.
func (c comm) Barrier() {
	defer c.dog.Wait()()
	c.Comm.Barrier()
}

// Agree agrees on a code.
func (c comm) Agree(code int, hurry func() bool, grace time.Duration) (highest, rank int, err error) {
	defer c.dog.Wait()()
	return c.Comm.Agree(code, hurry, grace)
}

// Reduce combines values.
func (c comm) Reduce(values []float64) []mpi.Extremes {
	defer c.dog.Wait()()
	return c.Comm.Reduce(values)
}

// SumUint64 adds values up.
func (c comm) SumUint64(values []uint64) {
	defer c.dog.Wait()()
	c.Comm.SumUint64(values)
}

// Bcast sends bytes to all.
func (c comm) Bcast(data []byte, root int) []byte {
	defer c.dog.Wait()()
	return c.Comm.Bcast(data, root)
}

// Gather brings bytes to rank 0.
func (c comm) Gather(data []byte) [][]byte {
	defer c.dog.Wait()()
	return c.Comm.Gather(data)
}

// Split makes a communicator that tells the watchdog, too.
func (c comm) Split(color, key int) mpi.Comm {
	defer c.dog.Wait()()
	if part := c.Comm.Split(color, key); part != nil {
		return comm{part, c.dog}
	}
	return nil
}

// SplitNode makes a communicator of the processes on a node.
func (c comm) SplitNode() mpi.Comm {
	defer c.dog.Wait()()
	return comm{c.Comm.SplitNode(), c.dog}
}
