package result

import "slices"

// Seconds is the time that the throughput of a sample is made of: access of the slowest process, with making the data
// durable where the run does that.
func (s Sample) Seconds() float64 {
	if s.Durable != nil {
		return s.Durable.Max
	}
	return s.Access.Max
}

// Throughput is bytes per second of the sample, 0 where the time is below the resolution of the clock.
func (s Sample) Throughput() float64 {
	if s.Seconds() <= 0 {
		return 0
	}
	return float64(s.Bytes) / s.Seconds()
}

// Add adds a sample to a case.
func (c *Case) Add(s Sample, warmup bool) {
	if warmup {
		c.Warmup = append(c.Warmup, s)
	} else {
		c.Samples = append(c.Samples, s)
	}
}

// Has tells whether the sample has a mark.
func (s Sample) Has(m Mark) bool { return slices.Contains(s.Marks, m) }

// Resident is the part of the files that was in the page cache before a read, on the node that held most of it, as far
// as that is known.
func (s Sample) Resident() (ratio float64, known bool) {
	if s.Cache == nil || s.Cache.Method == CacheNone {
		return 0, false
	}
	return s.Cache.Highest, true
}

// Point is all samples of a case in one direction.
type Point struct {
	Case      Case // with all its samples
	Operation Operation
	Samples   []Sample
}

// Points are those of a case that is complete; any other has no figures.
func (c Case) Points() []Point {
	if c.State != Complete {
		return nil
	}
	var points []Point
	for _, operation := range All[Operation]() {
		p := Point{Case: c, Operation: operation}
		for _, s := range c.Samples {
			if s.Operation == operation {
				p.Samples = append(p.Samples, s)
			}
		}
		if len(p.Samples) > 0 {
			points = append(points, p)
		}
	}
	return points
}

// Throughputs are those of the samples, in order.
func (p Point) Throughputs() []float64 {
	out := make([]float64, len(p.Samples))
	for i, s := range p.Samples {
		out[i] = s.Throughput()
	}
	return out
}

// Marks are those that any sample of the point has, each once.
func (p Point) Marks() []Mark {
	var marks []Mark
	for _, m := range All[Mark]() {
		if slices.ContainsFunc(p.Samples, func(s Sample) bool { return s.Has(m) }) {
			marks = append(marks, m)
		}
	}
	return marks
}
