package bench

import (
	"math"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// limitMet is what a process has done when the time limits of an iteration were met, added up over its datasets.
type limitMet struct {
	met      bool // on any process
	transfer time.Duration
	bytes    uint64 // of this process
	count    uint64 // transfers in the end
}

// batches is how many batches of transfers fit in a time limit, about: so exactly is it met.
const batches = 100

// limited does transfers until the part of the time limit is over that falls to the dataset. Then the processes agree on the
// largest number that any of them has done, and all go on to that. What is collective is done as often by all processes.
func (l *loop) limited(total uint64) *failure {
	datasets := l.plan.Parameters.Datasets * l.plan.Parameters.Files
	limit := time.Duration(l.conditions().TimeLimit * float64(time.Second) / float64(datasets))
	before, clock := l.spent(), l.m.transfer
	n, over := uint64(1), false
	for l.done < total && !over {
		last := l.spent()
		if f := l.batch(min(n, l.most, total-l.done)); f != nil {
			return f
		}
		took, spent := l.spent()-last, l.spent()-before
		if l.together {
			if f := l.agree(result.PhaseTransfer, nil); f != nil {
				return f
			}
			var all mpi.Reduction
			longest, most := all.Add(float64(took)), all.Add(float64(spent))
			all.Run(l.work)
			took, spent = time.Duration(longest.Max), time.Duration(most.Max)
		}
		n, over = pace(n, took, limit/batches), spent >= limit
	}
	l.m.limit.transfer += l.m.transfer - clock
	l.m.limit.bytes += l.set.Progress().Bytes
	if f := l.agree(result.PhaseTransfer, nil); f != nil {
		return f
	}
	var all mpi.Reduction
	done, met := all.Add(float64(l.done)), all.AddFlag(over)
	all.Run(l.work)
	l.m.limit.met = l.m.limit.met || met.Max > 0
	to := uint64(done.Max)
	l.m.limit.count += to
	return l.run(to)
}

// pace is the size of the next batch, after one that took so long.
func pace(n uint64, took, want time.Duration) uint64 {
	switch {
	case took < want/2:
		return 2 * n
	case took > 2*want:
		return max(1, n/2)
	}
	return n
}

// transferred is how many bytes all processes wrote to the file, where a time limit may have been met; without limit, or of
// a file that another run wrote, it is not known.
func (c *caseRun) transferred() uint64 {
	if c.written == nil || !c.writes() {
		return math.MaxUint64
	}
	sum := uint64(0)
	for _, n := range c.written {
		sum += n * c.plan.BufferBytes() * uint64(c.work.Size())
	}
	return sum
}

// writtenBytes is what a file must hold at least after a time limit; as much as can be without. A plain file ends with the
// last byte that the last process wrote.
func (c *caseRun) writtenBytes(plain bool) uint64 {
	if c.written == nil || !c.writes() || !plain {
		return c.transferred()
	}
	nest := c.plan.FileSequence(uint64(c.work.Size() - 1)).Nest()
	end := uint64(0)
	for k, n := range c.written {
		t := uint64(0)
		if nest.Monotonic() && n > 0 {
			t = n - 1
		}
		for ; t < n; t++ {
			end = max(end, uint64(k)*c.plan.DatasetBytes()+nest.Offset(t, nest.RunsPerTransfer()-1)+nest.RunBytes)
		}
	}
	return end
}
