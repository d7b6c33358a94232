package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// varied returns one run per day, with writes and reads of three APIs and two sizes: 12 points. Each value varies by
// 4 %, and is multiplied by what level returns for the day and the index of the point.
func varied(seed uint64, count int, level func(day, point int) float64) (records []history.Record) {
	rng := rand.New(rand.NewPCG(seed, 6))
	for i := range count {
		r := run(fmt.Sprintf("run%05d", i), i)
		r.Cases = nil
		for k := range 12 {
			operation := result.OperationWrite
			if k%2 > 0 {
				operation = result.OperationRead
			}
			c := measured([]string{"posix", "mpiio", "phdf5"}[k/4], operation,
				around(1e9*math.Exp(0.04*rng.NormFloat64())*level(i, k), 5)...)
			c.TransferSize = 1 << (20 + k/2%2)
			r.Cases = append(r.Cases, c)
		}
		records = append(records, r)
	}
	return records
}

// lowAtLast is the level of runs of which the last one is lower by 6 %, and one of its points by 30 %.
func lowAtLast(count int) func(day, point int) float64 {
	return func(day, point int) float64 {
		switch {
		case day < count-1:
			return 1
		case point == 7:
			return 0.7
		}
		return 0.94
	}
}

// near reports whether two numbers are equal but for rounding errors.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }

// A trend and a comparison must say the same of the newest run: beside the runs before it, and beside a reference.
func TestTrendAndCompareSayTheSameOfTheNewestRun(t *testing.T) {
	records := varied(5, 41, lowAtLast(41))
	last := records[40:]
	var ids []string
	for _, r := range records[3:12] {
		ids = append(ids, r.RunID)
	}
	reference := []history.PinnedReference{{Identity: last[0].Identity, Runs: ids, Time: day}}
	for name, c := range map[string]struct {
		trend   history.TrendOptions
		old     []history.Record
		compare history.CompareOptions
		runs    int
	}{
		"before":    {history.TrendOptions{}, records[:40], history.CompareOptions{EarlierRuns: true}, 30},
		"reference": {history.TrendOptions{References: reference}, records[3:12], history.CompareOptions{}, 9},
	} {
		found, err := trendOf(c.trend, records)
		if err != nil || len(found.Newest) != 1 {
			t.Fatalf("%s: %v, %+v", name, err, found.Newest)
		}
		compared, err := history.Compare(c.old, last, c.compare)
		if err != nil || len(compared.Positions) != 1 {
			t.Fatalf("%s: %v, %+v", name, err, compared.Positions)
		}
		a, b := found.Newest[0], compared.Positions[0]
		if a.RunID != "run00040" || b.RunID != a.RunID || a.Runs != c.runs || b.Runs != c.runs ||
			(a.ReferenceTime != nil) != (name == "reference") || a.SmallReference {
			t.Errorf("%s: %+v and %+v", name, a, b)
		}
		for _, pair := range [][2]history.PointPosition{
			{*a.All, *b.All}, {a.Worst.PointPosition, b.Worst.PointPosition},
		} {
			x, y := pair[0], pair[1]
			if x.NumPoints != 12 || y.NumPoints != 12 || !near(x.Ratio, y.Ratio) || !near(x.P, y.P) ||
				!near(x.CorrectedP, y.CorrectedP) || !near(x.ExpectedLow, y.ExpectedLow) ||
				!near(x.ExpectedHigh, y.ExpectedHigh) || x.Verdict != y.Verdict {
				t.Errorf("%s: trend has %+v, compare %+v", name, x, y)
			}
		}
		worst := compared.Points[slices.IndexFunc(compared.Points, func(p history.ComparedPoint) bool {
			return p.Place == b.Worst.Place
		})]
		if p := min(1, 12*worst.Difference.P); !near(a.Worst.P, p) {
			t.Errorf("%s: p of the worst is %g, want %g", name, a.Worst.P, p)
		}
		if a.Worst.Place != b.Worst.Place || a.Worst.API != "mpiio" || a.Worst.Operation != result.OperationRead ||
			worst.Difference.CorrectedP != b.Worst.CorrectedP || worst.Verdict != history.Worse {
			t.Errorf("%s: worst %+v and %+v, which is %+v in the table", name, a.Worst, b.Worst, worst.Difference)
		}
		if all := a.All; all.Ratio < 0.88 || all.Ratio > 0.95 || all.Verdict != history.Worse ||
			all.ExpectedLow > 0.99 || all.ExpectedLow < 0.95 || all.ExpectedHigh < 1.01 || all.ExpectedHigh > 1.05 {
			t.Errorf("%s: all %+v", name, all)
		}
	}
}

func TestTheNewestRunNeedsRunsToCompareWith(t *testing.T) {
	records := varied(5, 6, lowAtLast(6))
	for count, missing := range map[int]int{1: 5, 3: 3, 5: 1, 6: 0} {
		found, err := trendOf(history.TrendOptions{}, records[:count])
		if err != nil {
			t.Fatal(err)
		}
		r := found.Newest[0]
		if r.MissingRuns != missing || r.Runs != count-1 || (r.All == nil) != (missing > 0) ||
			(r.Worst == nil) != (missing > 0) {
			t.Errorf("%d runs: %+v", count, r)
		}
	}
	one := []history.PinnedReference{{Identity: records[0].Identity, Runs: []string{"run00001", "run00005"}}}
	found, err := trendOf(history.TrendOptions{References: one}, records)
	if err != nil {
		t.Fatal(err)
	}
	if r := found.Newest[0]; !r.SmallReference || r.ReferenceTime != nil || r.Runs != 5 || r.All == nil {
		t.Errorf("a reference with the newest run and another one: %+v", r)
	}
}

// Each identity has its own newest run. Runs with other conditions are not among the runs before it.
func TestTheNewestRunIsComparedWithRunsOfItsConditions(t *testing.T) {
	records := varied(5, 30, func(int, int) float64 { return 1 })
	for i := range records[:20] {
		records[i].Parameters.Conditions.Sync = "none"
	}
	other := varied(5, 8, func(int, int) float64 { return 1 })
	for i := range other {
		other[i].Identity.Cluster, other[i].RunID = "b", fmt.Sprint("other", i)
	}
	found, err := trendOf(history.TrendOptions{}, slices.Concat(other, records))
	if err != nil || len(found.Newest) != 2 {
		t.Fatalf("%v, %+v", err, found.Newest)
	}
	if r := found.Newest[0]; r.Identity.Cluster != "b" || r.RunID != "other7" || r.Runs != 7 {
		t.Errorf("%+v", r)
	}
	if r := found.Newest[1]; r.RunID != "run00029" || r.Runs != 9 || r.All == nil || r.All.NumPoints != 12 {
		t.Errorf("%+v", r)
	}
}

// A single series has no group, and is told even if it is not lower.
func TestTheNewestRunOfOneSeries(t *testing.T) {
	for _, last := range []float64{0.8e9, 1.2e9} {
		found, err := trendOf(history.TrendOptions{}, each("a", append(around(1e9, 10), last)...))
		if err != nil {
			t.Fatal(err)
		}
		r := found.Newest[0]
		if r.All != nil || r.Worst == nil || r.Worst.NumPoints != 1 || math.Abs(r.Worst.Ratio-last/1e9) > 0.01 ||
			r.Worst.P > 0.001 {
			t.Errorf("%g: %+v, %+v", last, r, r.Worst)
		}
	}
}
