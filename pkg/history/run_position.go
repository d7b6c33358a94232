package history

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

const (
	// MaxEarlierRuns is the maximum number of runs before a run with which it is compared.
	MaxEarlierRuns = 30
	// minEarlierRuns is the smallest number of runs before a run with which it is compared.
	minEarlierRuns = 5
	// minReferenceRuns is the smallest number of runs of a reference with which a run is compared.
	minReferenceRuns = 2
)

// RunPosition says where a single run lies within several other runs with equal conditions. Both are tested by
// stats.PredictionTest, which reports whether the run is outside the interval that the other runs predict for one more
// run. The test assumes that a run says little about the next one. In simulations with a coefficient of autocorrelation
// of 0.5, the interval of 6 to 30 runs contained 93 to 97 % of unchanged runs.
type RunPosition struct {
	Identity result.Identity `json:"identity"`
	RunID    string          `json:"run_id"`
	Started  time.Time       `json:"started"`
	Runs     int             `json:"runs"` // number of other runs
	// number of further runs that are needed for a comparison; absent if there are enough
	MissingRuns int `json:"missing_runs,omitempty"`
	// when the reference was set whose runs are the other runs; absent if the other runs are those before the run
	ReferenceTime *time.Time `json:"reference_set,omitempty"`
	// there is a reference, but fewer than 2 of its runs have the conditions of the run, so it is not used
	SmallReference bool `json:"reference_too_small,omitempty"`
	// some series have no values of runs at another level; see seriesLevel
	OtherLevels bool `json:"other_levels_left_out,omitempty"`
	// all points together (see ComparedGroup); absent if there is only one
	All *PointPosition `json:"all,omitempty"`
	// the point that is lower than in the other runs with the smallest p-value; absent if none of several is lower
	Worst *WorstPoint `json:"worst,omitempty"`

	tree     string // see ComparedGroup
	group    string // ID of the group of all series of the run
	accepted bool   // the run belongs to the reference
}

// PointPosition says where the value of a point, or of a group of points, in one run lies within its values in other
// runs.
type PointPosition struct {
	NumPoints int     `json:"points"` // number of points that were tested together with it
	Ratio     float64 `json:"ratio"`  // value in the run divided by the geometric mean of the other runs
	// ends of the range of this ratio in which one more of the other runs is with a probability of 95 %
	ExpectedLow  float64 `json:"expected_low_ratio"`
	ExpectedHigh float64 `json:"expected_high_ratio"`
	// probability that one more of the other runs is at least as far from them; of the worst point, that any point of
	// such a run is, at most (Holm)
	P float64 `json:"p"`
	// p-value corrected for all points and groups; see TestedDifference
	CorrectedP float64 `json:"corrected_p"`
	Verdict    Verdict `json:"verdict"`
	Lowest     bool    `json:"lowest,omitempty"`  // it is below the expected range, and lower than in all other runs
	Highest    bool    `json:"highest,omitempty"` // it is above the expected range, and higher than in all other runs
}

// WorstPoint is the point of a run that is lowest in comparison with other runs.
type WorstPoint struct {
	Place
	Conditions []Condition `json:"settings,omitempty"` // other decisive conditions, if points differ in them
	PointPosition
}

// whole returns the position of all points of the run together or, if there is only one, of this point. It returns nil
// if nothing was compared.
func (r RunPosition) whole() *PointPosition {
	if r.All == nil && r.Worst != nil && r.Worst.NumPoints == 1 {
		return &r.Worst.PointPosition
	}
	return r.All
}

// newPointPosition returns the position that a prediction test found.
func newPointPosition(points int, d *TestedDifference, v Verdict) PointPosition {
	expected := d.testAtLevel(stats.Level)
	return PointPosition{
		NumPoints: points, Ratio: d.Ratio, ExpectedLow: d.Ratio / expected.High, ExpectedHigh: d.Ratio / expected.Low,
		P: d.P, CorrectedP: d.CorrectedP, Verdict: v,
		Lowest: d.extreme < 0 && expected.High < 1, Highest: d.extreme > 0 && expected.Low > 1,
	}
}

