package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// inTurns returns one run for each element of slower, measured in turns while the load varies. Each write took that
// many times as long as in the first run.
func inTurns(seed uint64, iterations int, writeOnly bool, slower ...float64) []history.Record {
	rng := rand.New(rand.NewPCG(seed, 0))
	arms := make([]history.Record, len(slower))
	for a := range arms {
		arms[a] = run(fmt.Sprint(a), 0)
		partner := "0"
		if a == 0 {
			partner = "1"
		}
		arms[a].Pair = &result.Pair{Arm: result.ValuesOf[result.Arm]()[a], PartnerRunID: partner}
		arms[a].Parameters.WriteOnly = writeOnly
		arms[a].Cases = []result.Case{{State: result.Complete, API: result.PHDF5}}
	}
	load := 0.0
	for i := range iterations {
		for _, a := range rng.Perm(len(arms)) {
			load = 0.9*load + 0.1*rng.NormFloat64()
			took := math.Exp(load+0.02*rng.NormFloat64()) * slower[a]
			c := &arms[a].Cases[0]
			sample := result.Sample{
				Operation: result.OperationWrite, Iteration: i + 1, Bytes: 1 << 20,
				Access:  result.Interval{WindowSeconds: took, Max: took},
				Classes: []result.ClassTime{{Class: "create", Interval: result.Interval{Max: took / 10}}},
			}
			c.Samples = append(c.Samples, sample)
			if !writeOnly {
				sample.Operation, sample.Classes = result.OperationRead, nil
				sample.Access.WindowSeconds = math.Exp(load)
				c.Samples = append(c.Samples, sample)
			}
		}
	}
	return arms
}

func rank(t *testing.T, arms []history.Record) history.Ranking {
	t.Helper()
	r, err := history.Rank(arms)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// armOf returns the arm with this name.
func armOf(r history.Ranking, name result.Arm) history.RankedArm {
	for _, one := range r.Arms {
		if one.Arm == name {
			return one
		}
	}
	return history.RankedArm{}
}

func TestTheFastestLayoutIsFound(t *testing.T) {
	r := rank(t, inTurns(1, 14, false, 1, 2, 0.3, 1))
	c, b := armOf(r, "C"), armOf(r, "B")
	if r.Arms[0].Arm != "C" || !c.Best || armOf(r, "A").Best || b.Best || armOf(r, "D").Best {
		t.Errorf("arms %+v", r.Arms)
	}
	for m, want := range map[history.Measure]history.Verdict{
		history.TotalTime: history.Better, history.WriteTime: history.Better, history.StructureTime: history.Better,
		history.ReadTime: history.NoDifference,
	} {
		if d := c.Differences[m]; d == nil || r.Verdict(d) != want {
			t.Errorf("C, %s: %+v, want %s", m, d, want)
		}
	}
	if d := b.Differences[history.WriteTime]; r.Verdict(d) != history.Worse || d.Low == nil || *d.Low <= 1 ||
		d.Ratio < 1.7 || d.Ratio > 2.3 {
		t.Errorf("B: %+v", d)
	}
}

// All conclusions of a ranking hold together: if all layouts are equal, or one is the fastest, at most 5 % of the
// rankings contain a wrong conclusion.
func TestARankingHoldsItsErrorRate(t *testing.T) {
	const worlds = 200
	for name, slower := range map[string][]float64{
		"alike": {1, 1, 1, 1}, "one faster": {1, 1, 0.9, 1}, "nine alike": {1, 1, 1, 1, 1, 1, 1, 1, 1},
		"41 alike": slices.Repeat([]float64{1}, 41),
	} {
		wrong := 0
		for world := range worlds {
			r := rank(t, inTurns(uint64(world), 16, true, slower...))
			failed := false
			for i := range slower {
				arm := armOf(r, result.ValuesOf[result.Arm]()[i])
				for _, d := range arm.Differences {
					failed = failed || slower[i] == 1 && r.Verdict(d) != history.NoDifference
				}
				fastest := slower[i] < 1 || name != "one faster"
				failed = failed || fastest && !arm.Best
			}
			if failed {
				wrong++
			}
		}
		// 5 % plus three standard deviations of the count
		if most := 0.05*worlds + 3*math.Sqrt(0.05*worlds); float64(wrong) > most {
			t.Errorf("%s: %d of %d rankings are wrong, want %.0f at most", name, wrong, worlds, most)
		}
	}
}

func TestAsManyPairsAsNeededShowALargeDifference(t *testing.T) {
	for _, arms := range []int{2, 9} {
		pairs, tests := history.RankingPairs(arms, result.Parameters{WriteOnly: true})
		slower := make([]float64, arms)
		for i := range slower {
			slower[i] = 1
		}
		slower[1] = 10
		for _, n := range []int{pairs, pairs - 1} {
			r := rank(t, inTurns(3, n, true, slower...))
			d := armOf(r, "B").Differences[history.WriteTime]
			if shown := r.Verdict(d) == history.Worse; shown != (n == pairs) || r.PairsNeeded != pairs ||
				r.Tests != tests {
				t.Errorf("%d arms, %d pairs: shown %v, %d needed", arms, n, shown, r.PairsNeeded)
			}
		}
	}
}

func TestAConfigurationThatFailedHasNoRank(t *testing.T) {
	arms := inTurns(1, 12, true, 1, 0.5, 1)
	arms[1].Cases[0].State, arms[1].Cases[0].Error = result.Failed, &result.Error{Message: "as asked"}
	r := rank(t, arms)
	b := r.Arms[2]
	if b.Arm != "B" || b.Missing != "failed: as asked" || b.Best || len(b.Seconds) > 0 || len(b.Differences) > 0 {
		t.Errorf("B: %+v", b)
	}
	arms[1].Cases[0] = result.Case{State: result.Skipped, Reason: "no time"}
	if b := rank(t, arms).Arms[2]; b.Missing != "skipped: no time" || b.Best {
		t.Errorf("B: %+v", b)
	}
	if c := armOf(r, "C"); len(c.Differences) != 2 || !c.Best {
		t.Errorf("C: %+v", c)
	}
	arms[2].Pair.PartnerRunID = "x"
	if _, err := history.Rank(arms); err == nil || !strings.Contains(err.Error(), "was not measured in turns with 0") {
		t.Errorf("error %v", err)
	}
}

func TestAnyTwoOfSeveralConfigurationsArePairs(t *testing.T) {
	arms := inTurns(1, 12, true, 1, 2, 4)
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}, {2, 1}} {
		p := compareOnePoint(t, arms[pair[0]:pair[0]+1], arms[pair[1]:pair[1]+1])
		if p.Difference.Test != history.TestByPairs || p.Old.Count != 12 {
			t.Errorf("%v: %+v", pair, p.Difference)
		}
	}
	arms[2].RunID, arms[2].Pair.PartnerRunID = "z", "y" // partner of another run
	if p := compareOnePoint(t, arms[:1], arms[2:]); p.Difference.Test != history.Untested {
		t.Errorf("%+v", p.Difference)
	}
}
