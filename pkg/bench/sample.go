package bench

import (
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// sample combines the clocks of all processes into a sample.
func (c *caseRun) sample(op engine.Op, m *measurement) {
	clocks := []time.Duration{m.transfer, m.access, m.open + m.access + m.close, m.open, m.close}
	seconds := make([]float64, len(clocks))
	for i, d := range clocks {
		seconds[i] = d.Seconds()
	}
	all := c.work.Reduce(seconds)
	if !c.first() {
		return
	}
	n := float64(c.work.Size())
	interval := func(e mpi.Extremes) result.Interval {
		return result.Interval{Max: e.Max, Min: e.Min, Mean: e.Sum / n, MaxRank: e.MaxRank}
	}
	s := result.Sample{
		Operation: op.String(), Iteration: c.iteration, Started: m.started.UTC(), Ended: m.ended.UTC(), Bytes: c.out.Bytes,
		Transfer: interval(all[0]), Access: interval(all[1]), OpenClose: interval(all[2]), Open: interval(all[3]), Close: interval(all[4]),
	}
	c.out.Samples = append(c.out.Samples, s)
	c.Observer.Sample(s)
}
