package history

import (
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/plain"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Verdict is the conclusion from the comparison of a point.
type Verdict string

// The verdicts. Better and Worse mean that a difference was shown. NoDifference does not mean that the points are
// equal: there may be too few samples to show a small difference.
const (
	Better        Verdict = "better"
	Worse         Verdict = "worse"
	NoDifference  Verdict = "no difference shown"
	NotJudged     Verdict = "not judged" // one run on each side
	NotComparable Verdict = "not comparable"
)

// The tests by which points are compared.
const (
	TestByPairs      = "signed rank of pairs"          // runs measured alternately: pairs of samples
	TestByRuns       = "Mann-Whitney of runs"          // each run counts once, by its median
	TestByPrediction = "t test of one run with others" // one run in one set, several in the other
	Untested         = "none"                          // one run in each set
)

// Comparison is the result of a comparison of two sets of runs. Package stats defines the probabilities and intervals.
type Comparison struct {
	Version int `json:"comparison_version"` // 1
	// the probability that all verdicts and all intervals of differences hold; also the confidence level of the
	// intervals of Old and New
	Level  float64         `json:"level"`
	Old    []string        `json:"old_run_ids"`
	New    []string        `json:"new_run_ids"`
	Groups []ComparedGroup `json:"groups,omitempty"` // groups of points that are also compared as a whole
	Points []ComparedPoint `json:"points"`
	// where single runs of NEW lie within several runs of OLD
	Positions []RunPosition   `json:"positions,omitempty"`
	Cautions  []plain.Caution `json:"cautions,omitempty"` // about the comparison as a whole

	Names [2]string `json:"-"` // names of the two sets; see CompareOptions
}

// ComparedPoint is the comparison of one point.
type ComparedPoint struct {
	Place
	Conditions []Condition       `json:"settings,omitempty"` // other decisive conditions, if points differ in them
	Old        *PointSummary     `json:"old,omitempty"`
	New        *PointSummary     `json:"new,omitempty"`
	Difference *TestedDifference `json:"difference,omitempty"` // absent if the point is not comparable
	Verdict    Verdict           `json:"verdict"`
	Reason     string            `json:"reason,omitempty"`   // why the point is not comparable
	Differs    []ConditionChange `json:"differs,omitempty"`  // conditions that differ without preventing the comparison
	Cautions   []plain.Caution   `json:"cautions,omitempty"` // about the verdict and the values
	// OLD has results, but in NEW the case failed or was interrupted
	Failed bool `json:"failed_in_new"`

	tree string // see ComparedGroup
}

// PointSummary summarises the values of a point in one set of runs, in bytes per second or, if the point has a class,
// in objects per second. A value is a sample if the point is compared by samples or pairs. It is the median of a run if
// the point is compared by runs.
type PointSummary struct {
	Runs   int      `json:"runs"`
	Count  int      `json:"count"`
	Median float64  `json:"median"`
	Low    *float64 `json:"low,omitempty"`  // lower bound of the interval; absent with too few values
	High   *float64 `json:"high,omitempty"` // upper bound of the interval
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
}

// TestedDifference is the result of a test of new values against old values.
type TestedDifference struct {
	Test       string   `json:"test"`
	Ratio      float64  `json:"ratio"`                // new value divided by old value
	Level      float64  `json:"level"`                // confidence level of the interval, corrected (Holm)
	Low        *float64 `json:"low_ratio,omitempty"`  // lower bound of the interval; absent with too few values
	High       *float64 `json:"high_ratio,omitempty"` // upper bound of the interval
	P          float64  `json:"p"`                    // two-sided p-value
	CorrectedP float64  `json:"corrected_p"`          // p-value corrected for all points and groups; see setVerdicts
	// the largest ratio that would have been shown as a fall, with a probability of 0.9; absent if there are too few
	// values
	DetectableRatio *float64 `json:"visible_ratio,omitempty"`

	smallestP   float64 // the smallest possible P for this number of values
	extreme     int     // -1 or +1 if the only new value is lower or higher than all old values; otherwise 0
	testAtLevel func(level float64) stats.TestedRatio
}

// ConditionChange is a condition whose value differs between old and new runs. An empty value means that these runs do
// not have the condition.
type ConditionChange struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// newPointSummary summarises the values of a point. runs is the number of runs from which they come.
func newPointSummary(runs int, counted []float64) *PointSummary {
	e := stats.Median(counted, stats.Level)
	f := &PointSummary{Runs: runs, Count: e.N, Median: e.Median, Min: e.Min, Max: e.Max}
	if e.HasInterval() {
		f.Low, f.High = &e.Low, &e.High
	}
	return f
}

// newTestedDifference returns the difference that a test finds. The function at runs the test and computes an interval
// with the given confidence level.
func newTestedDifference(test string, at func(level float64) stats.TestedRatio) *TestedDifference {
	out := &TestedDifference{Test: test, testAtLevel: at}
	d := out.setInterval(stats.Level)
	out.Ratio, out.P, out.smallestP = d.Ratio, d.P, d.SmallestP
	return out
}

// setInterval runs the test at a confidence level, sets the interval, and returns the result of the test.
func (d *TestedDifference) setInterval(level float64) stats.TestedRatio {
	found := d.testAtLevel(level)
	d.Level, d.DetectableRatio = level, nil
	d.Low, d.High = finiteBounds(found.Low, found.High)
	if v := found.DetectableFall(level); v < 1 {
		d.DetectableRatio = new(1 - v)
	}
	return found
}

// finiteBounds returns pointers to the bounds of the interval of a ratio. They are nil if there are too few values for
// an interval.
func finiteBounds(low, high float64) (*float64, *float64) {
	if low <= 0 || math.IsInf(high, 1) {
		return nil, nil
	}
	return &low, &high
}

// reduceConditions removes, from each point and group, the conditions that do not distinguish it from others.
func (c *Comparison) reduceConditions() {
	places, settings := make([]Place, len(c.Points)), make([][]Condition, len(c.Points))
	for i, p := range c.Points {
		places[i], settings[i] = p.Place, p.Conditions
	}
	for i, kept := range distinguishingConditions(places, settings) {
		c.Points[i].Conditions = kept
	}
	settings = make([][]Condition, len(c.Groups))
	for i, g := range c.Groups {
		settings[i] = g.Conditions
	}
	for i, kept := range distinguishingConditions(make([]Place, len(c.Groups)), settings) {
		c.Groups[i].Conditions = kept
	}
}

// judgedDifference is a difference that is tested together with others, and the verdict about it.
type judgedDifference struct {
	*TestedDifference
	verdict *Verdict
}

// judgeDifferences corrects the p-values of differences by the method of Holm, and sets their verdicts. share is their
// share of the permitted probability of a false verdict.
func judgeDifferences(all []judgedDifference, share float64) {
	p := make([]float64, len(all))
	for i, d := range all {
		p[i] = d.P
	}
	levels := stats.HolmLevels(p, share*(1-stats.Level))
	for i, corrected := range stats.Holm(p) {
		d := all[i]
		d.CorrectedP = min(1, corrected/share)
		d.setInterval(1 - levels[i])
		switch {
		case d.CorrectedP > 1-stats.Level:
		case d.Ratio > 1:
			*d.verdict = Better
		case d.Ratio < 1:
			*d.verdict = Worse
		}
	}
}

// setVerdicts corrects the p-values for the number of points and groups, and sets the verdicts. As in stats.Search,
// half of the permitted probability of a false verdict is for the points, and the other half for the groups, most of it
// for the groups of all points. Without groups, all of it is for the points. share is the part of 1 - stats.Level that
// is permitted: 1, or less if the comparison is repeated with other runs.
func (c *Comparison) setVerdicts(share float64) {
	var points, widest, others []judgedDifference
	untested := 0
	for i := range c.Points {
		switch p := &c.Points[i]; {
		case p.Difference == nil:
		case p.Difference.Test == Untested:
			p.Difference.CorrectedP = p.Difference.P
			untested++
		default:
			points = append(points, judgedDifference{p.Difference, &p.Verdict})
		}
	}
	for i := range c.Groups {
		switch g := &c.Groups[i]; {
		case g.Difference.Test == Untested:
			g.Difference.CorrectedP = g.Difference.P
		case g.Operation == "":
			widest = append(widest, judgedDifference{g.Difference, &g.Verdict})
		default:
			others = append(others, judgedDifference{g.Difference, &g.Verdict})
		}
	}
	ofPoints, ofWidest, ofOthers := 1.0/2, 3.0/8, 1.0/8
	switch {
	case len(widest)+len(others) == 0:
		ofPoints = 1
	case len(others) == 0:
		ofWidest = 1.0 / 2
	}
	judgeDifferences(points, share*ofPoints)
	judgeDifferences(widest, share*ofWidest)
	judgeDifferences(others, share*ofOthers)
	if untested > 0 {
		addCaution(&c.Cautions, "one run on each side", "more runs on at least one side, or h5perf ab", "There is one "+
			"run on each side: how much throughput varies from run to run is not known, so no difference is judged.")
	}
	c.addFewValuesCaution(points, (1-stats.Level)*share*ofPoints)
	c.addIndependenceCaution()
}

// addIndependenceCaution adds a caution if intervals of medians, or p-values of several runs on each side, may be too
// small because there are too few values to show whether they depend on one another.
func (c *Comparison) addIndependenceCaution() {
	isFew := func(s *PointSummary) bool { return s != nil && s.Count < stats.MinIndependenceSamples }
	few, byRuns := false, false
	for _, p := range c.Points {
		if p.Difference == nil {
			continue
		}
		for _, s := range []*PointSummary{p.Old, p.New} {
			few = few || isFew(s) && s.Low != nil
			byRuns = byRuns || isFew(s) && p.Difference.Test == TestByRuns
		}
	}
	text := fmt.Sprintf("Fewer than %d values cannot show whether they depend on the values before them. If they do, "+
		"the interval of a median may be too narrow", stats.MinIndependenceSamples)
	switch {
	case byRuns:
		addCaution(&c.Cautions, "dependence unknown", "more runs, or h5perf ab", "%s, and p too small.", text)
	case few:
		addCaution(&c.Cautions, "dependence unknown", "", "%s.", text)
	}
}

// addFewValuesCaution adds a caution if there are too few values to show any difference of a point. alpha is the
// permitted probability of a false verdict about any point.
func (c *Comparison) addFewValuesCaution(points []judgedDifference, alpha float64) {
	n, smallest := len(points), 1.0
	for _, d := range points {
		smallest = min(smallest, d.smallestP)
	}
	if n == 0 || smallest*float64(n) <= alpha {
		return
	}
	needed, what, values := stats.SamplesNeeded(n, alpha), "runs on each side", "values"
	if points[0].Test == TestByPairs {
		needed, what, values = stats.PairsNeeded(n, alpha), "iterations", "iterations"
	}
	addCaution(&c.Cautions, "too few "+values, fmt.Sprintf("at least %d %s", needed, what), "There are too few "+
		"%s: where %s compared, even a large difference cannot be significant.", values,
		units.Count(n, "point is", "points are"))
}

// addCaution adds a caution, unless it is already there. word and help become its keyword and its remedy; format and
// args make its text, as for fmt.Sprintf.
func addCaution(to *[]plain.Caution, word, help, format string, args ...any) {
	if c := (plain.Caution{Keyword: word, Text: fmt.Sprintf(format, args...), Help: help}); !slices.Contains(*to, c) {
		*to = append(*to, c)
	}
}
