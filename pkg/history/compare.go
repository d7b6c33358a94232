package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// CompareOptions selects how two sets of runs are compared.
type CompareOptions struct {
	Allowed []string // names of decisive conditions that may differ between points, as in Condition

	Names [2]string // names of the two sets in texts; the default is OLD and NEW

	// EarlierRuns is set if the old runs are those before the new ones, in the order in which they started. Of these, a
	// single new run is compared with the last MaxEarlierRuns that have its conditions, as in FindTrend.
	EarlierRuns bool
}

// Compare compares the points of two sets of runs. Two points are compared if all their decisive conditions are equal,
// except for the allowed ones. It returns an error if no point has a condition that is allowed to differ, or if a set
// contains a run twice.
//
// The test depends on how the runs were measured:
//
//   - If every run of one set was measured alternately with a run of the other set (see result.Pair), their samples
//     are compared pair by pair (stats.PairedTest), even if their conditions differ.
//   - Otherwise each run counts once, with its median. The samples of one run are not independent, because they share
//     what varies from run to run. If one set has one run, it is compared with the prediction from the runs of the
//     other set (stats.PredictionTest). If both sets have several runs, they are compared by stats.IndependentTest.
//   - If each set has one run, the variation from run to run is unknown. The difference is reported, but not judged.
//
// Runs that are not compared pair by pair are also compared in groups of points; see ComparedGroup.
func Compare(old, now []Record, o CompareOptions) (Comparison, error) {
	if o.Names == [2]string{} {
		o.Names = [2]string{"OLD", "NEW"}
	}
	c := comparer{allowed: o.Allowed, names: o.Names, old: runSet{records: old}, now: runSet{records: now}}
	for _, err := range []error{c.old.addObservations(), c.now.addObservations()} {
		if err != nil {
			return Comparison{}, err
		}
	}
	if err := c.checkAllowed(); err != nil {
		return Comparison{}, err
	}
	out := Comparison{
		Version: 1, Level: stats.Level, Old: c.old.runIDs(), New: c.now.runIDs(),
		Points: []ComparedPoint{}, Names: o.Names,
	}
	both := slices.DeleteFunc(slices.Clone(out.New), func(id string) bool { return !slices.Contains(out.Old, id) })
	switch n := len(both); {
	case n == 1:
		addCaution(&out.Cautions, "on both sides", "", "Run %s is on both sides.", both[0])
	case n > 1:
		addCaution(&out.Cautions, "on both sides", "", "%d runs are on both sides, among them %s.", n, both[0])
	}
	c.addMovedDefaults(&out)
	if matches := c.matchPairs(); matches != nil {
		if slices.ContainsFunc(now, func(r Record) bool { return isEndedByResults(r.Pair.Stage) }) {
			addCaution(&out.Cautions, "ended by its results", "", "h5perf tune decided from these values when "+
				"to end, and what to measure. So these intervals may be too narrow. Only h5perf report of "+
				"both gives the verdict of tune.")
		}
		for _, m := range matches {
			out.Points = append(out.Points, m.comparePairs())
		}
	} else {
		if o.EarlierRuns {
			c.dropEarlyRuns(&out)
		}
		c.compareTrees(&out)
		out.Points = append(out.Points, c.unmatchedPoints()...)
	}
	slices.SortStableFunc(out.Points, func(a, b ComparedPoint) int {
		return a.compareTo(b.Place)
	})
	out.reduceConditions()
	out.setVerdicts(1)
	for i := range out.Positions {
		out.setPosition(&out.Positions[i])
	}
	return out, nil
}

// comparer holds the two sets of runs that are compared.
type comparer struct {
	allowed  []string
	names    [2]string // names of old and now
	old, now runSet
}

// runSet is one of the two sets of runs that a comparer compares.
type runSet struct {
	records           []Record
	observations      []observation
	failed            map[Place]string // why cases have no results, by Place.caseKey
	withoutThroughput map[Place]bool   // points of other cases that have no throughput, by Place.directionKey
}

// addObservations collects the points of all runs of the set. It returns an error if the set contains a run twice,
// because the run would then have twice the weight.
func (s *runSet) addObservations() error {
	s.failed, s.withoutThroughput = map[Place]string{}, map[Place]bool{}
	paths := map[string]string{}
	for i := range s.records {
		r := &s.records[i]
		if path, twice := paths[r.RunID]; twice {
			return fmt.Errorf("%s and %s hold the same run, %s", path, r.Path, r.RunID)
		}
		paths[r.RunID] = r.Path
		index := 0
		for _, part := range r.Parts() {
			s.addPart(&part, index)
			index += len(part.Cases)
		}
	}
	return nil
}

