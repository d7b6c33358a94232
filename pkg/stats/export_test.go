package stats

import (
	"math"
	"slices"
)

// SignedRank returns P of Paired. It does not compute the interval, which takes most of the time.
func SignedRank(a, b []float64) float64 {
	from, steps := logarithms(a), logarithms(b)
	for i := range steps {
		steps[i] -= from[i]
	}
	return signedRankP(steps)
}

// An Alarm is a change or incident of a series or group, as a search finds it.
type Alarm struct {
	Told, First int // night in which it is told, and its first night
	Lasting     bool
	Ratio       float64
}

// Alarms returns what a search finds, with the nights in which it finds it.
func Alarms(leaves []Leaf, budget Budget) (all []Alarm) {
	t := newTreeSearch(leaves)
	t.divideBudget(budget, 1)
	for night := range t.nights {
		t.addNight(night)
	}
	t.result(budget.alpha, 0.95)
	for _, n := range slices.Concat(t.groups, t.series) {
		m := &n.monitor
		add := func(told, first, end int, lasting bool, noise *noiseModel) {
			ratio := n.ratioOf(first, end, noise)
			all = append(all, Alarm{n.nights[told], n.nights[first], lasting, ratio})
		}
		for _, c := range m.changes {
			add(c.told, c.at, len(m.values), true, &c.noise)
		}
		for _, i := range m.incidents {
			add(i.told, i.at, i.last+1, false, &i.noise)
		}
		if c := m.current; c != nil {
			add(c.told, c.at, len(m.values), false, &c.noise)
		}
	}
	return slices.DeleteFunc(all, func(a Alarm) bool { return a.Ratio == 1 })
}

// ratioOf returns the ratio of a change in some values, or 1 if it is one of siblings.
func (n *treeNode) ratioOf(from, to int, noise *noiseModel) float64 {
	to = min(to, from+10)
	shift := SampleMedian(n.monitor.values[from:to]) - noise.level
	values := logarithms(n.branch.Values)
	first, last := n.indexOfNight(n.nights[from]), n.indexOfNight(n.nights[to-1])
	before := values[max(0, first-14):first]
	if len(before) == 0 || !n.isOwnShift(SampleMedian(values[first:last+1])-SampleMedian(before), shift) {
		return 1
	}
	return math.Exp(shift)
}

// SuddenChange returns a change point that is not gradual, still without ratio and p-value.
func SuddenChange(at int) ChangePoint { return ChangePoint{At: at, last: at} }
