package bench

import (
	"math"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// clocks reduces the times of all processes to intervals, together with other values, in one reduction.
type clocks struct {
	mpi.Reduction
	clocks []clock
}

// clock is a time in the reduction, the window of the same, and the interval to set from both.
type clock struct {
	all     *mpi.Extremes
	squares *mpi.Extremes // of the same times, squared
	window  time.Duration
	to      *result.Interval
}

// add adds a time of this process, and its window. run then sets the interval to, which add returns.
func (c *clocks) add(to *result.Interval, own, window time.Duration) *result.Interval {
	seconds := own.Seconds()
	c.clocks = append(c.clocks, clock{c.Add(seconds), c.Add(seconds * seconds), window, to})
	return to
}

// ownOf returns the time of this process in some classes, added.
func (m *measurement) ownOf(of ...workload.Class) (own time.Duration) {
	for _, class := range of {
		switch class {
		case mixed: // its steps are of other classes
		case workload.Transfer:
			own += m.transferTime()
		default:
			own += m.own[class]
		}
	}
	return own
}

// sum adds the times of some classes of work, as add does.
func (c *clocks) sum(to *result.Interval, m *measurement, of ...workload.Class) *result.Interval {
	window, _ := m.windowOf(of...)
	return c.add(to, m.ownOf(of...), window)
}

// run reduces all values over the processes of a group, and sets the intervals. Collective.
func (c *clocks) run(g *group) {
	c.Run(g.work)
	slowest := make([]int, len(c.clocks))
	for i, k := range c.clocks {
		slowest[i] = k.all.MaxRank
	}
	g.inWorld(slowest)
	n := float64(g.work.Size())
	for i, k := range c.clocks {
		mean := k.all.Sum / n
		*k.to = result.Interval{
			Window: k.window.Seconds(), Max: k.all.Max, Min: k.all.Min, Mean: mean, MaxRank: slowest[i],
		}
		if k.all.Max > k.all.Min {
			k.to.Deviation = math.Sqrt(max(0, k.squares.Sum/n-mean*mean))
		}
	}
}
