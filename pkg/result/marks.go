package result

// ShortSeconds is the time, in seconds, below which a sample is marked Short.
const ShortSeconds = 1.0

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