// addPart collects the points of a part of a run. first is the index of its first case in the run.
func (s *runSet) addPart(r *Record, first int) {
	for _, o := range newObservations(r, conditionsOfRun(r.Document)) {
		o.index += first
		s.observations = append(s.observations, o)
	}
	for _, c := range r.Cases {
		switch {
		case c.Error != nil:
			s.failed[PlaceOf(r.Parameters, c, "").caseKey()] = string(c.State) + ": " + c.Error.Message
		case c.State == result.Failed || c.State == result.Interrupted:
			s.failed[PlaceOf(r.Parameters, c, "").caseKey()] = string(c.State)
		}
		for _, p := range c.Points() {
			if slices.Min(p.Throughputs()) <= 0 {
				s.withoutThroughput[PlaceOf(r.Parameters, c, p.Operation).directionKey()] = true
			}
		}
	}
}

// runIDsOf returns the ids of the runs of observations.
func runIDsOf(all []observation) []string {
	ids := make([]string, len(all))
	for i, o := range all {
		ids[i] = o.run.RunID
	}
	return ids
}

// noThroughputReason returns why the set has no throughput for the point p, as far as its cases say so, and whether the
// case of this point failed.
func (s *runSet) noThroughputReason(p Place) (reason string, failed bool) {
	switch {
	case s.failed[p.caseKey()] != "":
		return s.failed[p.caseKey()], true
	case s.withoutThroughput[p.directionKey()]:
		return "has no throughput: " + figures.NoThroughput, false
	}
	return "", false
}

// runIDs returns the ids of the runs.
func (s *runSet) runIDs() []string {
	ids := make([]string, len(s.records))
	for i, r := range s.records {
		ids[i] = r.RunID
	}
	return ids
}

