package bench

import (
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// makeSample makes a sample from the clocks of all processes, and passes it to the observer. All processes add the same
// values to the reduction, in the same order. It returns a failure if the strict preset does not allow the sample.
// Collective over the processes of the case.
func (c *caseRun) makeSample(op workload.Op, m *measurement) *failure {
	s := result.Sample{
		Operation: plan.OperationOf(op), Iteration: c.iteration,
		Started: m.started.UTC(), Ended: m.ended.UTC(), Dumps: m.dumpTimes(),
		PlannedCompute: m.plannedCompute.Seconds(), Handled: handledUnits(&c.roles[op].program.Parts[op], m.dumps),
	}
	var all clockReduction
	bytes, readBack := all.Add(float64(m.bytes)), all.Add(float64(m.readBackBytes))
	dumped := c.addDumpClocks(&all.Reduction, s.Dumps, m)
	after := c.addSampleClocks(&all, &s, op, m)
	limitBytes := &mpi.ReducedValue{}
	if m.limit.limitReached { // the same on all processes
		s.Limit = &result.ReachedTimeLimit{PlannedBytes: c.out.Bytes, Transfers: m.limit.count}
		all.addTime(&s.Limit.AtLimit, m.limit.transfer, m.limit.window)
		limitBytes = all.Add(float64(m.limit.bytes))
	}
	var seen caseResidency
	if op == workload.Read {
		seen = c.addResidency(&all.Reduction, m)
	}
	calls := addCalls(&all.Reduction, m.calls)
	others, otherBytes := all.Add(c.othersShare), all.Add(float64(c.otherBytes[op]))
	all.reduceInGroup(c.caseGroup)
	after()
	dumped()
	s.Calls = calls()
	s.Bytes, s.ReadBackBytes = uint64(bytes.Sum), uint64(readBack.Sum)
	c.readsBack = c.readsBack || s.ReadBackBytes > 0
	s.OtherProgramsRatio, s.OtherBytes = others.Max, uint64(otherBytes.Sum)
	if m.limit.limitReached {
		s.Limit.LimitBytes = uint64(limitBytes.Sum)
	}
	if op == workload.Read {
		var warm bool
		if s.Cache, warm = c.cacheResult(m, seen); warm {
			s.Marks = append(s.Marks, result.MarkWarm)
		}
		if f := c.rejectWarmSample(s, seen); f != nil {
			return f
		}
	}
	_, epochs := m.sumWindows(c.timed.Throughput...)
	s.AddSampleMarks(c.skew, epochs)
	if c.isFirstRank() {
		c.arm.Observer.AddSample(c.index, s, c.warmup)
		c.seconds += s.Seconds()
		if !c.warmup {
			c.criteria.addRate(op, s)
		}
	}
	return nil
}

// addSampleClocks adds the clocks of a sample to a reduction, which sets the intervals of the sample: those of single
// classes, and those of sums of classes, for which each process adds up its own times. It returns the function after,
// to be called after the reduction, which completes the sample: it removes classes that had no steps, removes the
// window of a class if some of its steps were in epochs of several classes, and subtracts from the window of all
// accesses the shortest time that a process spent in computing.
func (c *caseRun) addSampleClocks(all *clockReduction, s *result.Sample, op workload.Op,
	m *measurement,
) (after func()) {
	all.addClasses(&s.Access, m, c.timed.Access...)
	all.addClasses(&s.OpenClose, m, c.timed.OpenClose...)
	if sync := c.conditions().Sync; op == workload.Write && len(c.timed.Throughput) > len(c.timed.Access) &&
		sync != "" && sync != option.SyncNone {
		s.AccessAndSync = all.addClasses(new(result.Interval), m, c.timed.Throughput...)
	}
	computed := all.Add(m.ownTimes[workload.Compute].Seconds())
	times := make([]result.ClassTime, workload.NumClasses)
	var withOthers, objects [workload.NumClasses]*mpi.ReducedValue
	for class := range workload.NumClasses {
		times[class].Class = result.ClassOf(class)
		window, _ := m.sumWindows(class)
		all.addTime(&times[class].Interval, m.ownTime(class), window+m.unmixedWindow[class])
		withOthers[class] = all.AddFlag(m.mixedClasses.hasClass(class))
		objects[class] = all.Add(float64(m.objects[class]))
	}
	return func() {
		s.Access.WindowSeconds -= computed.Min
		for class, t := range times {
			if withOthers[class].Max > 0 {
				t.WindowSeconds = 0
			}
			if t.Objects = uint64(objects[class].Sum); t.WindowSeconds > 0 || t.Max > 0 {
				s.Classes = append(s.Classes, t)
			}
		}
	}
}
