package result

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/placement"
)

// ShortSeconds is the time, in seconds, below which the samples of a point are marked Short.
const ShortSeconds = 1.0

// StaggeredRatio is the mean of the processes' own times, divided by the window, below which a sample is marked
// Staggered.
const StaggeredRatio = 0.7

// SkewRatio is the share of the window above which the skew of the barriers marks a sample Skewed.
const SkewRatio = 0.01

// SharedRatio is the share of the processors of a node that other programs used above which a sample is marked Shared.
const SharedRatio = 0.1

// MarkTimes marks a sample for what its times and the skew of a barrier, in seconds, say about it: Staggered and
// Skewed; and for what other programs did: Shared. The skew counts once for each of the epochs that the window is the
// sum of.
func (s *Sample) MarkTimes(skew float64, epochs int) {
	m := s.Measured()
	for _, k := range []struct {
		mark Mark
		is   bool
	}{
		{Staggered, m.Window > 0 && m.Mean < StaggeredRatio*m.Window},
		{Skewed, m.Window > 0 && skew*float64(epochs) > SkewRatio*m.Window},
		{Shared, s.Others > SharedRatio},
	} {
		if k.is {
			s.Marks = append(s.Marks, k.mark)
		}
	}
}

// MarkShort marks all samples of each operation as Short if they took less than ShortSeconds in all, and otherwise
// none. Samples of the warm-up have no such mark.
func (c *Case) MarkShort() {
	seconds := map[Operation]float64{}
	for _, s := range c.Samples {
		seconds[s.Operation] += s.Seconds()
	}
	for _, samples := range [][]Sample{c.Warmup, c.Samples} {
		for i := range samples {
			samples[i].Marks = slices.DeleteFunc(samples[i].Marks, func(m Mark) bool { return m == Short })
		}
	}
	for i := range c.Samples {
		if s := &c.Samples[i]; seconds[s.Operation] < ShortSeconds {
			s.Marks = append(s.Marks, Short)
		}
	}
}

// MarkImplausible marks the samples whose throughput is above what the processors of their job can copy in memory. It
// does nothing if Machine.MemoryCopy is not known.
func (d *Document) MarkImplausible() {
	if d.Machine.MemoryCopy <= 0 {
		return
	}
	for _, c := range d.Cases {
		limit := d.memoryCopyRate(c)
		for _, samples := range [][]Sample{c.Warmup, c.Samples} {
			for i := range samples {
				if s := &samples[i]; s.Throughput() > limit && !s.HasMark(Implausible) {
					s.Marks = append(s.Marks, Implausible)
				}
			}
		}
	}
}

// memoryCopyRate returns how many bytes per second the nodes of a case can copy in memory, each as fast as that of rank
// 0: with the processors that the job may use, where they are known, else with all. Without copies (O_DIRECT) all
// count, for then it is not the processes that move the bytes.
func (d *Document) memoryCopyRate(c Case) float64 {
	all := float64(c.Nodes)
	direct := d.Parameters.Conditions.Direct && APIOf(c.API).Direct ||
		APIOf(c.API).HDF5 && d.Parameters.Driver == option.Direct
	if d.Machine.CPUs <= 0 || direct {
		return d.Machine.MemoryCopy * all
	}
	unused := 0.0 // in nodes
	for i, n := range placement.NodesPerEntry(d.Job.Placement, c.Nodes) {
		if h := d.Job.Placement[i]; h.CPUs > 0 {
			unused += float64(n) * (1 - h.CPUs/float64(d.Machine.CPUs))
		}
	}
	return d.Machine.MemoryCopy * min(all, all-unused)
}
