// Package figures computes from documents the values that all outputs show: throughputs with their intervals, the cost
// of each layer, times of classes of steps, and descriptions of the conditions of a run. For a case that was
// interrupted, it uses the complete iterations, and marks the results as partial. A case that failed, or that has no
// complete iteration, has a reason instead of a result.
package figures

import (
	"fmt"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Run is a document and its name, such as its path.
type Run struct {
	Name string
	result.Document

	points []Point // what Points and LayerRatios return after Freeze
	ratios []Ratio
}

// Freeze computes the points and the ratios of layers once for all later calls. The document must not change any more.
func (r *Run) Freeze() {
	r.points = r.Points()
	r.ratios = r.LayerRatios()
}

// MedianEstimate is an estimate of a median, with a confidence interval if there are enough samples; see stats.Median.
type MedianEstimate struct {
	Median    float64
	Low, High float64 // ends of the interval; Min and Max if there is no interval
	Interval  bool    // there were enough samples for an interval
	// the interval may be too narrow, because samples depend on one another; see stats.Estimate
	TooDependent bool
	Min, Max     float64 // smallest and largest sample
	N            int     // number of samples
}

// estimateMedian estimates the median of samples, with an interval of the given confidence level.
func estimateMedian(samples []float64, level float64) MedianEstimate {
	return medianOfEstimate(stats.Median(samples, level))
}

// medianOfEstimate converts an estimate of package stats to a MedianEstimate. If it has no interval, Low and High are
// the smallest and the largest sample.
func medianOfEstimate(e stats.Estimate) MedianEstimate {
	v := MedianEstimate{Median: e.Median, Low: e.Min, High: e.Max, Min: e.Min, Max: e.Max, N: e.N}
	if e.HasInterval() {
		v.Low, v.High, v.Interval, v.TooDependent = e.Low, e.High, true, e.TooDependent
	}
	return v
}

// Point holds the results of one direction (read or write) of a case. If Missing is set, there is no throughput, and
// the point may stand for both directions of the case. A point of a workload that moves no data has samples but no
// throughput.
type Point struct {
	Run       *Run
	Case      result.Case
	Operation result.Operation // "" if it stands for a whole case
	Samples   []result.Sample
	Rate      MedianEstimate // bytes per second
	Cache     string         // where the data of a read came from: CacheWarm, ...; "" for a write
	Missing   string         // why there is no throughput; "" if there is one
	Partial   string         // "partial 3 of 8" if iterations are lacking; "" if the case is complete
	Unit      units.RateUnit // in which all throughputs of the run are shown to people

	usualMarks []result.Mark // marks that are shown once for the whole run
}

// Parts returns a run for each combination of values of --sweep, see result.Document.Parts.
func (r *Run) Parts() []*Run {
	if len(r.Swept) == 0 {
		return []*Run{r}
	}
	var parts []*Run
	for _, part := range r.Document.Parts() {
		parts = append(parts, &Run{Name: r.Name, Document: part})
	}
	return parts
}

// Points returns the points of all cases, in the order of the cases. With --sweep, each point belongs to the part of
// the run that has its parameters.
func (r *Run) Points() []Point {
	if r.points != nil {
		return slices.Clone(r.points)
	}
	var points []Point
	for _, part := range r.Parts() {
		for _, c := range part.Cases {
			if c.State != result.Complete && !c.IsPartial() {
				points = append(points, Point{Run: part, Case: c, Missing: CaseReason(c)})
			}
			for _, p := range c.Points() {
				points = append(points, part.newPoint(p))
			}
		}
	}
	marks, greatest := findUsualMarks(points), 0.0
	for _, p := range points {
		greatest = max(greatest, p.Rate.Median)
	}
	for i := range points {
		points[i].usualMarks, points[i].Unit = marks, units.RateUnitFor(greatest)
	}
	return points
}

// NoPointsReason returns a sentence that says why the run has no points.
func (r *Run) NoPointsReason() string {
	if len(r.Cases) > 0 {
		return "No case has samples."
	}
	return "No case was started."
}

// NoThroughput says why a point of a complete case may have no throughput.
const NoThroughput = "the time is below the resolution of the clock, or no data were moved"

// newPoint computes the throughput of a point, or the reason why it has none.
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
	out.Rate = medianOfEstimate(p.Throughput(stats.Level))
	out.Partial = r.PartialText(p.Case, len(p.Samples))
	if p.Operation == result.OperationRead {
		out.Cache = cacheOfSamples(p.Samples)
	}
	return out
}

// PartialText returns "partial n of N" for a partial case, with the n samples of a point and the N iterations that were
// requested. It returns "" for other cases.
func (r *Run) PartialText(c result.Case, n int) string {
	if !c.IsPartial() {
		return ""
	}
	return fmt.Sprintf("partial %d of %s", n, RequestedIterations(r.Parameters))
}

// TransferText returns the formatted transfer size of the point, or the name of its workload.
func (p Point) TransferText() string {
	if w := p.Run.Parameters.Workload; w != nil {
		return w.Name
	}
	return units.FormatBytes(float64(TransferBytes(p.Case)))
}

// TransferBytes returns the size of one transfer in bytes: the size of the whole transfer buffer if it is known,
// otherwise the value of the option -x.
func TransferBytes(c result.Case) uint64 {
	if c.BufferBytes > 0 {
		return c.BufferBytes
	}
	return c.TransferSize
}
