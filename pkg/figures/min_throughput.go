package figures

import (
	"cmp"
	"fmt"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// MinThroughput is a required minimum throughput.
type MinThroughput struct {
	API       string // "": every API that the runs measured has to reach it
	Operation result.Operation
	Transfer  uint64  // size of the transfers, in bytes; 0: all sizes together
	Rate      float64 // in bytes per second
}

// MinVerdict reports whether an API reaches a required minimum throughput.
type MinVerdict struct {
	API    string
	Points []Point // the points that were judged, by the lower end of their intervals, the lowest first
	// Number of points that were not judged, by the reason: the keyword of their caution (see Point.Caution), or that
	// they have no throughput or no interval.
	Ignored map[string]int
	Met     bool
}

// fewSamples is the reason for which a point without interval is not judged.
var fewSamples = fmt.Sprintf("of fewer than %d samples", stats.MinSamples(stats.Level))

// JudgeAPIs returns a verdict for each API that has to reach the minimum, the worst first. It is empty if no run has
// measured what the minimum is about.
//
// The throughput that counts is the lower end of the interval of the median: a system that is slower than the minimum
// rarely reaches it by chance. Over several transfer sizes or runs, it is the median of the lower ends; of two values
// in the middle, the lower one. Of a run with several numbers of processes, only the largest number counts.
func (f MinThroughput) JudgeAPIs(runs []Run) (all []MinVerdict) {
	for _, api := range APIs(Pointers(runs)...) {
		if f.API != "" && f.API != api.Name {
			continue
		}
		v := MinVerdict{API: api.Name, Ignored: map[string]int{}}
		for i := range runs {
			v.addPoints(f.pointsOfRun(&runs[i], api.Name))
		}
		if len(v.Points)+len(v.Ignored) == 0 {
			continue
		}
		slices.SortStableFunc(v.Points, func(a, b Point) int { return cmp.Compare(a.Rate.Low, b.Rate.Low) })
		v.Met = len(v.Points) > 0 && v.MiddlePoint().Rate.Low >= f.Rate
		all = append(all, v)
	}
	lowest := func(v MinVerdict) float64 {
		if len(v.Points) == 0 {
			return -1
		}
		return v.MiddlePoint().Rate.Low
	}
	slices.SortStableFunc(all, func(a, b MinVerdict) int { return cmp.Compare(lowest(a), lowest(b)) })
	return all
}

// MiddlePoint returns the point whose lower end is the median of those of all points that were judged. There must be
// one.
func (v MinVerdict) MiddlePoint() Point { return v.Points[(len(v.Points)-1)/2] }

// pointsOfRun returns the points of an API that the minimum is about.
func (f MinThroughput) pointsOfRun(r *Run, api string) []Point {
	most := 0
	var points []Point
	for _, p := range r.Points() {
		matches := p.Case.API == api && (p.Operation == f.Operation || p.Operation == "") &&
			(f.Transfer == 0 || f.Transfer == TransferBytes(p.Case))
		if matches {
			points, most = append(points, p), max(most, p.Case.Processes)
		}
	}
	return slices.DeleteFunc(points, func(p Point) bool { return p.Case.Processes < most })
}

// addPoints adds points to those that are judged, or counts why they are not.
func (v *MinVerdict) addPoints(points []Point) {
	for _, p := range points {
		switch caution := p.Caution(); {
		case p.Missing != "":
			v.Ignored["without throughput"]++
		case caution != "":
			v.Ignored[caution]++
		case !p.Rate.Interval:
			v.Ignored[fewSamples]++
		default:
			v.Points = append(v.Points, p)
		}
	}
}

// Caution returns the keyword of the first reason why the point does not show the speed of the file system: it is
// partial, a sample is warm or implausible, or nothing made the written data durable. It returns "" if there is no
// reason.
func (p Point) Caution() string {
	c := p.Run.Parameters.Conditions
	switch {
	case p.Partial != "":
		return "partial"
	case NumMarked(p.Samples, result.MarkWarm) > 0:
		return string(result.MarkWarm)
	case NumMarked(p.Samples, result.MarkImplausible) > 0:
		return string(result.MarkImplausible)
	case p.isUnsynced() && (!c.Direct || !result.APIOf(p.Case.API).Direct):
		return NotSynced.Keyword
	}
	return ""
}
