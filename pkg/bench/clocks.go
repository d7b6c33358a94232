package bench

import (
	"math"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// clockReduction reduces the times of all processes to intervals. The same reduction can hold other values too.
type clockReduction struct {
	mpi.Reduction
	clocks []reducedClock
}

// reducedClock is a time that the processes reduce, its window, and the interval to set from both. The window is the
// time from the first start to the last end on any process.
type reducedClock struct {
	all     *mpi.ReducedValue
	squares *mpi.ReducedValue // of the same times, squared
	window  time.Duration
	to      *result.Interval
}

// addTime adds a time of this process, and its window. It returns the interval *to, which reduceInGroup sets later.
func (c *clockReduction) addTime(to *result.Interval, own, window time.Duration) *result.Interval {
	seconds := own.Seconds()
	c.clocks = append(c.clocks, reducedClock{c.Add(seconds), c.Add(seconds * seconds), window, to})
	return to
}

// ownTime returns how long this process worked on steps of the given classes, in total.
func (m *measurement) ownTime(of ...workload.StepClass) (own time.Duration) {
	for _, class := range of {
		switch class {
		case mixedClass: // its steps are of other classes
		case workload.Transfer:
			own += m.transferTime()
		default:
			own += m.ownTimes[class]
		}
	}
	return own
}

// addClasses adds the sum of the times of this process in the given classes. Like addTime, it returns the interval *to,
// which reduceInGroup sets later.
func (c *clockReduction) addClasses(to *result.Interval, m *measurement, of ...workload.StepClass) *result.Interval {
	window, _ := m.sumWindows(of...)
	return c.addTime(to, m.ownTime(of...), window)
}

// reduceInGroup reduces all values over the processes of a group, and sets the intervals. Collective.
func (c *clockReduction) reduceInGroup(g *caseGroup) {
	c.Run(g.work)
	slowest := make([]int, len(c.clocks))
	for i, k := range c.clocks {
		slowest[i] = k.all.MaxRank
	}
	g.toWorldRanks(slowest)
	n := float64(g.work.Size())
	for i, k := range c.clocks {
		mean := k.all.Sum / n
		*k.to = result.Interval{
			WindowSeconds: k.window.Seconds(), Max: k.all.Max, Min: k.all.Min, Mean: mean, MaxRank: slowest[i],
		}
		if k.all.Max > k.all.Min {
			k.to.Deviation = math.Sqrt(max(0, k.squares.Sum/n-mean*mean))
		}
	}
}
