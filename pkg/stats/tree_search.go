package stats

import (
	"math"
	"slices"
)

const (
	// startNights is the number of nights of a tree, and of a series that begins later, from which the usual values of
	// series are taken. The search begins with the next night.
	startNights = MinSeries
	// minSiblings is the number of other series that a group must have to be compared with a series or group in it, if
	// a wider group has more.
	minSiblings = 4
	// maxRunsApart is the largest distance of two changes, in nights, that may be the same change.
	maxRunsApart = 3
)

// treeSearch is the state of the search in a tree of series, after some nights.
type treeSearch struct {
	leaves  []Leaf
	nights  int
	values  [][]float64 // logarithms of the values of each series, NaN in nights without a value
	known   []bool      // series that have centers
	centers []float64   // usual values of series, in relation to the others
	weights []float64   // of series in groups
	groups  []*treeNode // widest first
	series  []*treeNode // one for each series; nil if it has too few nights
	prior   noisePrior  // for series
}

// treeNode is a group or a series in a search. Its values are those of the series in it, without their centers. Those
// of a series or group that has siblings are divided by those of its siblings, that is, of the other series in a group
// around it. So the noise that they have in common disappears.
type treeNode struct {
	branch   Branch
	around   []*treeNode // groups that contain it, widest first
	siblings *treeNode   // group with the siblings; nil without siblings
	monitor  levelMonitor
	nights   []int // night of each value of the monitor

	// for groups: values of each night, and what they consist of in the newest night
	combined []float64
	parts    []float64 // by series, NaN without a value
	sum      float64   // of weighted parts
	weight   float64
}

// newTreeSearch returns a search before its first night.
func newTreeSearch(leaves []Leaf) *treeSearch {
	t := &treeSearch{
		leaves: leaves, values: make([][]float64, len(leaves)), known: make([]bool, len(leaves)),
		centers: make([]float64, len(leaves)), weights: make([]float64, len(leaves)),
		series: make([]*treeNode, len(leaves)),
		prior:  noisePrior{r: priorAutocorrelation, rNights: priorAutocorrelationNights},
	}
	var long []int
	for i, l := range leaves {
		t.nights, t.values[i] = max(t.nights, len(l.Values)), logarithms(l.Values)
		n := &treeNode{branch: Branch{Groups: l.Groups, Members: []int{i}}}
		for night, v := range l.Values {
			if !math.IsNaN(v) {
				n.branch.Nights, n.branch.Values = append(n.branch.Nights, night), append(n.branch.Values, v)
			}
		}
		t.series[i] = n
		if len(n.branch.Nights) >= MinSeries {
			long = append(long, i)
		}
	}
	t.addGroups(long, nil, 0)
	slices.SortStableFunc(t.groups, func(a, b *treeNode) int { return len(a.around) - len(b.around) })
	for _, g := range t.groups {
		g.chooseSiblings()
	}
	for _, i := range long {
		n := t.series[i]
		for _, g := range t.groups {
			if slices.Contains(g.branch.Members, i) {
				n.around = append(n.around, g)
			}
		}
		n.chooseSiblings()
	}
	return t
}

