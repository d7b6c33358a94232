// Package figures is what tables and pictures show of documents: throughputs with their intervals, the cost of each layer,
// times per phase, and words for the conditions under which they were measured. A case that did not complete has a reason
// here and no figure.
package figures

import (
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Run is a document and the name under which it was found.
type Run struct {
	Name string
	result.Document
}

// Value is an estimate of a median.
type Value struct {
	Median    float64
	Low, High float64 // ends of the interval, or with too few samples for one the least and the greatest of them
	Interval  bool    // whether Low and High are those of an interval
	Min, Max  float64 // the least and the greatest sample
	N         int     // samples
}

func value(samples []float64, level float64) Value {
	e := stats.Median(samples, level)
	v := Value{Median: e.Median, Low: e.Min, High: e.Max, Min: e.Min, Max: e.Max, N: e.N}
	if e.Finite() {
		v.Low, v.High, v.Interval = e.Low, e.High, true
	}
	return v
}

// Point is one direction of a case, or with Missing a case that has no figure.
type Point struct {
	Run       *Run
	Case      result.Case
	Operation result.Operation // "" for the whole of a case without figures
	Samples   []result.Sample
	Rate      Value   // bytes per second
	Cache     string  // where a read came from: CacheWarm, ...; "" of a write
	Phases    []Phase // in the order of time
	Missing   string  // why there is no figure
}

// Points are those of all cases, in the order of the run.
func (r *Run) Points() []Point {
	var points []Point
	for _, c := range r.Cases {
		if c.State != result.Complete {
			points = append(points, Point{Run: r, Case: c, Missing: Reason(c)})
		}
		for _, p := range c.Points() {
			points = append(points, r.point(p))
		}
	}
	return points
}

func (r *Run) point(p result.Point) Point {
	out := Point{Run: r, Case: p.Case, Operation: p.Operation, Samples: p.Samples}
	rates := p.Throughputs()
	for _, rate := range rates {
		if rate <= 0 {
			out.Samples, out.Missing = nil, "no figure: the time is below the resolution of the clock, or nothing was moved"
			return out
		}
	}
	out.Rate, out.Phases = value(rates, stats.Level), phases(p.Samples)
	if p.Operation == result.OperationRead {
		out.Cache = cache(p.Samples)
	}
	return out
}

// Size is the bytes of one transfer.
func Size(c result.Case) uint64 {
	if c.BufferBytes > 0 {
		return c.BufferBytes
	}
	return c.TransferBytes
}
