package bench

import (
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// clocks reduce the clocks of all processes to intervals, together with other values, in one reduction.
type clocks struct {
	mpi.Reduction
	clocks []clock
}

// clock is a clock that is being reduced, and the interval that it becomes.
type clock struct {
	all *mpi.Extremes
	to  *result.Interval
}

// add makes run set an interval from this process's clock and those of the others. It returns the interval.
func (c *clocks) add(to *result.Interval, own time.Duration) *result.Interval {
	c.clocks = append(c.clocks, clock{c.Add(own.Seconds()), to})
	return to
}

// run reduces all, and sets the intervals. Collective.
func (c *clocks) run(comm mpi.Comm) {
	c.Run(comm)
	for _, k := range c.clocks {
		*k.to = result.Interval{
			Max: k.all.Max, Min: k.all.Min, Mean: k.all.Sum / float64(comm.Size()), MaxRank: k.all.MaxRank,
		}
	}
}
