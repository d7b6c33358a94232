package history

import (
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// observation is a point of one run: what the samples of one case and one operation have measured.
type observation struct {
	run        *Record
	index      int // index of the case in the run
	place      Place
	decisive   []Condition // conditions that must be equal for points to be compared
	cache      string      // value of page_cache, see pageCacheText; also in decisive
	reported   []Condition
	values     []float64 // bytes or objects per second (see Place.Class), in the order of measurement
	median     float64   // median of the values
	iterations []int     // iteration of each value
	point      result.Point
}

// newObservations returns the points of a run: those of throughput, and those of the objects per second of each class
// of steps. all holds the conditions of the run. It leaves out a point if the time of one of its samples is below the
// resolution of the clock, because that sample has no throughput, and classes that no sample has.
func newObservations(r *Record, all runConditions) []observation {
	var points []observation
	for i, c := range r.Cases {
		for _, p := range c.Points() {
			of := observation{
				run: r, index: i, place: PlaceOf(r.Parameters, c, p.Operation), cache: pageCacheText(p),
				reported: slices.Concat(all.reported, collectiveConditions(p)), point: p,
			}
			for _, row := range figures.Rows {
				if !row.IsCompared() {
					continue
				}
				o := of
				for _, sample := range p.Samples {
					if x, is := row.SampleValue(c, sample); is {
						o.values, o.iterations = append(o.values, x), append(o.iterations, sample.Iteration)
					}
				}
				if n := len(o.values); n == 0 || n < len(p.Samples) && row.RatedClass == "" {
					continue
				}
				o.median, o.place.Class = stats.SampleMedian(o.values), row.RatedClass
				o.decisive = slices.Concat(o.place.placeConditions(), all.decisive,
					[]Condition{{"page_cache", o.cache}})
				points = append(points, o)
			}
		}
	}
	return points
}

// NumComparedPoints returns the number of points of a run that comparisons judge.
func NumComparedPoints(d result.Document) int {
	return len(newObservations(&Record{Document: d}, runConditions{}))
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

// mediansOfRuns returns the median value of a point in each run. A run counts once. If it has
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

// observedValues returns all values of the observations.
func observedValues(all []observation) (values []float64) {
	for _, o := range all {
		values = append(values, o.values...)
	}
	return values
}

// pairedValues returns the values of a and b that were measured in the same iterations. Both results have the same
// length. The iterations of a launch have more in common with each other than with those of the next launch, so of two
// launches it returns the medians.
func pairedValues(a, b observation) (fromA, fromB []float64) {
	if a.run.Pair.FirstTurnID != "" {
		return []float64{a.median}, []float64{b.median}
	}
	for i, iteration := range a.iterations {
		if j := slices.Index(b.iterations, iteration); j >= 0 {
			fromA, fromB = append(fromA, a.values[i]), append(fromB, b.values[j])
		}
	}
	return fromA, fromB
}
