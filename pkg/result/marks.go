package result

// ShortSeconds is the time, in seconds, below which a sample is marked Short.
const ShortSeconds = 1.0

// StaggeredRatio is the mean of the processes' own times, divided by the window, below which a sample is marked
// Staggered.
const StaggeredRatio = 0.7

// SkewRatio is the share of the window above which the skew of the barriers marks a sample Skewed.
const SkewRatio = 0.01

// MarkTimes marks a sample for what its times and the skew of a barrier, in seconds, say about it: Short, Staggered and
// Skewed. The skew counts once for each of the epochs that the window is the sum of.
func (s *Sample) MarkTimes(skew float64, epochs int) {
	m := s.Measured()
	for _, k := range []struct {
		mark Mark
		is   bool
	}{
		{Short, m.Seconds() < ShortSeconds},
		{Staggered, m.Window > 0 && m.Mean < StaggeredRatio*m.Window},
		{Skewed, m.Window > 0 && skew*float64(epochs) > SkewRatio*m.Window},
	} {
		if k.is {
			s.Marks = append(s.Marks, k.mark)
		}
	}
}

// MarkImplausible marks the samples whose throughput is above what the memory of their nodes can copy. It does nothing
// if Machine.MemoryCopy is not known.
func (d *Document) MarkImplausible() {
	if d.Machine.MemoryCopy <= 0 {
		return
	}
	for _, c := range d.Cases {
		limit := d.Machine.MemoryCopy * float64(c.Nodes)
		for _, samples := range [][]Sample{c.Warmup, c.Samples} {
			for i := range samples {
				if s := &samples[i]; s.Throughput() > limit && !s.Has(Implausible) {
					s.Marks = append(s.Marks, Implausible)
				}
			}
		}
	}
}
