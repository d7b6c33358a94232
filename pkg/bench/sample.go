package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// sample makes a sample of the clocks of all processes, and passes it to the observer. All processes add the same
// values to the reduction, in the same order. It returns a failure if a strict profile does not allow the sample.
// Collective over the processes of the case.
func (c *caseRun) sample(op engine.Op, m *measurement) *failure {
	s := result.Sample{
		Operation: plan.OperationOf(op), Iteration: c.iteration,
		Started: m.started.UTC(), Ended: m.ended.UTC(), Bytes: m.bytes,
	}
	var all clocks
	all.add(&s.Transfer, m.transfer)
	all.add(&s.Access, m.access)
	all.add(&s.OpenClose, m.open+m.access+m.close)
	all.add(&s.Open, m.open)
	all.add(&s.Close, m.close)
	if op == engine.Write && result.APIOf(c.plan.API).Datasets {
		s.Create = all.add(new(result.Interval), m.create)
	}
	if op == engine.Write && c.conditions().Sync != "" && c.conditions().Sync != result.SyncNone {
		s.Sync = all.add(new(result.Interval), m.sync)
		s.Durable = all.add(new(result.Interval), m.access+m.sync)
	}
	limitBytes := &mpi.Extremes{}
	if m.limit.met { // the same on all processes
		s.Limit = &result.Limit{PlannedBytes: c.out.Bytes, Transfers: m.limit.count}
		all.add(&s.Limit.AtLimit, m.limit.transfer)
		limitBytes = all.Add(float64(m.limit.bytes))
	}
	var seen resident
	if op == engine.Read {
		seen = c.resident(&all.Reduction, m)
	}
	all.run(c.work)
	if m.limit.met {
		s.Limit.LimitBytes = uint64(limitBytes.Sum)
	}
	if op == engine.Read {
		var warm bool
		if s.Cache, warm = c.cacheSeen(m, seen); warm {
			s.Marks = append(s.Marks, result.Warm)
		}
		if f := c.refuseWarm(s, seen); f != nil {
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
