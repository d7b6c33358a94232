package history

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unique"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// forest collects all trees of series in which changes are searched. A tree consists of all runs with equal identity
// and decisive conditions.
type forest struct {
	index map[seriesTreeKey]int
	trees []seriesTree
}

// seriesTreeKey identifies the runs of one tree. Only these can belong to the same series.
type seriesTreeKey struct {
	identity result.Identity
	decisive unique.Handle[string] // decisive conditions; see seriesKey
}

// seriesTree holds all series of the runs that have the same seriesTreeKey.
type seriesTree struct {
	seriesTreeKey
	indexOfRun    map[string]int // index of each run in runs, by run id
	runs          []SeriesRun    // all runs that belong to at least one of the series
	seriesIndices []int          // indices of the series in Trend.Series
	numbers       []int          // number of each run among the runs of its identity; see numberRuns
	lastNumber    int            // number of the newest run of its identity
}

// addEntry adds a run of a series to its tree. series is the index of the series in Trend.Series.
func (f *forest) addEntry(of seriesEntry, series int) {
	key := seriesTreeKey{of.key.identity, of.key.decisive}
	i, there := f.index[key]
	if !there {
		if f.index == nil {
			f.index = map[seriesTreeKey]int{}
		}
		i = len(f.trees)
		f.index[key] = i
		f.trees = append(f.trees, seriesTree{seriesTreeKey: key, indexOfRun: map[string]int{}})
	}
	t := &f.trees[i]
	if _, there := t.indexOfRun[of.run.RunID]; !there {
		t.indexOfRun[of.run.RunID] = len(t.runs)
		t.runs = append(t.runs, of.run)
	}
	if !slices.Contains(t.seriesIndices, series) {
		t.seriesIndices = append(t.seriesIndices, series)
	}
}

// searchTrees finds the change points of all series and groups. The permitted probability of false alarms is divided
// among the trees in proportion to their numbers of series that are long enough to be searched. settings holds the
// conditions that distinguish each tree from the others.
func (f *forest) searchTrees(t *Trend, settings [][]Condition, references []PinnedReference) {
	long := 0
	for _, s := range t.Series {
		if len(s.Runs) >= stats.MinSeries {
			long++
		}
	}
	groups, referred := make([][]SeriesGroup, len(f.trees)), make([][]*branchWithReference, len(f.trees))
	f.numberRuns()
	var all sync.WaitGroup
	for i, of := range f.trees {
		all.Go(func() { groups[i], referred[i] = of.searchSeries(t, long, settings[i], references) })
	}
	all.Wait()
	judgeReferences(slices.Concat(referred...), t.Level)
	t.References = f.usedReferences(references)
	t.Groups = append(t.Groups, slices.Concat(groups...)...)
	f.findPositions(t, settings, references)
	slices.SortStableFunc(t.Groups,
		func(a, b SeriesGroup) int { return compareIdentities(a.Identity, b.Identity) })
}

// compareIdentities orders identities by cluster, file system and label. The result is negative, zero or positive, as
// for cmp.Compare.
func compareIdentities(a, b result.Identity) int {
	return cmp.Or(strings.Compare(a.Cluster, b.Cluster), strings.Compare(a.Filesystem, b.Filesystem),
		strings.Compare(a.Label, b.Label))
}

// conditionsOfTrees returns, for each tree, the conditions in which it differs from other trees of the same identity.
func (f *forest) conditionsOfTrees() [][]Condition {
	out := make([][]Condition, len(f.trees))
	for i, t := range f.trees {
		var alike []int
		for k, other := range f.trees {
			if other.identity == t.identity {
				alike = append(alike, k)
			}
		}
		if len(alike) == 1 {
			continue
		}
		all := make([][]Condition, len(alike))
		for k, other := range alike {
			all[k] = slices.DeleteFunc(parseConditions(f.trees[other].decisive), isOfIdentity)
		}
		out[i] = distinguishingConditions(make([]Place, len(alike)), all)[slices.Index(alike, i)]
	}
	return out
}

