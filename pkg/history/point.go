package history

import (
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// sighting is a point in one run.
type sighting struct {
	run         *Record
	index       int // of its case in the run
	place       Place
	decisive    []Setting
	cache       string // warm or not: the decisive setting that only the samples tell
	told        []Setting
	throughputs []float64 // bytes per second, in the order in which they were measured
	iterations  []int     // that they were measured in
	implausible bool
}

// sightings are the points of a run with such settings, without those of which a sample took no time that the clock can tell.
func sightings(r *Record, all settings) []sighting {
	var points []sighting
	for i, c := range r.Cases {
		for _, p := range c.Points() {
			place := placeOf(c, p.Operation)
			cache := cacheOf(p)
			s := sighting{
				run: r, index: i, place: place,
				decisive:    slices.Concat(place.settings(), all.decisive, []Setting{{"page_cache", cache}}),
				cache:       cache,
				told:        slices.Concat(all.told, collectives(c)),
				throughputs: p.Throughputs(),
				implausible: slices.Contains(p.Marks(), result.Implausible),
			}
			for _, sample := range p.Samples {
				s.iterations = append(s.iterations, sample.Iteration)
			}
			if slices.Min(s.throughputs) > 0 {
				points = append(points, s)
			}
		}
	}
	return points
}

// medians are those of the runs in bytes per second.
func medians(points []sighting) []float64 {
	all := make([]float64, len(points))
	for i, p := range points {
		all[i] = stats.Middle(p.throughputs)
	}
	return all
}

// paired are the throughputs of a and of b that were measured in the same iteration.
func paired(a, b sighting) (of, with []float64) {
	for i, iteration := range a.iterations {
		if j := slices.Index(b.iterations, iteration); j >= 0 {
			of, with = append(of, a.throughputs[i]), append(with, b.throughputs[j])
		}
	}
	return of, with
}
