package history

import (
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// observation is a point of one run: the samples of one case and one operation.
type observation struct {
	run         *Record
	index       int // index of the case in the run
	place       Place
	decisive    []Condition // conditions that must be equal for points to be compared
	cache       string      // value of page_cache, see pageCacheText; also in decisive
	reported    []Condition
	throughputs []float64 // bytes per second, in the order of measurement
	median      float64   // median of the throughputs
	iterations  []int     // iteration of each throughput
	point       result.Point
}

// newObservations returns the points of a run. all holds the conditions of the run. It leaves out a point if the time
// of one of its samples is below the resolution of the clock, because that sample has no throughput.
func newObservations(r *Record, all runConditions) []observation {
	var points []observation
	for i, c := range r.Cases {
		for _, p := range c.Points() {
			place := PlaceOf(r.Parameters, c, p.Operation)
			cache := pageCacheText(p)
			o := observation{
				run: r, index: i, place: place,
				decisive:    slices.Concat(place.placeConditions(), all.decisive, []Condition{{"page_cache", cache}}),
				cache:       cache,
				reported:    slices.Concat(all.reported, collectiveConditions(p)),
				throughputs: p.Throughputs(),
				median:      p.Throughput(stats.Level).Median,
				point:       p,
			}
			for _, sample := range p.Samples {
				o.iterations = append(o.iterations, sample.Iteration)
			}
			if slices.Min(o.throughputs) > 0 {
				points = append(points, o)
			}
		}
	}
	return points
}

// addPointCautions adds cautions about the throughputs of a point, from its state and its marks. run is the name of the
// run for texts, and asked is the number of iterations that the user requested.
func addPointCautions(to *[]plain.Caution, p result.Point, run string, asked int) {
	if p.Case.IsPartial() {
		addCaution(to, "partial", "", "%s ended after %d of %d iterations.", run, len(p.Samples), asked)
	}
	if m := result.MarkImplausible; slices.Contains(p.Marks(), m) {
		addCaution(to, string(m), "", "%s", figures.MarkMeaning(m))
	}
}

// mediansOfRuns returns the median throughput of a point in each run, in bytes per second. A run counts once. If it has
// several results, because conditions are allowed to differ, its value is their median.
func mediansOfRuns(all []observation) (runs []runValue) {
	results := map[string][]float64{}
	for _, o := range all {
		if results[o.run.RunID] == nil {
			runs = append(runs, runValue{runID: o.run.RunID})
		}
		results[o.run.RunID] = append(results[o.run.RunID], o.median)
	}
	for i, r := range runs {
		runs[i].value = stats.SampleMedian(results[r.runID])
	}
	return runs
}

// observedThroughputs returns all throughputs of the observations, in bytes per second.
func observedThroughputs(all []observation) (throughputs []float64) {
	for _, o := range all {
		throughputs = append(throughputs, o.throughputs...)
	}
	return throughputs
}

// pairedThroughputs returns the throughputs of a and b that were measured in the same iterations. Both results have the
// same length.
func pairedThroughputs(a, b observation) (fromA, fromB []float64) {
	for i, iteration := range a.iterations {
		if j := slices.Index(b.iterations, iteration); j >= 0 {
			fromA, fromB = append(fromA, a.throughputs[i]), append(fromB, b.throughputs[j])
		}
	}
	return fromA, fromB
}
