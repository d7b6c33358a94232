package bench

import (
	"math"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// limitState holds the times, bytes and transfers of an iteration until its time limits, summed over its datasets: each
// dataset has an equal share of the limit.
type limitState struct {
	limitReached bool          // a limit was reached, on any process
	transfer     time.Duration // transfer time of this process until the limits
	window       time.Duration // of the epochs until the limits; the same on all processes
	bytes        uint64        // bytes that this process had moved at the limits
	count        uint64        // transfers that each process did in total
}

// batchesPerLimit is the approximate number of batches of transfers in a time limit. Transfers exceed the limit by at
// most one batch.
const batchesPerLimit = 100

// runWithinLimit does transfers until the dataset's share of the time limit has passed. In lockstep, the processes
// decide together after each batch whether the limit has passed; otherwise each process uses its own clock. Then they
// agree on the largest number of transfers that any process has done, and all continue until they have done that
// number. So all processes make the same number of collective calls.
func (l *transferLoop) runWithinLimit(total uint64) *failure {
	datasets := l.plan.Parameters.Datasets * l.plan.Parameters.Files
	limit := time.Duration(option.ValueOrZero(l.conditions().TimeLimit) * float64(time.Second) / float64(datasets))
	until, before := l.runUntilVote, l.m.transferTime()
	if !l.lockstep {
		until = l.runUntilClock
	}
	l.m.beforeLimit = true
	over, f := until(total, limit)
	l.m.beforeLimit = false
	if f != nil {
		return f
	}
	l.m.limit.transfer += l.m.transferTime() - before
	l.m.limit.bytes += l.session.Progress(l.next.Move).Bytes
	var all mpi.Reduction
	done, met := all.Add(float64(l.done)), all.AddFlag(over)
	all.Run(l.work)
	l.m.limit.limitReached = l.m.limit.limitReached || met.Max > 0
	to := uint64(done.Max)
	l.m.limit.count += to
	if done.Min == done.Max {
		return nil
	}
	return l.runUntilCount(to)
}

// runUntilVote does batches, of the same size on all processes, until one process has spent the limit in transfers and
// syncs. over reports whether the limit was reached, possibly with the last of all transfers.
func (l *transferLoop) runUntilVote(total uint64, limit time.Duration) (over bool, f *failure) {
	spent := func() time.Duration { return l.m.transferTime() + l.m.ownTimes[workload.Sync] }
	before, n := spent(), uint64(1)
	for l.done < total && !over {
		last := spent()
		n = min(n, l.maxBatch, total-l.done)
		if f := l.runBatch(n); f != nil {
			return false, f
		}
		var all mpi.Reduction
		longest, most := all.Add(float64(spent()-last)), all.Add(float64(spent()-before))
		all.Run(l.work)
		n, over = nextBatchSize(n, time.Duration(longest.Max), limit/batchesPerLimit), time.Duration(most.Max) >= limit
	}
	return over, nil
}

// runUntilClock does batches until the limit is over by the clock of this process. over reports whether the limit was
// reached, as in runUntilVote.
func (l *transferLoop) runUntilClock(total uint64, limit time.Duration) (over bool, f *failure) {
	var start, last time.Duration
	n := uint64(0)
	f = l.runInOneEpoch(func() uint64 {
		now := l.Clock()
		if n == 0 {
			start, n = now, 1
		} else {
			n, over = nextBatchSize(n, now-last, limit/batchesPerLimit), now-start >= limit
		}
		if over {
			return 0
		}
		last, n = now, min(n, l.maxBatch, total-l.done)
		return n
	})
	return over, f
}

// nextBatchSize returns the number of transfers of the next batch. The last batch had n transfers and took the time
// took; each batch should take about the time want.
func nextBatchSize(n uint64, took, want time.Duration) uint64 {
	switch {
	case took < want/2:
		return 2 * n
	case took > 2*want:
		return max(1, n/2)
	}
	return n
}

// bytesWithinLimit returns the number of bytes that all processes together wrote to a file within a time limit. Without
// a limit, or for a file that another run wrote, it returns math.MaxUint64.
func (c *caseRun) bytesWithinLimit() uint64 {
	if c.transfersWritten == nil || !c.writesFiles() {
		return math.MaxUint64
	}
	sum := uint64(0)
	for _, n := range c.transfersWritten {
		sum += n * c.plan.BufferBytes() * uint64(c.work.Size()/c.plan.FilesAtOnce())
	}
	return sum
}

// minFileBytes returns the size in bytes that a file must at least have after writes that a time limit ended. Without a
// limit it returns math.MaxUint64. A plain file must reach to the last byte that the process with the highest rank
// wrote.
func (c *caseRun) minFileBytes(plain bool) uint64 {
	if c.transfersWritten == nil || !c.writesFiles() || !plain {
		return c.bytesWithinLimit()
	}
	nest := c.plan.FileSequence(uint64(c.work.Size() - 1)).LoopNest()
	end := uint64(0)
	for k, n := range c.transfersWritten {
		t := uint64(0)
		if nest.IsMonotonic() && n > 0 {
			t = n - 1
		}
		for ; t < n; t++ {
			end = max(end, uint64(k)*c.plan.DatasetBytes()+nest.RunOffset(t, nest.RunsPerTransfer()-1)+nest.RunBytes)
		}
	}
	return end
}

// endsAfterDumps reports whether a workload ends after n dumps. It ends when these dumps have taken the slowest process
// as long as the time limit. Reads also end after the last dump that was written, if the limit ended the writes.
// Collective over the processes of the case.
func (c *caseRun) endsAfterDumps(n int, m *measurement) bool {
	limit := option.ValueOrZero(c.conditions().TimeLimit)
	if limit == 0 || n == 0 {
		return false
	}
	if c.op == workload.Read && c.writesFiles() && c.dumpsWritten > 0 && n >= c.dumpsWritten {
		return true
	}
	spent := m.ownTimes[mixedClass] - m.ownTimes[workload.Compute]
	if c.work.Reduce([]float64{spent.Seconds()})[0].Max < limit {
		return false
	}
	if c.op == workload.Write {
		c.dumpsWritten = n
	}
	return true
}
