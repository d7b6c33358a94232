package bench

import (
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// dumpBucket holds the times of consecutive dumps of a workload.
type dumpBucket struct {
	dumps  int                                // number of dumps that were done
	own    [workload.NumClasses]time.Duration // of this process
	bytes  uint64                             // moved by this process
	window time.Duration                      // sum over the epochs of the dumps; the same on all processes
}

// dumpsPerBucket returns the number of dumps in each bucket, for n planned dumps. The last bucket may have fewer.
func dumpsPerBucket(n int) int { return (n + result.MaxDumps - 1) / result.MaxDumps }

// runDump runs dump i of a part. If the part has several dumps, runDump adds the times of the dump to a bucket: how
// much the clocks of this process advanced during the dump.
func (c *caseRun) runDump(role *ioRole, part *workload.ProgramPart, i int, m *measurement) *failure {
	n := len(part.Dumps)
	m.dumps++
	if n == 1 {
		return c.runSection(role, part.Dumps[i].Epochs, m)
	}
	each := dumpsPerBucket(n)
	if m.buckets == nil {
		m.buckets = make([]dumpBucket, (n+each-1)/each)
	}
	b := &m.buckets[i/each]
	own, bytes := m.ownTimes, m.bytes
	m.bucket = b
	f := c.runSection(role, part.Dumps[i].Epochs, m)
	m.bucket = nil
	b.dumps++
	b.bytes += m.bytes - bytes
	for class := range b.own {
		b.own[class] += m.ownTimes[class] - own[class]
	}
	return f
}

// dumpTimes returns the buckets of the dumps that were done. It returns nil if only one dump was done: its times are
// the times of the sample.
func (m *measurement) dumpTimes() []result.DumpTime {
	var all []result.DumpTime
	done := 0
	for i := range m.buckets {
		if b := &m.buckets[i]; b.dumps > 0 { // a time limit leaves dumps out
			all = append(all, result.DumpTime{First: done + 1, Last: done + b.dumps})
			done += b.dumps
		}
	}
	if done < 2 {
		return nil
	}
	return all
}

// handledUnits returns how many units the given number of dumps of a part handled.
func handledUnits(part *workload.ProgramPart, dumps int) []result.HandledUnits {
	var all []result.HandledUnits
	for _, of := range part.Quantities {
		all = append(all, result.HandledUnits{Unit: of.Name, Number: of.Number * uint64(dumps)})
	}
	return all
}

// addDumpClocks adds the bytes and the clocks of the dumps of a sample to a reduction. It returns a function, to be
// called after the reduction, which stores the results in dumps.
func (c *caseRun) addDumpClocks(all *mpi.Reduction, dumps []result.DumpTime, m *measurement) (set func()) {
	clocks, bytes := make([][workload.NumClasses]*mpi.ReducedValue, len(dumps)), make([]*mpi.ReducedValue, len(dumps))
	for i := range clocks {
		bytes[i] = all.Add(float64(m.buckets[i].bytes))
		for class, own := range m.buckets[i].own {
			clocks[i][class] = all.Add(own.Seconds())
		}
	}
	return func() {
		for i := range clocks {
			d := &dumps[i]
			d.Bytes = uint64(bytes[i].Sum)
			d.WindowSeconds = max(0, m.buckets[i].window.Seconds()-clocks[i][workload.Compute].Min)
			for class, own := range clocks[i] {
				if own.Max > 0 {
					d.Classes = append(d.Classes, result.DumpClass{
						Class: result.ClassOf(workload.StepClass(class)), Max: own.Max,
						Mean: own.Sum / float64(c.work.Size()),
					})
				}
			}
		}
	}
}
