package mpi

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Clock is the simulated clock of one rank of a job in memory. It advances only when a method of a communicator or
// Advance sets it: no call really waits. Its methods may be called from any goroutine.
type Clock struct{ now atomic.Int64 }

// Now returns the time since the start of the job.
func (c *Clock) Now() time.Duration { return time.Duration(c.now.Load()) }

// Advance adds d to the time of the rank.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// numTrees is the number of trees over the ranks, one after another, along which MPI sends the messages of a collective
// method of Comm. Each call of MPI is one tree. Splits have a second tree, in which the members of the new communicator
// agree on its number. The tree of Gather is for the lengths; numHops adds the data.
var numTrees = map[string]int{
	"Barrier": 1, "Agree": 1, "SumUint64": 1, "Reduce": 2, "Bcast": 2, "Gather": 1,
	"Split": 2, "SplitNode": 2, "First": 2,
}

// numHops returns how many messages follow one another until the last of n ranks has the result of a collective method.
// MPI sends messages along trees: each level of a tree counts as one message. MPI_Gatherv has no tree: rank 0 gets a
// message from each rank.
func numHops(method string, n int) int {
	all := numTrees[method] * bits.Len(uint(n-1))
	if method == "Gather" {
		all += n - 1
	}
	return all
}

// clockTime returns the time on the clock of the given world rank; 0 if the job has no clocks.
func (j *memoryJob) clockTime(world int) time.Duration {
	if j.Clocks == nil {
		return 0
	}
	return j.Clocks[world].Now()
}

// setClock sets the clock of this rank to the time at which the rank has the result of a collective call.
func (c *memoryComm) setClock(m *meeting) {
	if c.job.Clocks == nil {
		return
	}
	took := time.Duration(numHops(m.call.name, c.shared.size)) * c.job.MessageTime
	c.job.Clocks[c.world].now.Store(int64(m.latest + took))
}
