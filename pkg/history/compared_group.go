package history

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// ComparedGroup is the comparison of a group of points of the same runs. There is a group of all points, a group for
// each direction, and a group for each direction and API, if they have at least two points. A group shows a difference
// that is too small to be shown in each of its points. The value of a run is the geometric mean over its points, each
// divided by its median in the old runs.
type ComparedGroup struct {
	Operation  result.Operation  `json:"operation,omitempty"`
	PageCache  string            `json:"page_cache,omitempty"` // of reads: see pageCacheText
	API        string            `json:"api,omitempty"`
	Conditions []Condition       `json:"settings,omitempty"` // other decisive conditions, if groups differ in them
	NumPoints  int               `json:"points"`             // number of points in the group
	OldRuns    int               `json:"old_runs"`
	NewRuns    int               `json:"new_runs"`
	Difference *TestedDifference `json:"difference"`
	Verdict    Verdict           `json:"verdict"`

	tree string // the conditions that all runs of the group share
}

// ScopeText describes which points the group contains, such as "all 12 points of read, HDF5".
func (g ComparedGroup) ScopeText() string {
	return groupText(g.NumPoints, "points", g.Operation, g.PageCache, g.API)
}

// runValue is the median of a point in a run.
type runValue struct {
	runID string
	value float64
}

// pointValues holds the values of a point in two sets of runs.
type pointValues struct {
	place    Place
	cache    string
	old, now []runValue
}

// valuesOfRuns returns the values without the ids of the runs.
func valuesOfRuns(of []runValue) []float64 {
	values := make([]float64, len(of))
	for i, r := range of {
		values[i] = r.value
	}
	return values
}

// newComparedGroups compares the groups of points of runs with equal conditions, still without verdicts. The widest
// group comes first.
func newComparedGroups(points []pointValues) (all []ComparedGroup) {
	groups := nestedGroups(points, 0, 0)
	slices.SortStableFunc(groups, func(a, b pointGroup) int {
		first, other := a.points[0], b.points[0]
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(other.place.Operation, first.place.Operation),
			cmp.Compare(first.cache, other.cache), result.CompareAPIs(first.place.API, other.place.API))
	})
	for _, g := range groups {
		old, now := combinePoints(g.points)
		if len(old) == 0 || len(now) == 0 {
			continue
		}
		out := ComparedGroup{NumPoints: len(g.points), OldRuns: len(old), NewRuns: len(now)}
		if g.depth > 0 {
			out.Operation, out.PageCache = g.points[0].place.Operation, g.points[0].cache
		}
		if g.depth > 1 {
			out.API = g.points[0].place.API
		}
		out.Difference, out.Verdict = newDifferenceOfRuns(old, now)
		all = append(all, out)
	}
	return all
}

// pointGroup is a group of points. Its depth is 0 for all points, 1 for a direction, and 2 for a direction and API.
type pointGroup struct {
	depth  int
	points []pointValues
}

// nestedGroups returns a group of points and all smaller groups in it. around is the number of points in the next
// larger group: a group with as many points is left out.
func nestedGroups(points []pointValues, depth, around int) (all []pointGroup) {
	if len(points) < 2 {
		return nil
	}
	if len(points) != around {
		all = append(all, pointGroup{depth, points})
	}
	inside := map[string][]pointValues{}
	for _, p := range points {
		if names := []string{directionName(p.place.Operation, p.cache), p.place.API}; depth < len(names) {
			inside[names[depth]] = append(inside[names[depth]], p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inside)) {
		all = append(all, nestedGroups(inside[name], depth+1, len(points))...)
	}
	return all
}

// combinePoints returns one value for each run: the geometric mean over the points of the run, each divided by its
// median in the old runs. Runs that have fewer than half of the points are left out.
func combinePoints(points []pointValues) (old, now []float64) {
	usual := make([]float64, len(points))
	for i, p := range points {
		usual[i] = math.Log(stats.SampleMedian(valuesOfRuns(p.old)))
	}
	oldValues := func(p pointValues) []runValue { return p.old }
	newValues := func(p pointValues) []runValue { return p.now }
	means := func(side func(pointValues) []runValue) (values []float64) {
		sums, counts := map[string]float64{}, map[string]int{}
		for i, p := range points {
			for _, r := range side(p) {
				sums[r.runID] += math.Log(r.value) - usual[i]
				counts[r.runID]++
			}
		}
		for _, run := range slices.Sorted(maps.Keys(sums)) {
			if n := counts[run]; 2*n >= len(points) {
				values = append(values, math.Exp(sums[run]/float64(n)))
			}
		}
		return values
	}
	return means(oldValues), means(newValues)
}

// newDifferenceOfRuns tests whether two sets of runs differ. Each value is the median of a run, or its value for a
// group. The verdict is NotJudged for one run on each side; otherwise it is NoDifference until all differences are
// judged together.
func newDifferenceOfRuns(old, now []float64) (*TestedDifference, Verdict) {
	test, compare, verdict := TestByRuns, stats.IndependentTest, NoDifference
	switch {
	case len(old) == 1 && len(now) == 1:
		test, compare, verdict = Untested, stats.PredictionTest, NotJudged
	case len(old) == 1 || len(now) == 1:
		test, compare = TestByPrediction, stats.PredictionTest
	}
	d := newTestedDifference(test, func(level float64) stats.TestedRatio { return compare(old, now, level) })
	switch {
	case len(now) != 1 || test != TestByPrediction:
	case now[0] < slices.Min(old):
		d.extreme = -1
	case now[0] > slices.Max(old):
		d.extreme = 1
	}
	return d, verdict
}