// setPosition sets the fields All and Worst of a position from the points and groups of the comparison.
func (c *Comparison) setPosition(r *RunPosition) {
	for _, g := range c.Groups {
		if g.tree == r.tree && g.Operation == "" && g.Difference.Test == TestByPrediction {
			r.All = new(newPointPosition(g.NumPoints, g.Difference, g.Verdict))
		}
	}
	tested := slices.DeleteFunc(slices.Clone(c.Points), func(p ComparedPoint) bool {
		return p.tree != r.tree || p.Difference == nil || p.Difference.Test != TestByPrediction
	})
	lower := tested
	if len(tested) > 1 {
		lower = slices.DeleteFunc(slices.Clone(tested), func(p ComparedPoint) bool { return p.Difference.Ratio >= 1 })
	}
	if len(lower) == 0 {
		return
	}
	worst := slices.MinFunc(lower, func(a, b ComparedPoint) int {
		return cmp.Or(cmp.Compare(a.Difference.P, b.Difference.P), cmp.Compare(a.Difference.Ratio, b.Difference.Ratio))
	})
	r.Worst = &WorstPoint{
		Place: worst.Place, Conditions: worst.Conditions,
		PointPosition: newPointPosition(len(tested), worst.Difference, worst.Verdict),
	}
	p := make([]float64, len(tested))
	for i, point := range tested {
		p[i] = point.Difference.P
	}
	at := slices.IndexFunc(tested, func(p ComparedPoint) bool { return p.Difference == worst.Difference })
	r.Worst.P = stats.Holm(p)[at]
}

// findPositions sets where the newest run of each identity lies within the runs of the reference or, without a
// reference, within the runs before it. All of them are corrected together, as Compare does. settings holds the
// conditions that distinguish each tree from the others.
func (f *forest) findPositions(t *Trend, settings [][]Condition, references []PinnedReference) {
	newest := map[result.Identity]int{} // indices of trees
	for i, of := range f.trees {
		k, there := newest[of.identity]
		if !there || of.newestRun().Started.After(f.trees[k].newestRun().Started) {
			newest[of.identity] = i
		}
	}
	ongoing := slices.DeleteFunc(t.seriesAndGroups(), func(of SeriesOrGroup) bool {
		found, _ := of.findings()
		return found.OngoingIncident() == nil
	})
	var c Comparison
	var compared []*Series // the series of each point of c
	for i, of := range f.trees {
		if newest[of.identity] != i {
			continue
		}
		position, others := of.newPosition(references)
		position.tree, position.group = strconv.Itoa(i), of.groupID(settings[i])
		if position.MissingRuns == 0 {
			compared = append(compared, of.compareNewestRun(&c, t.Series, ongoing, &position, others)...)
		}
		t.Newest = append(t.Newest, position)
	}
	budget := stats.NewBudget(1)
	if t.Nightly {
		budget = stats.NewNightlyBudget(1)
	}
	c.setVerdicts(budget.ForNewestNight())
	for i, s := range compared {
		if p := c.Points[i]; p.Difference.Test == TestByPrediction {
			s.Newest = new(newPointPosition(1, p.Difference, p.Verdict))
		}
	}
	for i := range t.Newest {
		r := &t.Newest[i]
		c.setPosition(r)
		for k := range t.Groups {
			if g := &t.Groups[k]; g.ID == r.group || strings.HasPrefix(g.ID, r.group+"/") {
				g.Newest = c.positionOf(*g, r.tree)
			}
		}
	}
	slices.SortFunc(t.Newest, func(a, b RunPosition) int { return compareIdentities(a.Identity, b.Identity) })
}

// positionOf returns the position of a group of series in the newest run of its tree, or nil if it has none.
func (c *Comparison) positionOf(of SeriesGroup, tree string) *PointPosition {
	for _, g := range c.Groups {
		if g.tree == tree && g.Operation == of.Operation && g.PageCache == of.PageCache && g.API == of.API &&
			g.Difference.Test == TestByPrediction {
			return new(newPointPosition(g.NumPoints, g.Difference, g.Verdict))
		}
	}
	return nil
}

func (of seriesTree) newestRun() SeriesRun { return of.runs[len(of.runs)-1] }

