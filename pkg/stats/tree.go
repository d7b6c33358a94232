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

	budget func(nights int) float64 // of this branch alone; nil if it has too few nights
	least  float64
	tame   []float64 // what is searched in place of Values: outliers count still less
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

// Once returns the budget of one look.
func Once(alpha float64) Budget { return Budget{alpha: alpha} }

// EachTime returns a budget with which a tree can be looked at after each night: in simulated years the part with any
// false alarm stays below alpha. A look at n nights has 1.5 alpha/n of it. Looks at nearly the same nights mostly say
// the same, so that their budgets need not add up to alpha.
func EachTime(alpha float64) Budget { return Budget{alpha: alpha, nightly: true} }

// Of returns the budget of a look at so many nights.
func (b Budget) Of(nights int) float64 {
	if b.nightly {
		return 1.5 * b.alpha / float64(nights)
	}
	return b.alpha
}

// Search returns the change points of a tree of series and of the groups in it. If nothing changes, the
// probability that any is returned is at most that of the budget, of which this tree has the given share.
// Intervals of ratios are at the given confidence level.
//
// Series of one file system change together, or one by one. Half of the budget is for each:
//
//   - Groups are tested from the widest to the narrowest (Meinshausen, 2008). A group is tested if the one around it
//     has a change, and gets the part of the budget that it has of the series. So the probability that any group
//     without a change shows one is that of this half, however many groups there are.
//   - Each series is tested, with an equal part of the other half (Bonferroni).
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
	var like []float64
	for _, i := range long {
		x := logs(t.Leaves[i].Values)
		like = append(like, coefficient(x, split(tamed(x))))
	}
	least := max(usual, Middle(like))
	part := share / 2 / float64(len(long))
	for _, i := range long {
		t.Leaves[i].search(budget, part, level, least)
	}
	t.descend(long, 0, 0, true, budget, part, level, least)
	slices.SortStableFunc(t.Groups, func(a, b Branch) int { return len(a.Groups) - len(b.Groups) })
	return t
}

// descend adds the group of the given series, whose first depth names are equal, and those in it. around is how many
// series the group around it has. The group is searched if tested is set. part is the budget of one series.
func (t *Tree) descend(members []int, depth, around int, tested bool, budget Budget, part, level, least float64) {
	if len(members) < 2 {
		return
	}
	if len(members) != around {
		group := Branch{Groups: t.Leaves[members[0]].Groups[:depth:depth], Members: members}
		group.Nights, group.Values = together(t.Leaves, members, cleaned)
		_, group.tame = together(t.Leaves, members, tamed)
		if len(group.Nights) >= MinSeries {
			group.search(budget, part*float64(len(members)), level, least)
			if !tested {
				group.Changes = nil
			}
			tested = len(group.Changes) > 0
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
		t.descend(inside[name], depth+1, len(members), tested, budget, part, level, least)
	}
}

// search finds the change points of a branch, which gets a part of the budget.
func (b *Branch) search(budget Budget, part, level, least float64) {
	whole := budget.Of(len(b.Values))
	if b.tame == nil {
		b.tame = b.Values
	}
	b.Changes = searcher{whole * part, least}.search(logs(b.tame), 0, 1.25)
	estimate(b.Changes, b.Values, level, least)
	for i := range b.Changes {
		b.Changes[i].P = min(1, b.Changes[i].P/part*budget.alpha/whole)
	}
	b.least = least
	b.budget = func(n int) float64 { return budget.Of(n) * part }
}

// together returns the nights of a group and its value in each: the mean, over the series that have the night, of the
// logarithm in relation to the median of the series. Outliers of a series are moved by with, which takes and returns
// logarithms. A series counts by the inverse of its variance from night to night, but no more than four times as much
// as the median series. Nights that less than half of the group has are left out.
func together(leaves []Branch, members []int, with func([]float64) []float64) (nights []int, values []float64) {
	weights, rest := make([]float64, len(members)), map[int][2]float64{} // of each night the sum, and that of weights
	var spreads []float64
	for _, i := range members {
		spreads = append(spreads, max(steps(logs(leaves[i].Values)), resolution))
	}
	usually, all := Middle(spreads), 0.0
	for k, s := range spreads {
		s = max(s, usually/2)
		weights[k] = 1 / (s * s)
		all += weights[k]
	}
	for k, i := range members {
		values := with(logs(leaves[i].Values))
		center := Middle(values)
		for at, night := range leaves[i].Nights {
			sum := rest[night]
			rest[night] = [2]float64{sum[0] + weights[k]*(values[at]-center), sum[1] + weights[k]}
		}
	}
	for night, sum := range rest {
		if sum[1] >= all/2 {
			nights = append(nights, night)
		}
	}
	slices.Sort(nights)
	for _, night := range nights {
		values = append(values, math.Exp(rest[night][0]/rest[night][1]))
	}
	return nights, values
}

// cleaned returns the logarithms with those moved that are far from the median of those before, or after, the place
// where the values change most. A lasting change keeps its size.
func cleaned(values []float64) []float64 {
	at := split(tamed(values))
	out := residuals(values, at)
	for k, side := range [][]float64{values[:at], values[at:]} {
		center := Middle(side)
		for i := range side {
			out[k*at+i] += center
		}
	}
	return out
}

// steps returns the standard deviation of values, estimated by the median distance of consecutive ones. A lasting
// change is in one of the distances only. The values are assumed to be normal and independent.
func steps(values []float64) float64 {
	away := make([]float64, len(values)-1)
	for i := range away {
		away[i] = math.Abs(values[i+1] - values[i])
	}
	return 1.4826 / math.Sqrt2 * Middle(away)
}
