package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/history"
)

// nightlyRuns returns one run per day. Throughput varies by 3 % around 1 GB/s, multiplied by what level returns for the
// day.
func nightlyRuns(count int, level func(day int) float64) (records []history.Record) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range count {
		records = append(records, run(fmt.Sprintf("run%05d", i), i, 1e9*level(i)*math.Exp(0.03*rng.NormFloat64())))
	}
	return records
}

// The last change does not say where throughput is now, if it fell slowly or came back in part. The comparison with the
// best level does.
func TestThePresentIsComparedWithTheBestLevel(t *testing.T) {
	slowly := func(day int) float64 { return math.Exp(-0.01 * max(0, float64(day-30)) / 7) }
	for name, c := range map[string]struct {
		days    int
		level   func(day int) float64
		want    history.Verdict
		ratio   float64
		changes history.Verdict // what the last change says
	}{
		"slowly":  {365, slowly, history.Worse, slowly(358), history.Worse},
		"in part": {80, steps(40, 0.7, 60, 0.826), history.Worse, 0.826, history.Better},
		"wholly":  {80, steps(40, 0.7, 60, 1), history.NoDifference, 1, history.Better},
		"twice":   {80, steps(40, 0.8, 60, 0.64), history.Worse, 0.64, history.Worse},
		"once":    {80, steps(40, 0.8, 80, 0), history.Worse, 0.8, history.Worse},
		"better":  {80, steps(40, 0.8, 60, 1.3), history.Better, 1.3, history.Better},
	} {
		records := nightlyRuns(c.days, c.level)
		found, err := trendOf(history.TrendOptions{}, records)
		if err != nil {
			t.Fatal(err)
		}
		s := found.Series[0]
		best := s.Best
		if best == nil || best.Verdict != c.want || math.Abs(best.Ratio/c.ratio-1) > 0.04 || best.LatestRuns != 14 ||
			best.Low == nil || *best.Low > c.ratio || *best.High < c.ratio || s.Verdict != c.changes {
			t.Errorf("%s: %+v, want %s, %g; the last change says %s", name, best, c.want, c.ratio, s.Verdict)
			continue
		}
		if !best.Since.Equal(day) || best.Until.Before(day.AddDate(0, 0, 20)) ||
			best.Until.After(day.AddDate(0, 0, 80)) {
			t.Errorf("%s: level of %s to %s", name, best.Since, best.Until)
		}
		reference := []history.PinnedReference{{Identity: s.Identity, Runs: []string{"run00003"}, Time: day}}
		found, err = trendOf(history.TrendOptions{References: reference}, records)
		if err != nil || found.Series[0].Best != nil || found.Series[0].Reference == nil {
			t.Errorf("%s, with a reference: %v, %+v", name, err, found.Series[0].Present)
		}
	}
	found, err := trendOf(history.TrendOptions{}, nightlyRuns(40, func(int) float64 { return 1 }))
	if err != nil || found.Series[0].Best != nil {
		t.Errorf("without a change: %v, %+v", err, found.Series[0].Best)
	}
}

// steps returns a level that is 1 at first, and has two other values from two days on.
func steps(first int, then float64, second int, last float64) func(day int) float64 {
	return func(day int) float64 {
		switch {
		case day >= second:
			return last
		case day >= first:
			return then
		}
		return 1
	}
}

func TestASeriesThatIsNotMeasuredAnyMoreHasEnded(t *testing.T) {
	for _, c := range []struct {
		name  string
		has   func(day int) bool
		ended int // day of the last run of the second series, or -1
	}{
		{"measured until the end", func(int) bool { return true }, -1},
		{"not in 8 runs", func(day int) bool { return day < 32 }, -1},
		{"not in 10 runs", func(day int) bool { return day < 30 }, 29},
		{"every 14 days", func(day int) bool { return day%14 == 0 }, -1},
		{"every 5 days", func(day int) bool { return day%5 == 0 && day < 26 }, 25},
	} {
		for _, otherConditions := range []bool{false, true} {
			var records []history.Record
			for i := range 40 {
				r := run(fmt.Sprintf("run%05d", i), i, around(1e9, 5)...)
				if c.has(i) && otherConditions {
					other := run(fmt.Sprintf("other%05d", i), i, around(1e9, 5)...)
					other.Parameters.Conditions.Sync = "none"
					records = append(records, other)
				} else if c.has(i) {
					r.Cases = append(r.Cases, measured("mpiio", "write", around(1e9, 5)...))
				}
				records = append(records, r)
			}
			found, err := trendOf(history.TrendOptions{}, records)
			if err != nil {
				t.Fatal(err)
			}
			ended := 0
			for _, s := range found.Series {
				if s.Ended == nil {
					continue
				}
				ended++
				if !s.Ended.Equal(day.AddDate(0, 0, c.ended)) {
					t.Errorf("%s: ended with %s", c.name, s.Ended)
				}
			}
			if (ended == 1) != (c.ended >= 0) {
				t.Errorf("%s, other conditions %v: %d series have ended", c.name, otherConditions, ended)
			}
		}
	}
}
