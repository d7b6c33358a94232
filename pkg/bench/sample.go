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
		Started: m.started.UTC(), Ended: m.ended.UTC(), Bytes: m.bytes,
	}
	var all clocks
	after := func() {}
	if c.plan.Workload != nil {
		s.Bytes, s.Dumps = m.ownBytes, m.dumpTimes()
		bytes := []*uint64{&s.Bytes}
		for i := range s.Dumps {
			bytes = append(bytes, &s.Dumps[i].Bytes)
		}
		mpi.Sum(c.work, bytes...)
		s.Handled = handled(&c.roles[op].program.Parts[op], m.dumps)
		after = c.workloadClocks(&all, &s, op, m)
	} else {
		c.sweepClocks(&all, &s, op, m)
	}
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
	_, epochs := m.windowOf(append([]workload.Class{mixed}, durable...)...)
	s.MarkTimes(c.skew, epochs)
	if c.first() {
		c.arm.Observer.Sample(c.index, s, c.warmup)
		if !c.warmup {
			c.enough.add(op, s)
		}
	}
	return nil
}

// sweepClocks adds the clocks of a sweep to a reduction, and sets the intervals of its sample.
func (c *caseRun) sweepClocks(all *clocks, s *result.Sample, op workload.Op, m *measurement) {
	all.sum(&s.Transfer, m, workload.Transfer)
	all.sum(&s.Access, m, access...)
	all.sum(&s.OpenClose, m, openClose...)
	all.sum(&s.Open, m, workload.FileOpen)
	all.sum(&s.Close, m, workload.FileClose)
	if op == workload.Write && result.APIOf(c.plan.API).Datasets {
		s.Create = all.sum(new(result.Interval), m, creation...)
	}
	if op == workload.Write && c.conditions().Sync != "" && c.conditions().Sync != option.SyncNone {
		s.Sync = all.sum(new(result.Interval), m, workload.Sync)
		s.Durable = all.sum(new(result.Interval), m, durable...)
	}
}

// workloadClocks adds the clocks of a workload to a reduction, and sets the intervals of its sample. Access is the time
// that the application sees: that of all epochs, without computing. after sets what depends on the times of all
// processes: the shortest time that a process computed is subtracted from windows.
func (c *caseRun) workloadClocks(all *clocks, s *result.Sample, op workload.Op, m *measurement) (after func()) {
	window, own := m.window[mixed]+m.window[workload.FileOpen], m.own[mixed]+m.made
	computed := all.Add(m.own[workload.Compute].Seconds())
	all.add(&s.OpenClose, own, window)
	all.add(&s.Access, own-m.own[workload.Compute], window)
	all.add(&s.Transfer, m.own[workload.Transfer], 0)
	all.add(&s.Open, m.own[workload.FileOpen], 0)
	all.add(&s.Close, m.own[workload.FileClose], 0)
	if op == workload.Write && result.APIOf(c.plan.API).Datasets {
		s.Create = all.add(new(result.Interval), m.own[workload.Create], 0)
	}
	classes := make([]result.ClassTime, 0, workload.Classes)
	for class := range workload.Classes {
		classes = append(classes, result.ClassTime{Class: result.ClassOf(class)})
		all.add(&classes[class].Interval, m.own[class], 0)
	}
	s.Classes = classes
	s.PlannedCompute = m.planned.Seconds()
	set := c.dumpClocks(&all.Reduction, s.Dumps, m)
	return func() {
		s.Access.Window -= computed.Min
		set()
	}
}
