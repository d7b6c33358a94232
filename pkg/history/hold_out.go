package history

import (
	"fmt"
	"math"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// HoldOut is the proof of a gain: a configuration that a search has chosen, measured in pairs with the unchanged one on
// new files, after the search.
type HoldOut struct {
	Measure    Measure           // the time that is compared
	Chosen     *Record           // the first run of the chosen configuration
	Pairs      int               // number of pairs that were tested
	Seconds    [2]float64        // median times, unchanged and chosen
	Difference *TestedDifference // time divided by that of the unchanged configuration; nil with too few pairs
	Verdict    Verdict           // Better: the gain is confirmed
}

// HoldOutLooks returns the looks at a hold-out, which ends with the first look that shows a gain.
func HoldOutLooks() []stats.Look { return stats.Looks(1-stats.Level, 12, 24, 40) }

// isEndedByResults reports whether the results of a stage decide how often its runs are measured.
func isEndedByResults(stage result.TuneStage) bool {
	return stage == result.TuneSearch || stage == result.TuneCombine || stage == result.TuneHoldOut
}

// TestHoldOut tests times of the same pairs at the last of the looks for which there are enough, on so many pairs. It
// returns a look without pairs if there are too few for the first one. The times of a gain have a ratio below 1.
func TestHoldOut(unchanged, chosen []float64) (look stats.Look, tested stats.TestedRatio) {
	for _, l := range HoldOutLooks() {
		if l.Pairs > len(unchanged) {
			break
		}
		look, tested = l, stats.PairedTest(unchanged[:l.Pairs], chosen[:l.Pairs], 1-l.Alpha)
		if tested.P <= l.Alpha && tested.Ratio < 1 {
			break
		}
	}
	return look, tested
}

// NewHoldOut tests the runs of a hold-out, those of the unchanged configuration first. It returns an error if one
// configuration has no results.
func NewHoldOut(runs []Record) (HoldOut, error) {
	out := HoldOut{Measure: Measures(runs[0].Parameters)[0], Verdict: NotJudged}
	arms, times, err := joinArms(runs, []Measure{out.Measure})
	if err != nil {
		return out, err
	}
	for _, one := range arms {
		if one.Missing != "" {
			return out, fmt.Errorf("hold-out: run %s has no figures: %s", one.Record.RunID, one.Missing)
		}
	}
	if len(arms) != len(out.Seconds) {
		return out, fmt.Errorf("hold-out: %d configurations, not %d", len(arms), len(out.Seconds))
	}
	out.Chosen = arms[1].Record
	from, to := pairedTimes(times[0], times[1], out.Measure)
	look, _ := TestHoldOut(from, to)
	if out.Pairs = look.Pairs; out.Pairs == 0 {
		out.Pairs = len(from)
	}
	from, to = from[:out.Pairs], to[:out.Pairs]
	out.Seconds = [2]float64{stats.SampleMedian(from), stats.SampleMedian(to)}
	if look.Pairs == 0 {
		return out, nil
	}
	d := newTestedDifference(TestByPairs,
		func(level float64) stats.TestedRatio { return stats.PairedTest(from, to, level) })
	d.setInterval(1 - look.Alpha)
	d.CorrectedP = min(1, d.P*(1-stats.Level)/look.Alpha)
	out.Difference, out.Verdict = d, NoDifference
	switch {
	case d.P > look.Alpha:
	case d.Ratio < 1:
		out.Verdict = Better
	default:
		out.Verdict = Worse
	}
	return out, nil
}

// RaceRatios returns, for each arm of a race, the means of its times up to the first, second, ... round, divided by
// those of the first arm in the same rounds. The means are geometric. An arm has a ratio for each round that both arms
// have.
func RaceRatios(runs []Record) (arms []RankedArm, ratios [][]float64, err error) {
	m := Measures(runs[0].Parameters)[0]
	arms, times, err := joinArms(runs, []Measure{m})
	for i := range arms {
		from, to := pairedTimes(times[0], times[i], m)
		own, sum := make([]float64, len(from)), 0.0
		for k := range from {
			sum += math.Log(to[k] / from[k])
			own[k] = math.Exp(sum / float64(1+k))
		}
		ratios = append(ratios, own)
	}
	return arms, ratios, err
}
