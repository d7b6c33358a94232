package history_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// turns returns runs that were measured in turns, with these times of writing, in seconds.
func turns(seconds ...[]float64) (all []history.Record) {
	for i, times := range seconds {
		r := timesRecord(times...)
		r.RunID, r.Pair = fmt.Sprint("r", i), &result.Pair{Arm: result.ValuesOf[result.Arm]()[i], PartnerRunID: "r0"}
		all = append(all, r)
	}
	return all
}

// timesRecord returns a run with these times of writing, in seconds.
func timesRecord(seconds ...float64) history.Record {
	c := result.Case{State: result.Complete}
	for i, s := range seconds {
		c.Samples = append(c.Samples, result.Sample{
			Operation: result.OperationWrite, Iteration: 1 + i, Bytes: 1, Access: result.Interval{WindowSeconds: s},
		})
	}
	return history.Record{Document: result.Document{
		RunID: "r", Cases: []result.Case{c}, Parameters: result.Parameters{WriteOnly: true},
	}}
}

func TestRaceRatiosAreMeansOfRounds(t *testing.T) {
	_, all, err := history.RaceRatios(turns([]float64{1, 2, 4}, []float64{2, 8}, nil, []float64{1, 1, 1}))
	if err != nil || len(all) != 4 {
		t.Fatalf("%v, %v", all, err)
	}
	want := [][]float64{{1, 1, 1}, {2, math.Sqrt(8)}, {}, {1, math.Sqrt(0.5), 0.5}}
	for i := range want {
		if len(all[i]) != len(want[i]) {
			t.Fatalf("%v, want %v", all, want)
		}
		for k := range want[i] {
			if math.Abs(all[i][k]-want[i][k]) > 1e-12 {
				t.Errorf("%v, want %v", all, want)
			}
		}
	}
}

// times returns n times around the level.
func times(n int, level float64) (all []float64) {
	for i := range n {
		all = append(all, level*(1+0.01*float64(i*5%7)))
	}
	return all
}

// A hold-out is judged at its looks only, on the pairs of the first look that shows a gain.
func TestHoldOutIsJudgedAtItsLooks(t *testing.T) {
	for _, c := range []struct {
		pairs, tested int
		ratio         float64
		verdict       history.Verdict
	}{
		{11, 11, 0.5, history.NotJudged},
		{12, 12, 0.8, history.Better},
		{23, 12, 0.8, history.Better},
		{40, 12, 0.8, history.Better},
		{23, 12, 1, history.NoDifference},
		{39, 24, 1, history.NoDifference},
		{40, 40, 1, history.NoDifference},
		{40, 40, 1.3, history.Worse},
	} {
		h, err := history.NewHoldOut(turns(times(c.pairs, 1), times(c.pairs, c.ratio)))
		if err != nil || h.Pairs != c.tested || h.Verdict != c.verdict {
			t.Errorf("%+v: %d pairs, %s, %v", c, h.Pairs, h.Verdict, err)
		}
		if d := h.Difference; (d == nil) != (c.verdict == history.NotJudged) {
			t.Errorf("%+v: %+v", c, d)
		}
	}
	if _, err := history.NewHoldOut(turns([]float64{1}, nil)); err == nil {
		t.Error("a run without samples has a hold-out")
	}
	if _, err := history.NewHoldOut(turns([]float64{1})); err == nil {
		t.Error("a run alone has a hold-out")
	}
}

// A comparison of runs whose results decided how often they were measured says so. Other runs of tune have no such
// caution.
func TestAComparisonOfAHoldOutSaysThatItsResultsEndedIt(t *testing.T) {
	for stage, want := range map[result.TuneStage]int{
		"": 0, result.TuneSearch: 1, result.TuneHoldOut: 1, result.TuneHalf: 0,
	} {
		runs := inTurns(1, 12, true, 1, 0.5)
		for i := range runs {
			runs[i].Pair.Stage = stage
		}
		c, err := history.Compare(runs[:1], runs[1:], history.CompareOptions{})
		if err != nil || len(c.Points) == 0 || want != len(slices.DeleteFunc(c.Cautions, func(c plain.Caution) bool {
			return c.Keyword != "ended by its results"
		})) {
			t.Errorf("%s: %d points, cautions %v, %v", stage, len(c.Points), c.Cautions, err)
		}
	}
}