// searchSeries finds the change points of the series of a tree. It returns the groups of the tree, and all series and
// groups whose latest runs are compared with earlier ones. long is the number of series in all trees that are long
// enough to be searched.
func (of seriesTree) searchSeries(t *Trend, long int, settings []Condition,
	references []PinnedReference,
) (groups []SeriesGroup, all []*branchWithReference) {
	leaves, own := make([]stats.Leaf, len(of.seriesIndices)), 0
	id := of.groupID(settings)
	for k, i := range of.seriesIndices {
		s := &t.Series[i]
		s.Group = id
		if len(s.Runs) >= stats.MinSeries {
			own++
		}
		leaves[k] = stats.Leaf{
			Groups: []string{directionName(s.Operation, s.PageCache), s.API}, Values: of.runMedians(s.Runs),
		}
	}
	budget := stats.NewBudget(1 - t.Level)
	if t.Nightly {
		budget = stats.NewNightlyBudget(1 - t.Level)
	}
	found := stats.Search(leaves, budget, float64(own)/float64(max(1, long)), t.Level)
	nights, set := of.referenceRuns(references)
	// compareLatest compares a series or group with its reference or, without one, with its best earlier level.
	compareLatest := func(b stats.Branch) (p Present) {
		var judged *branchWithReference
		p.AcceptedUntil = of.lastReferenceStart(b, nights)
		if p.AcceptedUntil.IsZero() {
			p.Best, judged = of.compareWithBestLevel(b, t.Nightly)
		} else {
			p.Reference, judged = of.compareWithReference(b, nights, set, t.Nightly)
		}
		if judged != nil {
			all = append(all, judged)
		}
		p.Ended = of.lastRunIfEnded(b)
		return p
	}
	for k, i := range of.seriesIndices {
		s := &t.Series[i]
		s.Present = compareLatest(found.Leaves[k])
		if len(s.Runs) >= stats.MinSeries {
			s.Findings = of.describeFindings(found.Leaves[k])
			s.Power = newPower(found.Leaves[k])
		}
	}
	first := func(b stats.Branch) Series { return t.Series[of.seriesIndices[b.Members[0]]] }
	slices.SortStableFunc(found.Groups, func(a, b stats.Branch) int {
		return cmp.Or(cmp.Compare(len(a.Groups), len(b.Groups)), cmp.Compare(first(b).Operation, first(a).Operation),
			cmp.Compare(first(a).PageCache, first(b).PageCache), result.CompareAPIs(first(a).API, first(b).API))
	})
	for _, b := range found.Groups {
		first := first(b)
		g := SeriesGroup{
			ID: strings.Join(append([]string{id}, b.Groups...), "/"), Identity: of.identity,
			Conditions: settings, NumSeries: len(b.Members), Runs: len(b.Values), Findings: of.describeFindings(b),
			Power: newPower(b),
		}
		if len(b.Groups) > 0 {
			g.Operation, g.PageCache = first.Operation, first.PageCache
		}
		if len(b.Groups) > 1 {
			g.API = first.API
		}
		g.Present = compareLatest(b)
		groups = append(groups, g)
	}
	return groups, all
}

// directionName returns the name of the group of all series of one direction: "write", "read", or "read warm" for reads
// from memory.
func directionName(operation result.Operation, cache string) string {
	if cache == WarmCache {
		return string(operation) + " " + WarmCache
	}
	return string(operation)
}

// groupID returns the ID of the group of all series of the tree.
func (of seriesTree) groupID(settings []Condition) string {
	words := []string{of.identity.Cluster, of.identity.Filesystem, of.identity.Label}
	for _, s := range settings {
		words = append(words, s.Name+"="+s.Value)
	}
	return strings.Join(words, ",")
}

// runMedians returns one value for each run of the tree, in their order: the median of the run, or NaN if the run is
// not in runs.
func (of seriesTree) runMedians(runs []SeriesRun) []float64 {
	values := slices.Repeat([]float64{math.NaN()}, len(of.runs))
	for _, r := range runs {
		values[of.indexOfRun[r.RunID]] = r.Median
	}
	return values
}

// newPower says how large a change must be in a series or group for the search to find it.
func newPower(b stats.Branch) (p Power) {
	found := b.SearchPower()
	if found.DetectableFall > 0 && found.DetectableFall < 1 {
		p.DetectableRatio = new(1 - found.DetectableFall)
	}
	if found.NightsNeeded > 0 {
		p.RunsNeeded = new(found.NightsNeeded)
	}
	return p
}
