package bench

import (
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// clocks reduces the clocks of all processes to intervals, together with other values, in one reduction.
type clocks struct {
	mpi.Reduction
	clocks []clock
}

// clock is a clock in the reduction, and the interval to set from it.
type clock struct {
	all *mpi.Extremes
	to  *result.Interval
}

// add adds this process's reading of a clock. run then sets the interval to, which add returns.
func (c *clocks) add(to *result.Interval, own time.Duration) *result.Interval {
	c.clocks = append(c.clocks, clock{c.Add(own.Seconds()), to})
	return to
}

// run reduces all values, and sets the intervals. Collective.
func (c *clocks) run(comm mpi.Comm) {
	c.Run(comm)
	for _, k := range c.clocks {
		*k.to = result.Interval{
			Max: k.all.Max, Min: k.all.Min, Mean: k.all.Sum / float64(comm.Size()), MaxRank: k.all.MaxRank,
		}
	}
}
