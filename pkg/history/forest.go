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

// forest collects the trees in which series are searched: those of equal runs are one tree.
type forest struct {
	index map[treeKey]int
	trees []tree
}

// treeKey identifies runs that have the same points.
type treeKey struct {
	identity result.Identity
	decisive unique.Handle[string] // see seriesKey
}

// tree is the series of equal runs.
type tree struct {
	treeKey
	nights  map[string]int // place of each run in runs, by its id
	runs    []Run          // all runs that have any of the series
	members []int          // indices of the series
}

// add adds a figure of the series of an index.
func (f *forest) add(of figure, series int) {
	key := treeKey{of.key.identity, of.key.decisive}
	i, there := f.index[key]
	if !there {
		if f.index == nil {
			f.index = map[treeKey]int{}
		}
		i = len(f.trees)
		f.index[key] = i
		f.trees = append(f.trees, tree{treeKey: key, nights: map[string]int{}})
	}
	t := &f.trees[i]
	if _, there := t.nights[of.run.RunID]; !there {
		t.nights[of.run.RunID] = len(t.runs)
		t.runs = append(t.runs, of.run)
	}
	if !slices.Contains(t.members, series) {
		t.members = append(t.members, series)
	}
}

// search finds the change points of all series and groups. Each tree has the part of the budget that it has of the
// series that are long enough to be searched. settings are those of the trees.
func (f *forest) search(t *Trend, settings [][]Setting, references []Pinned) {
	long := 0
	for _, s := range t.Series {
		if len(s.Runs) >= stats.MinSeries {
			long++
		}
	}
	groups, referred := make([][]Group, len(f.trees)), make([][]*referred, len(f.trees))
	var all sync.WaitGroup
	for i, of := range f.trees {
		all.Go(func() { groups[i], referred[i] = of.search(t, long, settings[i], references) })
	}
	all.Wait()
	judgeReferences(slices.Concat(referred...), t.Level)
	t.References = f.references(references)
	t.Groups = append(t.Groups, slices.Concat(groups...)...)
	slices.SortStableFunc(t.Groups, func(a, b Group) int {
		return cmp.Or(strings.Compare(a.Identity.Cluster, b.Identity.Cluster),
			strings.Compare(a.Identity.Filesystem, b.Identity.Filesystem),
			strings.Compare(a.Identity.Label, b.Identity.Label))
	})
}

// settings returns, for each tree, the conditions in which trees of the same identity differ.
func (f *forest) settings() [][]Setting {
	out := make([][]Setting, len(f.trees))
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
		all := make([][]Setting, len(alike))
		for k, other := range alike {
			all[k] = slices.DeleteFunc(parsed(f.trees[other].decisive), ofIdentity)
		}
		out[i] = distinguishing(make([]Place, len(alike)), all)[slices.Index(alike, i)]
	}
	return out
}

// search finds the change points of the series of a tree, and returns its groups, and what of both has a reference.
// long is how many series there are in all trees that are long enough.
func (of tree) search(t *Trend, long int, settings []Setting, references []Pinned) (groups []Group, all []*referred) {
	leaves, own := make([]stats.Leaf, len(of.members)), 0
	id := of.id(settings)
	for k, i := range of.members {
		s := &t.Series[i]
		s.Group = id
		if len(s.Runs) >= stats.MinSeries {
			own++
		}
		leaves[k] = stats.Leaf{
			Groups: []string{direction(s.Operation, s.PageCache), s.API}, Values: of.values(s.Runs),
		}
	}
	budget := stats.Once(1 - t.Level)
	if t.Nightly {
		budget = stats.EachTime(1 - t.Level)
	}
	found := stats.Search(leaves, budget, float64(own)/float64(max(1, long)), t.Level)
	nights, set := of.nightsOf(references)
	refer := func(b stats.Branch) *Distance {
		r := of.refer(b, nights, set, t.Nightly)
		if r == nil {
			return nil
		}
		all = append(all, r)
		return r.distance
	}
	for k, i := range of.members {
		s := &t.Series[i]
		s.Reference, s.Accepted = refer(found.Leaves[k]), of.accepted(found.Leaves[k], nights)
		if len(s.Runs) >= stats.MinSeries {
			s.ChangePoints, s.Verdict = of.changes(found.Leaves[k])
			s.Power = power(found.Leaves[k])
		}
	}
	first := func(b stats.Branch) Series { return t.Series[of.members[b.Members[0]]] }
	slices.SortStableFunc(found.Groups, func(a, b stats.Branch) int {
		return cmp.Or(cmp.Compare(len(a.Groups), len(b.Groups)), cmp.Compare(first(b).Operation, first(a).Operation),
			cmp.Compare(first(a).PageCache, first(b).PageCache), result.CompareAPIs(first(a).API, first(b).API))
	})
	for _, b := range found.Groups {
		first := first(b)
		g := Group{
			ID: strings.Join(append([]string{id}, b.Groups...), "/"), Identity: of.identity,
			Settings: settings, Count: len(b.Members), Runs: len(b.Values), Power: power(b),
		}
		if len(b.Groups) > 0 {
			g.Operation, g.PageCache = first.Operation, first.PageCache
		}
		if len(b.Groups) > 1 {
			g.API = first.API
		}
		g.ChangePoints, g.Verdict = of.changes(b)
		g.Reference, g.Accepted = refer(b), of.accepted(b, nights)
		groups = append(groups, g)
	}
	return groups, all
}

// direction returns the name of the group of the series of a direction, within that of all series of the same runs.
func direction(operation result.Operation, cache string) string {
	if cache == Warm {
		return string(operation) + " " + Warm
	}
	return string(operation)
}

// id returns the ID of the group of all series.
func (of tree) id(settings []Setting) string {
	words := []string{of.identity.Cluster, of.identity.Filesystem, of.identity.Label}
	for _, s := range settings {
		words = append(words, s.Name+"="+s.Value)
	}
	return strings.Join(words, ",")
}

// values returns the medians of runs, and NaN for runs of the tree that are not among them.
func (of tree) values(runs []Run) []float64 {
	values := slices.Repeat([]float64{math.NaN()}, len(of.runs))
	for _, r := range runs {
		values[of.nights[r.RunID]] = r.Median
	}
	return values
}

// changes returns the change points of a series or group that was searched, and its verdict.
func (of tree) changes(b stats.Branch) (all []ChangePoint, v Verdict) {
	all, v = []ChangePoint{}, NoDifference
	for _, c := range b.Changes {
		first, before := of.runs[b.Nights[c.At]], of.runs[b.Nights[c.At-1]]
		point := ChangePoint{
			Since: first.Started, RunID: first.RunID, Index: c.At, Slow: c.Slow, Ratio: c.Ratio, CorrectedP: c.P,
			Differs: changes(parsed(before.reported), parsed(first.reported)),
		}
		point.Low, point.High = bounds(c.Low, c.High)
		all = append(all, point)
		v = Better
		if c.Ratio < 1 {
			v = Worse
		}
	}
	return all, v
}

// power returns what the search could show in a series or group.
func power(b stats.Branch) (p Power) {
	found := b.Power()
	if found.Visible > 0 && found.Visible < 1 {
		p.Visible = new(1 - found.Visible)
	}
	if found.Needed > 0 {
		p.Needed = new(found.Needed)
	}
	return p
}
