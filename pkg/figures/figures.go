// Package figures computes from documents what all outputs show. That is throughputs with their intervals, the cost of
// each layer, times of classes of steps, and descriptions of the conditions of a run. A case that was interrupted has
// figures of its complete iterations, which are marked as partial. A case without such iterations, or one that failed,
// has a reason and no figure.
package figures

import (
	"fmt"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Run is a document and its name, such as its path.
type Run struct {
	Name string
	result.Document
}

// Value is an estimate of a median, with an interval if there are samples enough; see stats.Median.
type Value struct {
	Median    float64
	Low, High float64 // ends of the interval; without an interval the same as Min and Max
	Interval  bool    // there were enough samples for an interval
	Min, Max  float64 // smallest and largest sample
	N         int     // number of samples
}

// estimateMedian estimates the median of samples, with an interval of a confidence level.
func estimateMedian(samples []float64, level float64) Value {
	return valueOfEstimate(stats.Median(samples, level))
}

// valueOfEstimate returns an estimate for people: without an interval, it has the smallest and the largest sample.
func valueOfEstimate(e stats.Estimate) Value {
	v := Value{Median: e.Median, Low: e.Min, High: e.Max, Min: e.Min, Max: e.Max, N: e.N}
	if e.HasInterval() {
		v.Low, v.High, v.Interval = e.Low, e.High, true
	}
	return v
}

// Point is one direction of a case. If Missing is set, there is no throughput; it may then stand for the whole case. It
// has samples all the same if it is of a workload that moves no data.
type Point struct {
	Run       *Run
	Case      result.Case
	Operation result.Operation // "" if it stands for a whole case
	Samples   []result.Sample
	Rate      Value  // bytes per second
	Cache     string // where a read came from: CacheWarm, ...; "" for a write
	Missing   string // why there is no figure; "" if there is one
	Partial   string // of how many iterations it is: "partial 3 of 8"; "" if of all that were asked for

	usualMarks []result.Mark // marks that are named once for the run
}

// Points returns the points of all cases, in the order of the cases.
func (r *Run) Points() []Point {
	var points []Point
	for _, c := range r.Cases {
		if c.State != result.Complete && !c.IsPartial() {
			points = append(points, Point{Run: r, Case: c, Missing: CaseReason(c)})
		}
		for _, p := range c.Points() {
			points = append(points, r.newPoint(p))
		}
	}
	marks := findUsualMarks(points)
	for i := range points {
		points[i].usualMarks = marks
	}
	return points
}

// WithoutPoints says in a sentence why the run has no points.
func (r *Run) WithoutPoints() string {
	if len(r.Cases) > 0 {
		return "No case has samples."
	}
	return "No case was started."
}

// NoThroughput is, in words, why a point of a complete case may have no throughput.
const NoThroughput = "the time is below the resolution of the clock, or no data were moved"

// newPoint returns the figures of a point.
func (r *Run) newPoint(p result.Point) Point {
	out := Point{Run: r, Case: p.Case, Operation: p.Operation, Samples: p.Samples}
	for i, rate := range p.Throughputs() {
		switch {
		case rate > 0:
		case r.IsWorkload() && p.Samples[i].Bytes == 0:
			out.Missing = "no rate: the workload moves no data"
			return out
		default:
			out.Samples, out.Missing = nil, "no result: "+NoThroughput
			return out
		}
	}
	out.Rate = valueOfEstimate(p.Throughput(stats.Level))
	out.Partial = r.PartialText(p.Case, len(p.Samples))
	if p.Operation == result.OperationRead {
		out.Cache = cacheOfSamples(p.Samples)
	}
	return out
}

// PartialText returns, in words, of how many iterations the n samples of a point are, if its case is partial. It
// returns "" if the case is complete.
func (r *Run) PartialText(c result.Case, n int) string {
	if !c.IsPartial() {
		return ""
	}
	return fmt.Sprintf("partial %d of %s", n, WantedText(r.Parameters))
}

// What returns the transfer size of the point in words, or the name of its workload.
func (p Point) What() string {
	if w := p.Run.Parameters.Workload; w != nil {
		return w.Name
	}
	return units.FormatBytes(float64(TransferBytes(p.Case)))
}

// TransferBytes returns the bytes of one transfer: the whole transfer buffer where it is known, else -x.
func TransferBytes(c result.Case) uint64 {
	if c.BufferBytes > 0 {
		return c.BufferBytes
	}
	return c.TransferSize
}
