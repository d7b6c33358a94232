package result

import (
	"slices"

	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// ThroughputInterval returns the interval from which the throughput of a sample is computed: AccessAndSync if the run
// syncs, otherwise Access.
func (s Sample) ThroughputInterval() Interval {
	if s.AccessAndSync != nil {
		return *s.AccessAndSync
	}
	return s.Access
}

// ClassInterval returns the times of a class of steps, such as transfers, or the zero Interval if the sample has no
// steps of the class.
func (s Sample) ClassInterval(class workload.StepClass) Interval {
	word := ClassOf(class)
	for _, t := range s.Classes {
		if t.Class == word {
			return t.Interval
		}
	}
	return Interval{}
}

// HasClass reports whether the sample has steps of a class.
func (s Sample) HasClass(class workload.StepClass) bool {
	word := ClassOf(class)
	return slices.ContainsFunc(s.Classes, func(t ClassTime) bool { return t.Class == word })
}

// Seconds returns the time from which the throughput of a sample is computed: the window of ThroughputInterval.
func (s Sample) Seconds() float64 { return s.ThroughputInterval().WindowSeconds }

// Throughput returns the throughput of a sample in bytes per second: s.Bytes divided by s.Seconds(). It is 0 if the
// time is below the resolution of the clock.
func (s Sample) Throughput() float64 {
	seconds := s.Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(s.Bytes) / seconds
}

// AddSample appends a sample to c.Samples or, if warmup is true, to c.Warmup.
func (c *Case) AddSample(s Sample, warmup bool) {
	if warmup {
		c.Warmup = append(c.Warmup, s)
	} else {
		c.Samples = append(c.Samples, s)
	}
}

// HasMark reports whether the sample has a mark.
func (s Sample) HasMark(m Mark) bool { return slices.Contains(s.Marks, m) }

// ResidentRatio returns which share of the files, from 0 to 1, was in the page cache before a read, on the node with
// the largest share.
func (s Sample) ResidentRatio() (ratio float64, known bool) {
	if s.Cache == nil || s.Cache.Method == CacheNone {
		return 0, false
	}
	return s.Cache.MaxResident, true
}

// Point holds the samples of a case in one direction: writes or reads.
type Point struct {
	Case      Case // with all its samples
	Operation Operation
	Samples   []Sample
}

// IsPartial reports whether the case was interrupted, or is still running, and has samples of complete iterations. A
// case that failed is not partial.
func (c Case) IsPartial() bool {
	return (c.State == Interrupted || c.State == Running) && len(c.Samples) > 0
}

// NumPoints returns the number of points with results.
func (d Document) NumPoints() (n int) {
	for _, c := range d.Cases {
		n += len(c.Points())
	}
	return n
}

// IsUsable reports whether results of a run in this state may be compared with those of other runs: the run is complete
// or, if partial is true, it failed or was interrupted.
func (s State) IsUsable(partial bool) bool {
	return s == Complete || partial && (s == Failed || s == Interrupted)
}

// Points returns the points of a case, writes first. It returns nil if the case is neither complete nor partial.
func (c Case) Points() []Point {
	if c.State != Complete && !c.IsPartial() {
		return nil
	}
	var points []Point
	for _, operation := range ValuesOf[Operation]() {
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

// Throughputs returns the throughputs of the samples, in bytes per second, in the order of the samples.
func (p Point) Throughputs() []float64 {
	out := make([]float64, len(p.Samples))
	for i, s := range p.Samples {
		out[i] = s.Throughput()
	}
	return out
}

// Throughput returns an estimate of the median throughput of the samples, in bytes per second, with a confidence
// interval of the given level.
func (p Point) Throughput(level float64) stats.Estimate { return stats.Median(p.Throughputs(), level) }

// Marks returns the marks of all samples, each mark once.
func (p Point) Marks() []Mark {
	var marks []Mark
	for _, m := range ValuesOf[Mark]() {
		if slices.ContainsFunc(p.Samples, func(s Sample) bool { return s.HasMark(m) }) {
			marks = append(marks, m)
		}
	}
	return marks
}