// addGroups adds a group and all smaller groups in it. members are its series, whose first depth group names are equal.
// around holds the groups around it: a group with as many series as the smallest of them is not added again.
func (t *treeSearch) addGroups(members []int, around []*treeNode, depth int) {
	if len(members) < 2 {
		return
	}
	if len(around) == 0 || len(members) != len(around[len(around)-1].branch.Members) {
		g := &treeNode{
			branch: Branch{Groups: t.leaves[members[0]].Groups[:depth:depth], Members: members}, around: around,
			parts: make([]float64, len(t.leaves)),
		}
		t.groups, around = append(t.groups, g), append(slices.Clone(around), g)
	}
	var names []string
	inside := map[string][]int{}
	for _, i := range members {
		if groups := t.leaves[i].Groups; len(groups) > depth {
			names = append(names, groups[depth])
			inside[groups[depth]] = append(inside[groups[depth]], i)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		t.addGroups(inside[name], around, depth+1)
	}
}

// chooseSiblings chooses the smallest group around the node that has enough other series, or the widest one.
func (n *treeNode) chooseSiblings() {
	for i, g := range slices.Backward(n.around) {
		if len(g.branch.Members) >= len(n.branch.Members)+minSiblings || i == 0 {
			n.siblings = g
			return
		}
	}
}

// nightlyMargin is how many times fewer false alarms the groups give in a year than the bound of levelMonitor permits,
// in simulated years with an autocorrelation of 0.6, see the tests. So they need less evidence by this factor.
const nightlyMargin = 4

// divideBudget sets the evidence that changes need. Half of the budget is for the groups, most of it for the group of
// all series. The other half is divided equally among the series (Bonferroni).
func (t *treeSearch) divideBudget(budget Budget, share float64) {
	long := 0
	for _, n := range t.series {
		if len(n.branch.Nights) >= MinSeries {
			long++
		}
	}
	ofWidest, ofOthers, ofSeries := share*3/8, share/8/max(1, float64(len(t.groups)-1)), share/2/float64(max(1, long))
	switch len(t.groups) {
	case 0:
		ofSeries *= 2
	case 1:
		ofWidest = share / 2
	}
	if budget.nightly {
		ofWidest, ofOthers = nightlyMargin*ofWidest, nightlyMargin*ofOthers
	}
	for _, n := range slices.Concat(t.groups, t.series) {
		n.monitor.least = budget.nightsBefore()
	}
	for i, g := range t.groups {
		g.monitor.limit = budget.evidenceLimit(t.nights, ofOthers)
		if i == 0 {
			g.monitor.limit = budget.evidenceLimit(t.nights, ofWidest)
		}
	}
	for _, n := range t.series {
		n.monitor.limit = budget.evidenceLimit(len(n.branch.Nights), ofSeries)
	}
}

// addNight adds the values of a night to all groups and series.
func (t *treeSearch) addNight(night int) {
	switch {
	case night < startNights-1 && night < t.nights-1:
		return
	case night == startNights-1:
		t.centerFirstSeries()
		t.renewWeights(night)
		for earlier := range night {
			t.addValues(earlier)
		}
	case night >= startNights:
		t.centerNewSeries(night)
		if night&(night-1) == 0 || night%nightsPerYear == 0 { // seldom, since groups change a little with it
			t.renewWeights(night)
		}
	}
	t.addValues(night)
	if night%5 == 0 || night < 16 {
		t.renewPrior()
	}
}

// centerFirstSeries sets the centers of the series that have values in at least half of the first nights.
func (t *treeSearch) centerFirstSeries() {
	for i, n := range t.series {
		var first []float64
		for _, v := range t.values[i][:min(startNights, len(t.values[i]))] {
			if !math.IsNaN(v) {
				first = append(first, v)
			}
		}
		if len(n.branch.Nights) >= MinSeries && len(first) >= startNights/2 {
			t.known[i], t.centers[i] = true, SampleMedian(first)
		}
	}
}

// centerNewSeries sets the centers of series that now have enough nights, in relation to the group of all series. It
// adds their values of these nights.
func (t *treeSearch) centerNewSeries(night int) {
	for i, n := range t.series {
		if t.known[i] || len(n.branch.Nights) < startNights || n.branch.Nights[startNights-1] >= night {
			continue
		}
		var away []float64
		for _, at := range n.branch.Nights[:startNights] {
			away = append(away, t.values[i][at]-t.valueOfAll(at))
		}
		away = slices.DeleteFunc(away, math.IsNaN)
		if len(away) == 0 {
			continue
		}
		t.known[i], t.centers[i] = true, SampleMedian(away)
		t.weights[i] = t.usualWeight()
		for _, at := range n.branch.Nights {
			if v := t.values[i][at] - t.centers[i] - t.valueOfAll(at); at < night && !math.IsNaN(v) {
				n.addValue(at, v, t.prior)
			}
		}
	}
}

// valueOfAll returns the value of the group of all series in an earlier night: NaN if it has none, 0 without groups.
func (t *treeSearch) valueOfAll(night int) float64 {
	if len(t.groups) == 0 {
		return 0
	}
	if c := t.groups[0].combined; night < len(c) {
		return c[night]
	}
	return math.NaN()
}

// usualWeight returns the median of the weights of series.
func (t *treeSearch) usualWeight() float64 {
	var all []float64
	for i, w := range t.weights {
		if t.known[i] && w > 0 {
			all = append(all, w)
		}
	}
	if all == nil {
		return 1
	}
	return SampleMedian(all)
}

// renewWeights sets the weights of series in groups, from the values before a night. The weight is the inverse of the
// variance from night to night, but at most four times the weight of a series with the median variation.
func (t *treeSearch) renewWeights(night int) {
	spreads := make([]float64, len(t.leaves))
	var all []float64
	for i := range t.leaves {
		if !t.known[i] {
			continue
		}
		known := t.values[i][:min(night+1, len(t.values[i]))]
		latest := slices.Clone(known[max(0, len(known)-memoryNights):])
		latest = slices.DeleteFunc(latest, math.IsNaN)
		if len(latest) < 3 {
			continue
		}
		spreads[i] = stepDeviation(latest)
		all = append(all, spreads[i])
	}
	if all == nil {
		return
	}
	usually := SampleMedian(all)
	for i, s := range spreads {
		if s > 0 {
			s = max(s, usually/2)
			t.weights[i] = 1 / (s * s)
		}
	}
}

// addValues adds the values of a night to all monitors.
func (t *treeSearch) addValues(night int) {
	for _, g := range t.groups {
		t.combineSeries(g, night)
		v := g.combined[night]
		if math.IsNaN(v) {
			continue
		}
		g.branch.Nights, g.branch.Values = append(g.branch.Nights, night), append(g.branch.Values, math.Exp(v))
		if s := g.siblings; s != nil {
			v -= s.valueWithout(t, g.branch.Members)
		}
		g.addValue(night, v, noisePrior{
			r: t.prior.r, rNights: priorAutocorrelationNights,
			outliers: groupOutliers, outlierNights: groupOutlierNights,
		})
	}
	for i, n := range t.series {
		if !t.known[i] || night >= len(t.values[i]) || math.IsNaN(t.values[i][night]) {
			continue
		}
		v := t.values[i][night] - t.centers[i]
		if s := n.siblings; s != nil {
			v -= s.valueWithout(t, n.branch.Members)
		}
		n.addValue(night, v, t.prior)
	}
}

// addValue adds a value to the monitor, unless it is not known.
func (n *treeNode) addValue(night int, v float64, prior noisePrior) {
	if math.IsNaN(v) {
		return
	}
	n.nights = append(n.nights, night)
	n.branch.prior = prior
	n.monitor.addValue(v, prior)
}

// combineSeries sets the value of a group in a night: the weighted mean over the series that have a value in this
// night, each without its center. Outliers among them are moved towards the median. The value is NaN if the series that
// have a value in it have less than half of the total weight.
func (t *treeSearch) combineSeries(g *treeNode, night int) {
	var values []float64
	all := 0.0
	g.sum, g.weight = 0, 0
	for _, i := range g.branch.Members {
		g.parts[i] = math.NaN()
		if !t.known[i] {
			continue
		}
		all += t.weights[i]
		if night < len(t.values[i]) && !math.IsNaN(t.values[i][night]) {
			g.parts[i] = t.values[i][night] - t.centers[i]
			values = append(values, g.parts[i])
		}
	}
	if len(values) > 0 {
		limited := limitOutliers(values)
		for _, i := range g.branch.Members {
			if !math.IsNaN(g.parts[i]) {
				g.parts[i], limited = limited[0], limited[1:]
				g.sum += t.weights[i] * g.parts[i]
				g.weight += t.weights[i]
			}
		}
	}
	v := math.NaN()
	if g.weight > 0 && g.weight >= all/2 {
		v = g.sum / g.weight
	}
	for len(g.combined) <= night {
		g.combined = append(g.combined, math.NaN())
	}
	g.combined[night] = v
}

// valueWithout returns the value of a group in the newest night without some of its series: NaN if no other has a
// value.
func (n *treeNode) valueWithout(t *treeSearch, members []int) float64 {
	sum, weight := n.sum, n.weight
	for _, i := range members {
		if !math.IsNaN(n.parts[i]) {
			sum -= t.weights[i] * n.parts[i]
			weight -= t.weights[i]
		}
	}
	if weight <= 1e-9*n.weight {
		return math.NaN()
	}
	return sum / weight
}

// What is assumed about outliers before values show it: their fraction in the values of groups and of series, and the
// number of nights that this assumption is worth. The outliers of all series are worth sharedOutlierNights in each.
const (
	groupOutliers, groupOutlierNights                        = 0.003, 30
	seriesOutliers, seriesOutlierNights, sharedOutlierNights = 0.05, 30, 15
)

// renewPrior sets what the series of the tree have in common: how they vary.
func (t *treeSearch) renewPrior() {
	var logs, rs []float64
	freedom, nights, outliers := 0.0, 0.0, 0.0
	density := &outlierDensity{}
	for _, n := range t.series {
		if len(n.monitor.level) < minFirstLevelNights {
			continue
		}
		own := estimateNoiseModel(n.monitor.levelValues(), n.monitor.before, noisePrior{})
		outliers += own.numOutliers
		density.merge(own.density)
		nights += float64(min(len(n.monitor.level), memoryNights))
		logs, rs = append(logs, 2*math.Log(own.deviation)), append(rs, own.r)
		freedom += own.freedom
	}
	t.prior.density = density
	t.prior.outliers = (outliers + seriesOutliers*seriesOutlierNights) / (nights + seriesOutlierNights)
	t.prior.outlierNights = sharedOutlierNights
	if len(logs) < 3 {
		return
	}
	t.prior.r, t.prior.rNights = SampleMedian(rs), 2*priorAutocorrelationNights
	freedom /= float64(len(logs))
	t.prior.deviation, t.prior.freedom = sharedDeviation(logs, freedom)
}

// sharedDeviation returns what is known about the standard deviation of one of many series from those of all, and how
// many degrees of freedom this knowledge is worth (Smyth, 2004). logs are the logarithms of the variances, each
// estimated with the given degrees of freedom.
func sharedDeviation(logs []float64, freedom float64) (deviation, worth float64) {
	center := SampleMedian(logs)
	spread := robustDeviation(logs, center)
	own := 2 / freedom * (1 + 1/freedom) // variance of the logarithm of such an estimate
	worth = 30
	if excess := spread*spread - own; excess > 2/worth {
		worth = 2 / excess
	}
	return math.Exp(center / 2), worth
}