// checkAllowed returns an error if a condition that is allowed to differ is not a condition of any point.
func (c *comparer) checkAllowed() error {
	var names []string
	for _, o := range slices.Concat(c.old.observations, c.now.observations) {
		for _, s := range o.decisive {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	for _, name := range c.allowed {
		if !slices.Contains(names, name) {
			slices.Sort(names)
			return fmt.Errorf("condition %q cannot be allowed to differ, because no point has it; the conditions "+
				"of points are: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// matchedPoint is a point that both sets have, with its results in all runs of each set.
type matchedPoint struct {
	names    [2]string // names of the sets
	old, now []observation
}

// comparisonKey returns, as text, the conditions that must be equal for points to be compared.
func (c *comparer) comparisonKey(o observation) string {
	allowed := func(s Condition) bool { return slices.Contains(c.allowed, s.Name) }
	return conditionsText(slices.DeleteFunc(slices.Clone(o.decisive), allowed))
}

// groupByKey groups observations by their comparisonKey. order lists the keys in the order of their first observations.
func (c *comparer) groupByKey(all []observation) (groups map[string][]observation, order []string) {
	groups = map[string][]observation{}
	for _, o := range all {
		key := c.comparisonKey(o)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], o)
	}
	return groups, order
}

// treeKey returns, as text, the conditions that must be equal for the points of different runs to be in one group.
func (c *comparer) treeKey(o observation) string { return conditionsText(c.treeConditions(o)) }

// treeConditions returns the conditions that all points of a run share, without those that are allowed to differ.
func (c *comparer) treeConditions(o observation) []Condition {
	ofPlace := o.place.placeConditions()
	return slices.DeleteFunc(slices.Clone(o.decisive), func(s Condition) bool {
		return s.Name == "page_cache" || slices.Contains(ofPlace, s) || slices.Contains(c.allowed, s.Name)
	})
}

// runsOfTrees returns the ids of the runs that have observations, by treeKey.
func (c *comparer) runsOfTrees(all []observation) map[string][]string {
	runs := map[string][]string{}
	for _, o := range all {
		key := c.treeKey(o)
		runs[key] = appendMissing(runs[key], []string{o.run.RunID})
	}
	return runs
}

// dropEarlyRuns drops the observations of old runs that are too early; see CompareOptions.EarlierRuns.
func (c *comparer) dropEarlyRuns(out *Comparison) {
	old, now := c.runsOfTrees(c.old.observations), c.runsOfTrees(c.now.observations)
	for key, runs := range old {
		if len(now[key]) == 1 && len(runs) > MaxEarlierRuns {
			addCaution(&out.Cautions, "latest runs", "", "A single run is compared with at most the last %d runs "+
				"before it.", MaxEarlierRuns)
			old[key] = runs[len(runs)-MaxEarlierRuns:]
		}
	}
	c.old.observations = slices.DeleteFunc(c.old.observations,
		func(o observation) bool { return !slices.Contains(old[c.treeKey(o)], o.run.RunID) })
}

// compareTrees compares the points that both sets have, and groups of those points whose runs have equal conditions.
func (c *comparer) compareTrees(out *Comparison) {
	trees, order := map[string][]matchedPoint{}, []string{}
	for _, m := range c.matchPoints() {
		key := c.treeKey(m.now[0])
		trees[key], order = append(trees[key], m), appendMissing(order, []string{key})
	}
	for _, key := range order {
		var points []pointValues
		var old, now []string
		for _, m := range trees[key] {
			p := m.compareRuns()
			p.tree = key
			if out.Points = append(out.Points, p); p.Verdict != NotComparable {
				points = append(points, m.pointValues())
			}
			old, now = appendMissing(old, runIDsOf(m.old)), appendMissing(now, runIDsOf(m.now))
		}
		for _, g := range newComparedGroups(points) {
			g.Conditions, g.tree = c.treeConditions(trees[key][0].now[0]), key
			out.Groups = append(out.Groups, g)
		}
		if run := trees[key][0].now[0].run; len(now) == 1 && len(old) > 1 {
			out.Positions = append(out.Positions, RunPosition{
				Identity: run.Identity, RunID: run.RunID, Started: run.Started, Runs: len(old), tree: key,
			})
		}
	}
}

// matchPoints returns the points that both sets have.
func (c *comparer) matchPoints() (all []matchedPoint) {
	old, order := c.groupByKey(c.old.observations)
	now, _ := c.groupByKey(c.now.observations)
	for _, key := range order {
		if now[key] != nil {
			all = append(all, matchedPoint{c.names, old[key], now[key]})
		}
	}
	return all
}

// pointValues returns the values of the point in the runs of both sets.
func (m matchedPoint) pointValues() pointValues {
	return pointValues{m.now[0].place, m.now[0].cache, mediansOfRuns(m.old), mediansOfRuns(m.now)}
}

// compareRuns compares a point by the medians of its runs. The runs of one set must be independent of the runs of the
// other set.
func (m matchedPoint) compareRuns() ComparedPoint {
	out := m.newComparedPoint()
	if out.Verdict == NotComparable {
		return out
	}
	values := m.pointValues()
	old, now := valuesOfRuns(values.old), valuesOfRuns(values.now)
	out.Difference, out.Verdict = newDifferenceOfRuns(old, now)
	if out.Difference.Test == Untested {
		old, now = observedValues(m.old), observedValues(m.now)
	}
	out.Old, out.New = newPointSummary(len(values.old), old), newPointSummary(len(values.now), now)
	out.addSampleCautions(m.names[0], old)
	out.addSampleCautions(m.names[1], now)
	out.addMedianCaution(m.names)
	return out
}

// comparePairs compares a point whose samples were measured alternately in both sets.
func (m matchedPoint) comparePairs() ComparedPoint {
	out := m.newComparedPoint()
	if out.Verdict == NotComparable {
		return out
	}
	var old, now []float64
	for i := range m.old {
		a, b := pairedValues(m.old[i], m.now[i])
		old, now = append(old, a...), append(now, b...)
	}
	if len(old) == 0 {
		out.Verdict, out.Reason = NotComparable, "no iteration was measured in both"
		return out
	}
	out.Old, out.New = newPointSummary(len(m.old), old), newPointSummary(len(m.now), now)
	out.Difference = newTestedDifference(TestByPairs,
		func(level float64) stats.TestedRatio { return stats.PairedTest(old, now, level) })
	out.addMedianCaution(m.names)
	return out
}

// newComparedPoint returns the comparison of a point, still without measured values: only the point, its conditions,
// the conditions that differ, and cautions; and the reason if the point cannot be compared.
func (m matchedPoint) newComparedPoint() ComparedPoint {
	out := ComparedPoint{
		Place: m.now[0].place, Conditions: m.now[0].decisive, Verdict: NoDifference, Differs: m.differingConditions(),
	}
	for _, o := range slices.Concat(m.old, m.now) {
		addPointCautions(&out.Cautions, o.point, "Run "+o.run.RunID, o.run.Parameters.Iterations)
	}
	if out.Reason = m.otherAmountsReason(); out.Reason != "" {
		out.Verdict, out.Old, out.New = NotComparable, unmatchedSummary(m.old), unmatchedSummary(m.now)
	}
	return out
}

// otherAmountsReason returns why the throughputs of a workload cannot be compared, or "". If equal sizes are moved in
// other amounts of bytes, such as objects of another kind, a higher throughput is not a shorter time.
func (m matchedPoint) otherAmountsReason() string {
	old, now := m.old[0], m.now[0]
	a, b := old.run.Parameters.Workload, now.run.Parameters.Workload
	if old.place.Class != "" || a == nil || b == nil || !slices.Equal(a.Sizes, b.Sizes) ||
		slices.Equal(a.Chosen, b.Chosen) { // then --time-limit may have cut them differently
		return ""
	}
	bytesA, bytesB := old.point.Samples[0].Bytes, now.point.Samples[0].Bytes
	if bytesA == bytesB {
		return ""
	}
	return fmt.Sprintf("%s in %s and %s in %s, with equal sizes of the workload: compare their times with h5perf vary",
		units.FormatBytes(float64(bytesA)), m.names[0], units.FormatBytes(float64(bytesB)), m.names[1])
}

// maxMedianGap is the largest relative deviation of the difference from the ratio of the medians that needs no caution.
const maxMedianGap = 0.05

// addMedianCaution adds a caution if the difference that the test found deviates much from the ratio of the two
// medians, which are shown next to it. The caution says why.
func (c *ComparedPoint) addMedianCaution(names [2]string) {
	d, medians := c.Difference, c.New.Median/c.Old.Median
	if math.Abs(math.Log(d.Ratio/medians)) <= math.Log1p(maxMedianGap) {
		return
	}
	percent := func(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
	if percent(medians) == percent(d.Ratio) { // both are near 0
		return
	}
	why := "within the pairs, and throughput varies more between pairs than within a pair"
	if d.Test != TestByPairs {
		why = fmt.Sprintf("between each value of %s and each value of %s; one side has outliers, or its values form "+
			"more than one group", names[1], names[0])
	}
	addCaution(&c.Cautions, "not that of the medians", "", "The medians differ by %s, but the difference in this "+
		"comparison is %s: this is the difference %s.", percent(medians), percent(d.Ratio), why)
}

// addSampleCautions adds cautions if there are too few values for an interval, if the values drift, or if they depend
// on one another so much that the interval may be too narrow. A single run gets no caution about the missing interval,
// because nobody expects one.
func (c *ComparedPoint) addSampleCautions(name string, figures []float64) {
	n := len(figures)
	if n > 1 && n < stats.MinSamples(stats.Level) {
		addCaution(&c.Cautions, "few values", "more runs", "%s has too few values for an interval: %d, and it needs "+
			"%d.", name, n, stats.MinSamples(stats.Level))
	}
	if p := stats.DriftP(figures); p <= 0.01 {
		addCaution(&c.Cautions, "drift", "h5perf ab", "%s drifts (p %.2g): the difference may come from the order of "+
			"measurements.", name, p)
	}
	if stats.Median(figures, stats.Level).TooDependent {
		addCaution(&c.Cautions, "autocorrelated", "more runs", "Values of %s depend on the values before them: p "+
			"and the intervals may be too small.", name)
	}
}

// differingConditions returns the conditions that differ but do not prevent a comparison: reported and allowed ones.
func (m matchedPoint) differingConditions() []ConditionChange {
	all := slices.Concat(m.old, m.now)
	settings := make([]map[string]string, len(all))
	var names []string
	for i, o := range all {
		settings[i] = map[string]string{}
		for _, s := range slices.Concat(o.decisive, o.reported) {
			settings[i][s.Name] = s.Value
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	values := func(of []map[string]string, name string) (values []string) {
		for _, s := range of {
			if v := s[name]; !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		return values
	}
	var changes []ConditionChange
	for _, name := range names {
		old, now := values(settings[:len(m.old)], name), values(settings[len(m.old):], name)
		if !slices.Equal(old, now) {
			changes = append(changes, ConditionChange{name, strings.Join(old, ", "), strings.Join(now, ", ")})
		}
	}
	return changes
}
