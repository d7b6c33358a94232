package stats

import (
	"math"
	"slices"
)

// Leaf is one series of a tree, for example one point of a benchmark.
type Leaf struct {
	Groups []string  // names of the groups that the series is part of, from the widest one, whose name is left out
	Values []float64 // positive values, one of each night of the tree; NaN of a night that the series lacks
}

// Branch is what is found in a group of series, or in one series.
type Branch struct {
	Groups  []string // names of the group; nil for the group of all
	Members []int    // indices of its series
	// The nights that have a value, in ascending order, and the values. Those of a group are means of its series, each
	// in relation to its median.
	Nights []int
	Values []float64

	Changes []ChangePoint // change points in Values; P is corrected for all that is looked at

	evidenceLimit func(nights int) float64 // of the evidence for a change; nil if it has too few nights
	prior         prior
}

// Tree is what is found in a tree of series.
type Tree struct {
	Groups []Branch // the widest first; those without as many as MinSeries nights, or two series, are left out
	Leaves []Branch // of each series; one without as many as MinSeries nights is not searched
}

// Budget is the probability of a false alarm that a search may have.
type Budget struct {
	alpha   float64
	nightly bool
}

// NewBudget returns the budget of one look.
func NewBudget(alpha float64) Budget { return Budget{alpha: alpha} }

// NewNightlyBudget returns a budget with which a tree can be looked at after each night: in a year, the probability of
// any false alarm is at most alpha.
func NewNightlyBudget(alpha float64) Budget { return Budget{alpha: alpha, nightly: true} }

// ForSingleTest returns the budget of a single test in a look at so many nights. Looks at nearly the same nights mostly
// say the same, so that budgets of 1.5 alpha/n need not add up to more than alpha.
func (b Budget) ForSingleTest(nights int) float64 {
	if b.nightly {
		return 1.5 * b.alpha / float64(nights)
	}
	return b.alpha
}

// evidenceFactor is by how much more evidence is needed because the noise is not known, but estimated from the same
// nights.
const evidenceFactor = 2

// evidenceLimit returns how much evidence a search of so many nights needs that has a part of the budget; see levels.
func (b Budget) evidenceLimit(nights int, part float64) float64 {
	if b.nightly {
		nights = nightsPerYear
	}
	return evidenceFactor * float64(nights) / (b.alpha * part)
}

// Search returns the change points of a tree of series and of the groups in it. If nothing changes, the
// probability that any is returned is at most that of the budget, of which this tree has the given share.
// Intervals of ratios are at the given confidence level.
//
// Series of one file system change together, or one by one. Half of the budget is for the groups, most of it
// for the widest one, and half for the series, in equal parts (Bonferroni).
func Search(leaves []Leaf, budget Budget, share, level float64) Tree {
	t := Tree{Leaves: make([]Branch, len(leaves))}
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

// addGroups adds the group of the given series, whose first depth names are equal, and those in it. around is how many
// series the group around it has.
func (t *Tree) addGroups(members []int, depth, around int) {
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

// searchChanges finds the change points of a branch, which has a part of the budget.
func (b *Branch) searchChanges(budget Budget, part, level float64, from prior) {
	b.prior = from
	b.evidenceLimit = func(nights int) float64 { return budget.evidenceLimit(nights, part) }
	values := logarithms(b.Values)
	b.Changes = searchLogarithms(values, b.evidenceLimit(len(values)), budget.alpha, from)
	estimateRatios(b.Changes, values, level)
}

// combineSeries returns the nights of a group and its value in each: the mean, over the series that have the night, of
// the logarithm in relation to the median of the series. A series counts by the inverse of its variance from night to
// night, but no more than four times as much as the median series. Values far from those of the other series in the
// same night count as less far. Nights that less than half of the group has are left out.
func combineSeries(leaves []Branch, members []int) (nights []int, values []float64) {
	type part struct{ value, weight float64 }
	parts := map[int][]part{} // of each night
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
