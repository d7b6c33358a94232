package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// result returns what the search found. level is the confidence level for the intervals.
func (t *treeSearch) result(alpha, level float64) SearchResult {
	out := SearchResult{Leaves: make([]Branch, len(t.leaves))}
	for _, g := range t.groups {
		if len(g.branch.Nights) >= MinSeries {
			g.setResult(alpha, level)
			out.Groups = append(out.Groups, g.branch)
		}
	}
	for i, n := range t.series {
		if len(n.branch.Nights) >= MinSeries {
			n.setResult(alpha, level)
		}
		out.Leaves[i] = n.branch
	}
	return out
}

// setResult sets the changes and incidents of the branch. Those of the groups around it must be set.
func (n *treeNode) setResult(alpha, level float64) {
	m := &n.monitor
	n.branch.monitor = m
	own := m.lastingChanges(alpha)
	own = joinGradualChanges(own, m.values)
	estimateRatios(own, m.values, level)
	for _, c := range own {
		c.At, c.last = n.indexOfNight(n.nights[c.At]), n.indexOfNight(n.nights[min(c.last, len(n.nights)-1)])
		n.branch.Changes = append(n.branch.Changes, c)
	}
	if n.siblings != nil {
		n.dropChangesOfSiblings()
	}
	n.addChangesAround(level)
	n.branch.Incidents = n.ownIncidents(alpha, level)
}

// indexOfNight returns the index of the first value of the branch in a night, or later.
func (n *treeNode) indexOfNight(night int) int {
	return min(sort.SearchInts(n.branch.Nights, night), len(n.branch.Nights)-1)
}

// lastingChanges returns the lasting changes, without ratios. The p-value of a change is alpha × limit divided by the
// evidence for it.
func (m *levelMonitor) lastingChanges(alpha float64) []ChangePoint {
	out := make([]ChangePoint, len(m.changes))
	for i, c := range m.changes {
		from, to := 0, len(m.values)
		if i > 0 {
			from = out[i-1].At
		}
		if i+1 < len(m.changes) {
			to = m.changes[i+1].at
		}
		at := placeChange(m.values, from, c.at, to)
		out[i] = ChangePoint{At: at, P: min(1, alpha*m.limit/c.evidence), last: at}
	}
	return out
}

// dropChangesOfSiblings leaves out changes of the branch in relation to its siblings if it was the siblings that
// changed.
func (n *treeNode) dropChangesOfSiblings() {
	b := &n.branch
	values := logarithms(b.Values)
	b.Changes = slices.DeleteFunc(b.Changes, func(c ChangePoint) bool {
		before := values[max(0, c.At-MaxLatestNights):c.At]
		after := values[c.At:min(len(values), max(c.last, c.At)+MaxLatestNights)]
		return !n.isOwnShift(SampleMedian(after)-SampleMedian(before), math.Log(c.Ratio))
	})
}

// isOwnShift reports whether a shift in relation to siblings is one of the branch, and not one of its siblings. shift
// is that of the values of the branch alone.
func (n *treeNode) isOwnShift(shift, toSiblings float64) bool {
	return n.siblings == nil || shift*toSiblings > 0 && math.Abs(shift) >= math.Abs(toSiblings)/2
}

// addChangesAround adds the changes of the groups around the branch that its own values show, too.
func (n *treeNode) addChangesAround(level float64) {
	b := &n.branch
	values := logarithms(b.Values)
	var added []ChangePoint
	for _, g := range n.around {
		for _, c := range g.branch.Changes {
			nights := g.branch.Nights
			c.At, c.last = n.indexOfNight(nights[c.At]), n.indexOfNight(nights[min(c.last, len(nights)-1)])
			near := func(other ChangePoint) bool {
				return max(c.At-other.At, other.At-c.At) <= maxRunsApart
			}
			if c.At > 0 && !slices.ContainsFunc(b.Changes, near) && !slices.ContainsFunc(added, near) {
				added = append(added, c)
			}
		}
	}
	if added == nil {
		return
	}
	all := slices.Concat(b.Changes, added)
	slices.SortFunc(all, func(a, b ChangePoint) int { return a.At - b.At })
	for i := range all[:len(all)-1] {
		all[i].last = min(all[i].last, all[i+1].At)
	}
	estimated := slices.Clone(all)
	estimateRatios(estimated, values, level)
	b.Changes = nil
	for i, c := range all {
		isAdded := slices.ContainsFunc(added, func(a ChangePoint) bool { return a.At == c.At })
		e := estimated[i]
		switch shows := (c.Ratio < 1 && e.High < 1) || (c.Ratio > 1 && e.Low > 1); {
		case !isAdded:
			b.Changes = append(b.Changes, c)
		case shows:
			b.Changes = append(b.Changes, e)
		}
	}
}

// ownIncidents returns the incidents of the branch.
func (n *treeNode) ownIncidents(alpha, level float64) (all []Incident) {
	m := &n.monitor
	values := logarithms(n.branch.Values)
	add := func(first, last int, evidence float64, noise *noiseModel, ongoing bool) {
		i := Incident{
			First: n.indexOfNight(n.nights[first]), Last: n.indexOfNight(n.nights[last]), Ongoing: ongoing,
			P: min(1, alpha*m.limit/evidence),
		}
		shift := stat.Mean(m.values[first:last+1], nil) - noise.level
		before := values[max(0, i.First-MaxLatestNights):i.First]
		if len(before) == 0 || !n.isOwnShift(SampleMedian(values[i.First:i.Last+1])-SampleMedian(before), shift) {
			return
		}
		count := last + 1 - first
		away := distuv.StudentsT{Sigma: 1, Nu: noise.freedom}.Quantile((1+level)/2) * math.Sqrt(
			noise.spread*noise.spread*meanVariance(count, noise.r)+noise.levelError*noise.levelError)
		i.Ratio, i.Low, i.High = math.Exp(shift), math.Exp(shift-away), math.Exp(shift+away)
		all = append(all, i)
	}
	for _, i := range m.incidents {
		add(i.at, i.last, i.evidence, &i.noise, false)
	}
	if c := m.current; c != nil {
		add(c.at, len(m.values)-1, c.evidence, &c.noise, true)
	}
	return all
}
