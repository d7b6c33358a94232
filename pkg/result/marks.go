package result

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/placement"
)

// ShortSeconds is the time, in seconds, below which the samples of a point are marked Short.
const ShortSeconds = 1.0

// StaggeredRatio is a threshold: a sample is marked Staggered if the mean of the processes' own times, divided by the
// window, is lower.
const StaggeredRatio = 0.7

// SkewRatio is a threshold: a sample is marked Skewed if the skew of its barriers, divided by the window, is higher.
const SkewRatio = 0.01

// SharedRatio is a threshold: a sample is marked Shared if other programs used a larger share of the processors of a
// node.
const SharedRatio = 0.1

// DisturbedRatio is a threshold: a sample is marked Disturbed if other programs moved more bytes from or to the file
// system than this share of the bytes of the sample.
const DisturbedRatio = 0.1

// AddSampleMarks adds the marks Staggered, Skewed, Shared and Disturbed to a sample if they apply. skew is an upper
// bound, in seconds, of the time between the first and the last node that leaves a barrier. It is multiplied by epochs,
// because the window is a sum of the windows of so many epochs.
func (s *Sample) AddSampleMarks(skew float64, epochs int) {
	m := s.ThroughputInterval()
	for _, k := range []struct {
		mark Mark
		is   bool
	}{
		{MarkStaggered, m.WindowSeconds > 0 && m.Mean < StaggeredRatio*m.WindowSeconds},
		{MarkSkewed, m.WindowSeconds > 0 && skew*float64(epochs) > SkewRatio*m.WindowSeconds},
		{MarkShared, s.OtherProgramsRatio > SharedRatio},
		{MarkDisturbed, float64(s.OtherBytes) > DisturbedRatio*float64(s.Bytes+s.ReadBackBytes)},
	} {
		if k.is {
			s.Marks = append(s.Marks, k.mark)
		}
	}
}

// UpdateShortMarks marks all samples of an operation as Short if together they took less than ShortSeconds. It removes
// the mark from all other samples, including those of the warm-up.
func (c *Case) UpdateShortMarks() {
	seconds := map[Operation]float64{}
	for _, s := range c.Samples {
		seconds[s.Operation] += s.Seconds()
	}
	for _, samples := range [][]Sample{c.Warmup, c.Samples} {
		for i := range samples {
			samples[i].Marks = slices.DeleteFunc(samples[i].Marks, func(m Mark) bool { return m == MarkShort })
		}
	}
	for i := range c.Samples {
		if s := &c.Samples[i]; seconds[s.Operation] < ShortSeconds {
			s.Marks = append(s.Marks, MarkShort)
		}
	}
}

// AddImplausibleMarks marks samples as Implausible if their throughput is higher than the rate at which the processors
// of the job can copy memory. It does nothing if Machine.MemoryCopyRate is not known.
func (d *Document) AddImplausibleMarks() {
	if d.Machine.MemoryCopyRate <= 0 {
		return
	}
	for _, c := range d.Cases {
		limit := d.memoryCopyRate(c)
		for _, samples := range [][]Sample{c.Warmup, c.Samples} {
			for i := range samples {
				if s := &samples[i]; s.Throughput() > limit && !s.HasMark(MarkImplausible) {
					s.Marks = append(s.Marks, MarkImplausible)
				}
			}
		}
	}
}

// memoryCopyRate returns the rate, in bytes per second, at which all nodes of a case together can copy memory. It
// assumes that all nodes are as fast as the node of rank 0. It counts the processors that the job may use, or all
// processors if that is not known. With O_DIRECT it counts all processors, because then the processes of the job do not
// copy the data themselves.
func (d *Document) memoryCopyRate(c Case) float64 {
	all := float64(c.Nodes)
	p := d.ParametersOf(c)
	direct := p.Conditions.Direct && APIOf(c.API).Direct || APIOf(c.API).HDF5 && p.Driver == option.DriverDirect
	if d.Machine.CPUs <= 0 || direct {
		return d.Machine.MemoryCopyRate * all
	}
	unused := 0.0 // in nodes
	for i, n := range placement.NodesPerEntry(d.Job.Placement, c.Nodes) {
		if h := d.Job.Placement[i]; h.CPUs > 0 {
			unused += float64(n) * (1 - h.CPUs/float64(d.Machine.CPUs))
		}
	}
	return d.Machine.MemoryCopyRate * min(all, all-unused)
}
