package stats

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

	monitor *levelMonitor // nil if there are too few nights
	prior   noisePrior
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

// ForNewestNight returns the permitted probability of a false alarm in a PredictionTest of the newest night alone. In a
// nightly search it is 4 alpha/365: every night of a year is the newest one once, but so far out the test gives several
// times fewer false alarms about all series than it permits.
func (b Budget) ForNewestNight() float64 {
	if b.nightly {
		return nightlyMargin * b.alpha / nightsPerYear
	}
	return b.alpha
}

// evidenceLimit returns how much evidence for a change is necessary in a search of this number of nights; see
// levelMonitor. part is the share of the budget for the searched series or group.
func (b Budget) evidenceLimit(nights int, part float64) float64 {
	if b.nightly {
		nights = nightsPerYear
	}
	return float64(nights) / (b.alpha * part)
}

// nightsBefore returns the smallest number of nights before the first change.
func (b Budget) nightsBefore() int {
	if b.nightly {
		return MinNightlySeries - 1
	}
	return minFirstLevelNights
}

// Search returns the changes of a tree of series and of its groups. If nothing changes, the probability that it returns
// any is at most share times the probability in budget. level is the confidence level for the intervals of ratios.
//
// The search goes through the nights in their order, and judges each by the nights before it. So a search of further
// nights finds the same in the earlier ones, apart from places and sizes.
//
// The series of a file system may change together or alone. What they have in common is searched in the group of all
// series. The values of other groups, and of series, are first divided by those of the series around them, which have
// most noise in common with them; see treeNode. A change of a group is also one of its parts, if their own values show
// it.
func Search(leaves []Leaf, budget Budget, share, level float64) SearchResult {
	t := newTreeSearch(leaves)
	t.divideBudget(budget, share)
	for night := range t.nights {
		t.addNight(night)
	}
	return t.result(budget.alpha, level)
}
