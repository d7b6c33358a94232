package history

import (
	"fmt"
	"math"

	"h5perf/pkg/stats"
)

// Verdict is what a comparison says of a point.
type Verdict string

// Verdicts. Worse and Better are differences that are shown; that none is shown does not tell that there is none.
const (
	Better        Verdict = "better"
	Worse         Verdict = "worse"
	NoDifference  Verdict = "no difference shown"
	NotComparable Verdict = "not comparable"
)

// The ways in which a point is tested.
const (
	ByPairs   = "sign-flip of pairs"      // measured in turns: sample against sample
	BySamples = "Mann-Whitney of samples" // one run on each side
	ByRuns    = "Mann-Whitney of runs"    // more than one: the median of each run counts once
)

// Comparison is what differs between two sets of runs. Probabilities and intervals are those of pkg/stats.
type Comparison struct {
	Version  int        `json:"comparison_version"` // 1
	Level    float64    `json:"level"`              // of intervals
	Old      []string   `json:"old_run_ids"`
	New      []string   `json:"new_run_ids"`
	Points   []Compared `json:"points"`
	Warnings []string   `json:"warnings,omitempty"` // of the whole
}

// Compared is a point in both sets.
type Compared struct {
	Place
	Settings   []Setting   `json:"settings,omitempty"` // other conditions, where points of the comparison differ in them
	Old        *Figures    `json:"old,omitempty"`
	New        *Figures    `json:"new,omitempty"`
	Difference *Difference `json:"difference,omitempty"` // absent where the point is not comparable
	Verdict    Verdict     `json:"verdict"`
	Reason     string      `json:"reason,omitempty"`   // why it is not comparable
	Differs    []Change    `json:"differs,omitempty"`  // conditions that differ but do not keep it from being compared
	Warnings   []string    `json:"warnings,omitempty"` // why not to trust the verdict
	Failed     bool        `json:"failed_in_new"`      // OLD has figures, in NEW the case failed or was interrupted
}

// Figures are what one set of runs has of a point. What is counted are samples, or runs by their medians.
type Figures struct {
	Runs   int      `json:"runs"`
	Count  int      `json:"count"`
	Median float64  `json:"median_bytes_per_second"`
	Low    *float64 `json:"low_bytes_per_second,omitempty"` // of the interval of the median; absent with too few to count
	High   *float64 `json:"high_bytes_per_second,omitempty"`
	Min    float64  `json:"min_bytes_per_second"`
	Max    float64  `json:"max_bytes_per_second"`
}

// Difference is the new throughput against the old one.
type Difference struct {
	Test       string   `json:"test"`
	Ratio      float64  `json:"ratio"`               // new : old
	Low        *float64 `json:"low_ratio,omitempty"` // of its interval; absent with too few samples
	High       *float64 `json:"high_ratio,omitempty"`
	P          float64  `json:"p"`
	CorrectedP float64  `json:"corrected_p"` // for the number of points compared, by Holm

	smallest float64 // P that so many samples can have
}

// Change is a condition that differs.
type Change struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

func figures(runs int, counted []float64) *Figures {
	e := stats.Median(counted, stats.Level)
	f := &Figures{Runs: runs, Count: e.N, Median: e.Median, Min: e.Min, Max: e.Max}
	if e.Finite() {
		f.Low, f.High = &e.Low, &e.High
	}
	return f
}

func difference(test string, d stats.Difference) *Difference {
	out := &Difference{Test: test, Ratio: d.Ratio, P: d.P, smallest: d.SmallestP}
	out.Low, out.High = bounds(d.Low, d.High)
	return out
}

// bounds are those of the interval of a ratio, absent where there are too few samples for one.
func bounds(low, high float64) (*float64, *float64) {
	if low <= 0 || math.IsInf(high, 1) {
		return nil, nil
	}
	return &low, &high
}

// tell keeps of the settings those that tell points apart.
func (c *Comparison) tell() {
	places, settings := make([]Place, len(c.Points)), make([][]Setting, len(c.Points))
	for i, p := range c.Points {
		places[i], settings[i] = p.Place, p.Settings
	}
	for i, kept := range distinguishing(places, settings) {
		c.Points[i].Settings = kept
	}
}

// judge corrects probabilities for the number of points and gives the verdicts.
func (c *Comparison) judge() {
	var compared []*Compared
	var p []float64
	alone := false
	smallest, test := 1.0, ""
	for i := range c.Points {
		point := &c.Points[i]
		if d := point.Difference; d != nil {
			compared, p = append(compared, point), append(p, d.P)
			smallest, test = min(smallest, d.smallest), d.Test
			alone = alone || d.Test == BySamples
		}
	}
	for i, corrected := range stats.Holm(p) {
		point := compared[i]
		d := point.Difference
		d.CorrectedP = corrected
		switch {
		case corrected > 1-stats.Level:
		case d.Ratio > 1:
			point.Verdict = Better
		case d.Ratio < 1:
			point.Verdict = Worse
		}
	}
	if alone {
		c.warn("one run on each side: what changes from run to run, without any cause of interest, is not in its samples and may pass for a difference; h5perf ab or more runs tell")
	}
	if n := len(compared); n > 0 && smallest*float64(n) > 1-stats.Level {
		needed, what := stats.SamplesNeeded(n, 1-stats.Level), "samples on each side"
		switch test {
		case ByRuns:
			what = "runs on each side"
		case ByPairs:
			needed, what = stats.PairsNeeded(n, 1-stats.Level), "pairs"
		}
		c.warn("too few: among %d points no difference could be shown, however large; that takes %d %s", n, needed, what)
	}
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}
