package bench

import (
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// sample makes a sample of the clocks of all processes, and passes it to the observer. All processes add the same
// values to the reduction, in the same order. It returns a failure if a strict preset does not allow the sample.
// Collective over the processes of the case.
func (c *caseRun) sample(op workload.Op, m *measurement) *failure {
	s := result.Sample{
		Operation: plan.OperationOf(op), Iteration: c.iteration,
		Started: m.started.UTC(), Ended: m.ended.UTC(), Dumps: m.dumpTimes(),
		PlannedCompute: m.planned.Seconds(), Handled: handled(&c.roles[op].program.Parts[op], m.dumps),
	}
	var all clocks
	bytes := all.Add(float64(m.bytes))
	dumped := c.dumpClocks(&all.Reduction, s.Dumps, m)
	after := c.sampleClocks(&all, &s, op, m)
	limitBytes := &mpi.Extremes{}
	if m.limit.met { // the same on all processes
		s.Limit = &result.Limit{PlannedBytes: c.out.Bytes, Transfers: m.limit.count}
		all.add(&s.Limit.AtLimit, m.limit.transfer, m.limit.window)
		limitBytes = all.Add(float64(m.limit.bytes))
	}
	var seen resident
	if op == workload.Read {
		seen = c.resident(&all.Reduction, m)
	}
	others := all.Add(c.others)
	all.run(c.group)
	after()
	dumped()
	s.Bytes = uint64(bytes.Sum)
	s.Others = others.Max
	if m.limit.met {
		s.Limit.LimitBytes = uint64(limitBytes.Sum)
	}
	if op == workload.Read {
		var warm bool
		if s.Cache, warm = c.cacheSeen(m, seen); warm {
			s.Marks = append(s.Marks, result.Warm)
		}
		if f := c.refuseWarm(s, seen); f != nil {
			return f
		}
	}
	_, epochs := m.windowOf(c.timed.Measured...)
	s.MarkTimes(c.skew, epochs)
	if c.first() {
		c.arm.Observer.Sample(c.index, s, c.warmup)
		if !c.warmup {
			c.enough.add(op, s)
		}
	}
	return nil
}

// sampleClocks adds the clocks of a sample to a reduction, and sets its intervals: those of classes, and sums of
// classes, which each process makes of its own times. after sets what depends on the times of all processes: classes
// that had no steps are left out, a class with steps in epochs of several classes has no window, and the shortest time
// that a process computed is subtracted from the window of what the application sees.
func (c *caseRun) sampleClocks(all *clocks, s *result.Sample, op workload.Op, m *measurement) (after func()) {
	all.sum(&s.Access, m, c.timed.Access...)
	all.sum(&s.OpenClose, m, c.timed.OpenClose...)
	if sync := c.conditions().Sync; op == workload.Write && len(c.timed.Measured) > len(c.timed.Access) &&
		sync != "" && sync != option.SyncNone {
		s.Durable = all.sum(new(result.Interval), m, c.timed.Measured...)
	}
	computed := all.Add(m.own[workload.Compute].Seconds())
	times := make([]result.ClassTime, workload.Classes)
	var withOthers [workload.Classes]*mpi.Extremes
	for class := range workload.Classes {
		times[class].Class = result.ClassOf(class)
		window, _ := m.windowOf(class)
		all.add(&times[class].Interval, m.ownOf(class), window+m.single[class])
		withOthers[class] = all.AddFlag(m.inMixed.has(class))
	}
	return func() {
		s.Access.Window -= computed.Min
		for class, t := range times {
			if withOthers[class].Max > 0 {
				t.Window = 0
			}
			if t.Window > 0 || t.Max > 0 {
				s.Classes = append(s.Classes, t)
			}
		}
	}
}
