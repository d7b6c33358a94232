package history

import (
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// observation is a point of one run: the samples of one case and one operation.
type observation struct {
	run         *Record
	index       int // index of the case in the run
	place       Place
	decisive    []Setting // must be equal for points to be compared
	cache       string    // page_cache, the decisive setting that only the samples show; see cacheOf
	reported    []Setting
	throughputs []float64 // bytes per second, in the order of measurement
	iterations  []int     // iteration of each throughput
	implausible bool      // a sample is faster than memory can be copied
}

// observations returns the points of a run that has the given settings. A point with a sample whose time
// was below the resolution of the clock is left out: it has no throughput.
func observations(r *Record, all settings) []observation {
	var points []observation
	for i, c := range r.Cases {
		for _, p := range c.Points() {
			place := placeOf(c, p.Operation)
			cache := cacheOf(p)
			o := observation{
				run: r, index: i, place: place,
				decisive:    slices.Concat(place.settings(), all.decisive, []Setting{{"page_cache", cache}}),
				cache:       cache,
				reported:    slices.Concat(all.reported, collectives(c)),
				throughputs: p.Throughputs(),
				implausible: slices.Contains(p.Marks(), result.Implausible),
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

// medians returns the median throughput of each observation, in bytes per second.
func medians(all []observation) []float64 {
	out := make([]float64, len(all))
	for i, o := range all {
		out[i] = stats.Middle(o.throughputs)
	}
	return out
}

// sampled returns the throughputs of a and of b that were measured in the same iteration, pair by pair.
func sampled(a, b observation) (fromA, fromB []float64) {
	for i, iteration := range a.iterations {
		if j := slices.Index(b.iterations, iteration); j >= 0 {
			fromA, fromB = append(fromA, a.throughputs[i]), append(fromB, b.throughputs[j])
		}
	}
	return fromA, fromB
}
