package history

import (
	"cmp"
	"slices"
	"strconv"
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
	// all points together (see ComparedGroup); absent if there is only one
	All *PointPosition `json:"all,omitempty"`
	// the point that is lower than in the other runs with the smallest p-value; absent if none of several is lower
	Worst *WorstPoint `json:"worst,omitempty"`

	tree string // see ComparedGroup
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
}

// WorstPoint is the point of a run that is lowest in comparison with other runs.
type WorstPoint struct {
	Place
	Conditions []Condition `json:"settings,omitempty"` // other decisive conditions, if points differ in them
	PointPosition
}

// newPointPosition returns the position that a prediction test found.
func newPointPosition(points int, d *TestedDifference, v Verdict) PointPosition {
	expected := d.testAtLevel(stats.Level)
	return PointPosition{
		NumPoints: points, Ratio: d.Ratio, ExpectedLow: d.Ratio / expected.High, ExpectedHigh: d.Ratio / expected.Low,
		P: d.P, CorrectedP: d.CorrectedP, Verdict: v,
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

// findPositions returns where the newest run of each identity lies within the runs of the reference or, without a
// reference, within the runs before it. All of them are corrected together, as Compare does.
func (f *forest) findPositions(series []Series, references []PinnedReference) (all []RunPosition) {
	newest := map[result.Identity]int{} // indices of trees
	for i, of := range f.trees {
		k, there := newest[of.identity]
		if !there || of.newestRun().Started.After(f.trees[k].newestRun().Started) {
			newest[of.identity] = i
		}
	}
	var c Comparison
	for i, of := range f.trees {
		if newest[of.identity] != i {
			continue
		}
		position, others := of.newPosition(references)
		position.tree = strconv.Itoa(i)
		if position.MissingRuns == 0 {
			of.compareNewestRun(&c, series, position, others)
		}
		all = append(all, position)
	}
	c.setVerdicts()
	for i := range all {
		c.setPosition(&all[i])
	}
	slices.SortFunc(all, func(a, b RunPosition) int { return compareIdentities(a.Identity, b.Identity) })
	return all
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

// compareNewestRun adds the points and groups of the newest run to a comparison, still without verdicts.
func (of seriesTree) compareNewestRun(c *Comparison, series []Series, position RunPosition, others []string) {
	var points []pointValues
	for _, i := range of.seriesIndices {
		s := &series[i]
		values := pointValues{place: s.Place, cache: s.PageCache}
		for _, r := range s.Runs {
			switch {
			case r.RunID == position.RunID:
				values.now = append(values.now, runValue{r.RunID, r.Median})
			case slices.Contains(others, r.RunID):
				values.old = append(values.old, runValue{r.RunID, r.Median})
			}
		}
		if len(values.old) == 0 || len(values.now) == 0 {
			continue
		}
		points = append(points, values)
		p := ComparedPoint{Place: s.Place, Conditions: s.Conditions, tree: position.tree}
		p.Difference, p.Verdict = newDifferenceOfRuns(valuesOfRuns(values.old), valuesOfRuns(values.now))
		c.Points = append(c.Points, p)
	}
	for _, g := range newComparedGroups(points) {
		g.tree = position.tree
		c.Groups = append(c.Groups, g)
	}
}