// newPosition returns the position of the newest run, still without results, and the ids of the runs with which it is
// compared.
func (of seriesTree) newPosition(references []PinnedReference) (position RunPosition, others []string) {
	newest := of.newestRun()
	position = RunPosition{Identity: of.identity, RunID: newest.RunID, Started: newest.Started}
	nights, set := of.referenceRuns(references)
	for _, night := range nights {
		if id := of.runs[night].RunID; id != newest.RunID {
			others = append(others, id)
		} else {
			position.accepted = true
		}
	}
	if len(others) >= minReferenceRuns {
		position.Runs, position.ReferenceTime = len(others), &set
		return position, others
	}
	position.SmallReference = slices.ContainsFunc(references,
		func(p PinnedReference) bool { return p.Identity == of.identity })
	before := of.runs[:len(of.runs)-1]
	others = nil
	for _, r := range before[max(0, len(before)-MaxEarlierRuns):] {
		others = append(others, r.RunID)
	}
	position.Runs, position.MissingRuns = len(others), max(0, minEarlierRuns-len(others))
	return position, others
}

// compareNewestRun adds the points and groups of the newest run to a comparison, still without verdicts. It returns the
// series of each point. Without a reference, the values of a series that are at another level are left out. ongoing
// holds the series and groups with an ongoing incident.
func (of seriesTree) compareNewestRun(c *Comparison, series []Series, ongoing []SeriesOrGroup, position *RunPosition,
	others []string,
) (all []*Series) {
	var points []pointValues
	for _, i := range of.seriesIndices {
		s := &series[i]
		values := pointValues{place: s.Place, cache: s.PageCache}
		var before []SeriesRun
		for _, r := range s.Runs {
			switch {
			case r.RunID == position.RunID:
				values.now = append(values.now, runValue{r.RunID, r.Median})
			case slices.Contains(others, r.RunID):
				before = append(before, r)
			}
		}
		if position.ReferenceTime == nil {
			kept := levelOf(s, ongoing).runsAtLevel(before)
			position.OtherLevels = position.OtherLevels || len(kept) < len(before)
			before = kept
		}
		for _, r := range before {
			values.old = append(values.old, runValue{r.RunID, r.Median})
		}
		if len(values.old) == 0 || len(values.now) == 0 {
			continue
		}
		points, all = append(points, values), append(all, s)
		p := ComparedPoint{Place: s.Place, Conditions: s.Conditions, tree: position.tree}
		p.Difference, p.Verdict = newDifferenceOfRuns(valuesOfRuns(values.old), valuesOfRuns(values.now))
		c.Points = append(c.Points, p)
	}
	for _, g := range newComparedGroups(points) {
		g.tree = position.tree
		c.Groups = append(c.Groups, g)
	}
	return all
}

// seriesLevel says since when a series is at its present level. The zero time means that there was no change.
type seriesLevel struct {
	changed  time.Time // start of its last lasting change
	incident time.Time // start of its ongoing incident, or of one of the groups around it
}

// levelOf returns the level of a series. ongoing holds the series and groups with an ongoing incident.
func levelOf(s *Series, ongoing []SeriesOrGroup) (level seriesLevel) {
	if n := len(s.ChangePoints); n > 0 {
		level.changed = s.ChangePoints[n-1].Since
	}
	own := newSeriesOrGroup(s)
	for _, of := range ongoing {
		found, _ := of.findings()
		i := found.OngoingIncident()
		if of.Contains(own) && (level.incident.IsZero() || i.Since.Before(level.incident)) {
			level.incident = i.Since
		}
	}
	return level
}

// runsAtLevel returns the runs with which a further run can be compared: those of the present level without the ongoing
// incident. While there are fewer than minEarlierRuns, it returns the runs before the change.
func (l seriesLevel) runsAtLevel(runs []SeriesRun) []SeriesRun {
	if !l.incident.IsZero() {
		runs = slices.DeleteFunc(slices.Clone(runs), func(r SeriesRun) bool { return !r.Started.Before(l.incident) })
	}
	at := slices.IndexFunc(runs, func(r SeriesRun) bool { return !r.Started.Before(l.changed) })
	switch {
	case at < 0:
		return runs
	case len(runs)-at < minEarlierRuns && at > 0:
		return runs[:at]
	}
	return runs[at:]
}
