package mpi

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Clock is the time that has passed for one rank of a job in memory. Nobody waits for it: calls of the communicators
// and Advance set it. Its methods may be called from any goroutine.
type Clock struct{ now atomic.Int64 }

// Now returns the time since the start of the job.
func (c *Clock) Now() time.Duration { return time.Duration(c.now.Load()) }

// Advance lets time pass for the rank.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// numTrees is the number of trees over its ranks, one after another, along which a collective method of Comm sends its
// messages in MPI: one for each call of MPI, and another one in which the members of a new communicator agree on its
// number. The one of Gather is that of the lengths.
var numTrees = map[string]int{
	"Barrier": 1, "Agree": 1, "SumUint64": 1, "Reduce": 2, "Bcast": 2, "Gather": 1,
	"Split": 2, "SplitNode": 2, "First": 2,
}

// numHops returns the number of messages, one after another, after which the last of n ranks has the result of a
// collective method: one for each level of each tree. MPI_Gatherv has no tree: rank 0 gets a message from each rank.
func numHops(method string, n int) int {
	all := numTrees[method] * bits.Len(uint(n-1))
	if method == "Gather" {
		all += n - 1
	}
	return all
}

// clockTime returns the time for a rank of the world; 0 without clocks.
func (j *memoryJob) clockTime(world int) time.Duration {
	if j.Clocks == nil {
		return 0
	}
	return j.Clocks[world].Now()
}

// setClock sets the clock of rank c, which has the result of a meeting.
func (c *memoryComm) setClock(m *meeting) {
	if c.job.Clocks == nil {
		return
	}
	took := time.Duration(numHops(m.call.name, c.shared.size)) * c.job.Hop
	c.job.Clocks[c.world].now.Store(int64(m.latest + took))
}
