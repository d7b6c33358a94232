package stats

import (
	"math"
	"slices"
)

// Leaf is one series of a tree: the results of one point of a benchmark, one for each night.
type Leaf struct {
	Groups []string  // names of the groups that contain the series, widest first; the group of all series has no name
	Values []float64 // positive values, one for each night of the tree; NaN if the series has no value in a night
}

// Branch is a group of series, or one series, with the change points that the search found in it.
type Branch struct {
	Groups  []string // names of the group and of those around it; nil for the group of all series
	Members []int    // indices of its series in the leaves
	// The nights that have a value, in ascending order, and their values. The values of a group are weighted geometric
	// means over its series, each series divided by its median.
	Nights []int
	Values []float64

	Changes   []ChangePoint // change points in Values; P is corrected for everything that is searched
	Incidents []Incident    // short changes in Values, in the order in which they began

	evidenceLimit func(nights int) float64 // evidence that a change needs; nil if there are too few nights
	prior         prior
}

// SearchResult is the result of the search for change points in a tree: in all its groups and series.
type SearchResult struct {
	Groups []Branch // widest first; groups with fewer than MinSeries nights, or fewer than two series, are left out
	Leaves []Branch // one for each series; series with fewer than MinSeries nights are not searched
}

// Budget is the permitted probability of a false alarm in a search: a change point although nothing changed.
type Budget struct {
	alpha   float64
	nightly bool
}

// NewBudget returns the budget for a tree that is searched only once. The probability of a false alarm is at most
// alpha.
func NewBudget(alpha float64) Budget { return Budget{alpha: alpha} }

// NewNightlyBudget returns the budget for a tree that is searched again every night, with the new results. The
// probability of any false alarm within a year is at most alpha.
func NewNightlyBudget(alpha float64) Budget { return Budget{alpha: alpha, nightly: true} }

// ForSingleTest returns the permitted probability of a false alarm in one test, in a search of this number of nights.
// In a nightly search it is 1.5 alpha/nights. The total over all nights stays at most alpha, because searches of nearly
// the same nights have nearly the same results.
func (b Budget) ForSingleTest(nights int) float64 {
	if b.nightly {
		return 1.5 * b.alpha / float64(nights)
	}
	return b.alpha
}

// evidenceFactor is the factor by which more evidence is required because the noise is estimated from the same nights.
const evidenceFactor = 2

// evidenceLimit returns how much evidence for a change is necessary in a search of this number of nights; see
// findLevels. part is the share of the budget for the searched series or group.
func (b Budget) evidenceLimit(nights int, part float64) float64 {
	if b.nightly {
		nights = nightsPerYear
	}
	return evidenceFactor * float64(nights) / (b.alpha * part)
}

// Search returns the change points of a tree of series and of its groups. If nothing changes, the probability that it
// returns any change point is at most share times the probability in budget. level is the confidence level for the
// intervals of ratios.
//
// The series of a file system may change together or alone. So half of the budget is for the groups, most of it for the
// group of all series. The other half is divided equally among the series (Bonferroni).
func Search(leaves []Leaf, budget Budget, share, level float64) SearchResult {
	t := SearchResult{Leaves: make([]Branch, len(leaves))}
	var long []int
	for i, l := range leaves {
		b := Branch{Groups: l.Groups, Members: []int{i}}
		for night, v := range l.Values {
			if !math.IsNaN(v) {
				b.Nights, b.Values = append(b.Nights, night), append(b.Values, v)
			}
		}
		t.Leaves[i] = b
		if len(b.Nights) >= MinSeries {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return t
	}
	t.addGroups(long, 0, 0)
	slices.SortStableFunc(t.Groups, func(a, b Branch) int { return len(a.Groups) - len(b.Groups) })
	var values [][]float64
	for _, i := range long {
		values = append(values, logarithms(t.Leaves[i].Values))
	}
	ofWidest, ofOthers, ofSeries := share*3/8, share/8/max(1, float64(len(t.Groups)-1)), share/2/float64(len(long))
	switch len(t.Groups) {
	case 0:
		ofSeries *= 2
	case 1:
		ofWidest = share / 2
	}
	from := estimatePrior(values)
	for i := range t.Groups {
		part := ofOthers
		if i == 0 {
			part = ofWidest
		}
		t.Groups[i].searchChanges(budget, part, level, from)
	}
	for _, i := range long {
		t.Leaves[i].searchChanges(budget, ofSeries, level, from)
	}
	return t
}

// addGroups adds a group and all smaller groups in it. members are its series, whose first depth group names are equal.
// around is the number of series in the next larger group: a group with as many series is not added again.
func (t *SearchResult) addGroups(members []int, depth, around int) {
	if len(members) < 2 {
		return
	}
	if len(members) != around {
		group := Branch{Groups: t.Leaves[members[0]].Groups[:depth:depth], Members: members}
		group.Nights, group.Values = combineSeries(t.Leaves, members)
		if len(group.Nights) >= MinSeries {
			t.Groups = append(t.Groups, group)
		}
	}
	var names []string
	inside := map[string][]int{}
	for _, i := range members {
		if groups := t.Leaves[i].Groups; len(groups) > depth {
			names = append(names, groups[depth])
			inside[groups[depth]] = append(inside[groups[depth]], i)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		t.addGroups(inside[name], depth+1, len(members))
	}
}

// searchChanges finds the change points of a series or group. part is its share of the budget.
func (b *Branch) searchChanges(budget Budget, part, level float64, from prior) {
	b.prior = from
	b.evidenceLimit = func(nights int) float64 { return budget.evidenceLimit(nights, part) }
	values := logarithms(b.Values)
	b.Changes = searchLogarithms(values, b.evidenceLimit(len(values)), budget.alpha, from)
	estimateRatios(b.Changes, values, level)
}

// combineSeries combines the series of a group to one series: it returns the nights and their values. The value of a
// night is the weighted geometric mean over the series that have a value in this night, each divided by the median of
// its series. The weight of a series is the inverse of its variance from night to night, but at most four times the
// weight of a series with the median variation. Outliers among the series of a night are moved towards the median. A
// night is left out if the series that have a value in it have less than half of the total weight.
func combineSeries(leaves []Branch, members []int) (nights []int, values []float64) {
	type part struct{ value, weight float64 }
	parts := map[int][]part{} // parts of each night
	var spreads []float64
	for _, i := range members {
		spreads = append(spreads, max(stepDeviation(logarithms(leaves[i].Values)), minDeviation))
	}
	usually, all := SampleMedian(spreads), 0.0
	for k, i := range members {
		s := max(spreads[k], usually/2)
		weight := 1 / (s * s)
		all += weight
		values := logarithms(leaves[i].Values)
		center := SampleMedian(values)
		for at, night := range leaves[i].Nights {
			parts[night] = append(parts[night], part{values[at] - center, weight})
		}
	}
	for night, of := range parts {
		weight := 0.0
		for _, p := range of {
			weight += p.weight
		}
		if weight >= all/2 {
			nights = append(nights, night)
		}
	}
	slices.Sort(nights)
	for _, night := range nights {
		var of []float64
		for _, p := range parts[night] {
			of = append(of, p.value)
		}
		sum, weight := 0.0, 0.0
		for i, v := range limitOutliers(of) {
			sum += parts[night][i].weight * v
			weight += parts[night][i].weight
		}
		values = append(values, math.Exp(sum/weight))
	}
	return nights, values
}
