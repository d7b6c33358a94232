package bench

import (
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// sample combines the clocks of all processes into a sample.
func (c *caseRun) sample(op engine.Op, m *measurement) *failure {
	clocks := []time.Duration{
		m.transfer, m.access, m.open + m.access + m.close, m.open, m.close, m.sync, m.access + m.sync, m.limit.transfer, m.create,
	}
	values := make([]float64, 0, len(clocks)+4)
	for _, d := range clocks {
		values = append(values, d.Seconds())
	}
	all := c.work.Reduce(append(values, append([]float64{float64(m.limit.bytes)}, c.residentValues(m)...)...))
	n := float64(c.work.Size())
	interval := func(e mpi.Extremes) result.Interval {
		return result.Interval{Max: e.Max, Min: e.Min, Mean: e.Sum / n, MaxRank: e.MaxRank}
	}
	s := result.Sample{
		Operation: plan.OperationOf(op), Iteration: c.iteration,
		Started: m.started.UTC(), Ended: m.ended.UTC(), Bytes: m.bytes,
		Transfer: interval(all[0]), Access: interval(all[1]), OpenClose: interval(all[2]), Open: interval(all[3]), Close: interval(all[4]),
	}
	if op == engine.Write && result.APIOf(c.plan.API).Datasets {
		s.Create = new(interval(all[8]))
	}
	if op == engine.Write && c.conditions().Sync != "" && c.conditions().Sync != result.SyncNone {
		s.Sync, s.Durable = new(interval(all[5])), new(interval(all[6]))
	}
	if m.limit.met {
		s.Limit = &result.Limit{
			PlannedBytes: c.out.Bytes, LimitBytes: uint64(all[9].Sum), AtLimit: interval(all[7]), Transfers: m.limit.count,
		}
	}
	if op == engine.Read {
		var warm bool
		if s.Cache, warm = c.cacheSeen(m, all[10:]); warm {
			s.Marks = append(s.Marks, result.Warm)
		}
		if f := c.refuseWarm(s, all[10:]); f != nil {
			return f
		}
	}
	if s.Seconds() < result.ShortSeconds {
		s.Marks = append(s.Marks, result.Short)
	}
	if c.first() {
		c.arm.Observer.Sample(c.index, s, c.warmup)
		if !c.warmup {
			c.enough.add(op, s)
		}
	}
	return nil
}
