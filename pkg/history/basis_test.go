package history_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/result/resulttest"
	"h5perf/pkg/stats"
)

// windowless returns a run without windows. By the time of the slowest process, its throughputs are as before.
func windowless(r history.Record) history.Record {
	r.Basis, r.Cases = result.BasisSlowest, timed(r.Cases, func(i *result.Interval) { i.Window = 0 })
	return r
}

// timed returns cases, in whose samples change has changed the intervals on which throughput rests.
func timed(cases []result.Case, change func(*result.Interval)) []result.Case {
	cases = slices.Clone(cases)
	for i := range cases {
		samples := slices.Clone(cases[i].Samples)
		for k := range samples {
			change(&samples[k].Access)
			if d := samples[k].Durable; d != nil {
				changed := *d
				change(&changed)
				samples[k].Durable = &changed
			}
		}
		cases[i].Samples = samples
	}
	return cases
}

// kept returns the record of a document that a program of an earlier version wrote.
func kept(t *testing.T, version, name string) history.Record {
	t.Helper()
	records, _, err := history.Load(filepath.Join("..", "result", "testdata", version, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return records[0]
}

// repeated returns a run like another one, so many days later, as it is measured now: its windows are three times as
// long as the times of the slowest process.
func repeated(r history.Record, days int) history.Record {
	r.RunID, r.Started = fmt.Sprintf("%s-and-%d", r.RunID, days), r.Started.AddDate(0, 0, days)
	r.Path, r.Basis = r.RunID+".json", result.BasisWindow
	r.Cases = timed(r.Cases, func(i *result.Interval) { i.Window = 3 * i.Max })
	return r
}

// middle returns the median throughput of the samples of a point, by the time of basis.
func middle(r history.Record, p history.Place, basis result.Basis) float64 {
	for _, c := range r.Cases {
		for _, point := range c.Points() {
			if c.API == p.API && c.TransferBytes == p.TransferBytes && point.Operation == p.Operation {
				return stats.Middle(point.ThroughputsBy(basis))
			}
		}
	}
	return math.NaN()
}

// TestCompareAcrossVersions compares documents of all versions. They are compared by what all of them have.
func TestCompareAcrossVersions(t *testing.T) {
	for _, name := range []string{"parallel", "serial"} {
		first, second := kept(t, "v1", name), kept(t, "v2", name)
		third, fourth := repeated(second, 1), repeated(second, 2)
		for versions, c := range map[string]struct {
			old, now history.Record
			asked    result.Basis
			want     result.Basis
			reason   string
		}{
			"1, 2": {
				first, second, "", "slowest",
				"1 of 1 runs of OLD and 1 of 1 runs of NEW have no windows",
			},
			"2, 3": {
				second, third, "", "slowest",
				"1 of 1 runs of OLD and 0 of 1 runs of NEW have no windows",
			},
			"3, 1":          {third, first, "", "slowest", "0 of 1 runs of OLD and 1 of 1 runs of NEW have no windows"},
			"3, 3":          {third, fourth, "", "window", ""},
			"3, 3, window":  {third, fourth, "window", "window", ""},
			"3, 3, slowest": {third, fourth, "slowest", "slowest", ""},
			"2, 3, slowest": {second, third, "slowest", "slowest", ""},
		} {
			old, now := []history.Record{c.old}, []history.Record{c.now}
			got, err := history.Compare(old, now, history.Options{Basis: c.asked})
			if err != nil {
				t.Fatalf("%s, versions %s: %v", name, versions, err)
			}
			resulttest.Follows(t, "comparison-2", got)
			if got.Basis != c.want || got.BasisReason != c.reason {
				t.Errorf("%s, versions %s: basis %s (%s), want %s (%s)", name, versions, got.Basis, got.BasisReason,
					c.want, c.reason)
			}
			compared := 0
			for _, p := range got.Points {
				if p.Difference == nil {
					continue
				}
				compared++
				was, is := middle(c.old, p.Place, c.want), middle(c.now, p.Place, c.want)
				if p.Old.Median != was || p.New.Median != is {
					t.Errorf("%s, versions %s: %v and %v, want %v and %v", name, versions, p.Old.Median, p.New.Median,
						was, is)
				}
			}
			if compared == 0 {
				t.Errorf("%s, versions %s: nothing is compared: %+v", name, versions, got.Points)
			}
		}
	}
}

// TestOneRunWithoutWindowsDecides adds a run without windows to one of two sets, and then asks for windows.
func TestOneRunWithoutWindowsDecides(t *testing.T) {
	var old, now []history.Record
	for i := range 7 {
		old = append(old, run(fmt.Sprint("a", i), i, 1e9+1e7*float64(i)))
		now = append(now, run(fmt.Sprint("b", i), 10+i, 1e9+1e7*float64(i)))
	}
	if c := compare(t, old, now); c.Basis != result.BasisWindow || math.Round(c.Points[0].Old.Median) != 1.03e9 {
		t.Errorf("%s: %+v", c.Basis, c.Points[0].Old)
	}
	now[3] = windowless(now[3])
	c := compare(t, old, now)
	if c.Basis != result.BasisSlowest || c.BasisReason != "0 of 7 runs of OLD and 1 of 7 runs of NEW have no windows" {
		t.Errorf("%s (%s)", c.Basis, c.BasisReason)
	}
	if p := c.Points[0]; len(c.Points) != 1 || math.Round(p.Old.Median) != 2.06e9 ||
		math.Round(p.New.Median) != 2.06e9 || p.New.Runs != 7 {
		t.Errorf("%+v, %+v", p.Old, p.New)
	}
	_, err := history.Compare(old, now, history.Options{Basis: result.BasisWindow})
	refused := "basis window is refused: 0 of 7 runs of OLD and 1 of 7 runs of NEW have no windows"
	if err == nil || err.Error() != refused {
		t.Errorf("windows asked for: %v", err)
	}
}

func TestPairsRestOnOneBasis(t *testing.T) {
	a, b := run("a", 0, around(1e9, 10)...), run("b", 0, around(0.9e9, 10)...)
	a.Pair, b.Pair = &result.Pair{Arm: "A", Partner: "b"}, &result.Pair{Arm: "B", Partner: "a"}
	for basis, old := range map[result.Basis]history.Record{result.BasisWindow: a, result.BasisSlowest: windowless(a)} {
		c := compare(t, []history.Record{old}, []history.Record{b})
		want := middle(b, c.Points[0].Place, basis)
		if p := c.Points[0]; c.Basis != basis || p.Difference.Test != history.ByPairs || p.New.Median != want ||
			p.Verdict != history.Worse {
			t.Errorf("%s: %s, %+v, want %v", basis, c.Basis, p.New, want)
		}
	}
}

func TestTheSlowestTimeOfStaggeredProcessesIsDoubted(t *testing.T) {
	a, b := run("a", 0, around(1e9, 10)...), run("b", 1, around(1e9, 10)...)
	b.Cases[0].Samples[2].Marks = []result.Mark{result.Staggered}
	doubts := func(old history.Record) int {
		p := one(t, []history.Record{old}, []history.Record{b})
		return strings.Count(strings.Join(p.Warnings, ";"), "worked at different times")
	}
	if n := doubts(a); n != 0 {
		t.Errorf("by windows: %d doubts", n)
	}
	if n := doubts(windowless(a)); n != 1 {
		t.Errorf("by the slowest process: %d doubts, want one", n)
	}
}

// TestTrendBeginsANewSeriesWithWindows looks at 200 nights of the older definition and 3 of windows.
func TestTrendBeginsANewSeriesWithWindows(t *testing.T) {
	records := daily(203, 203)
	for i := range records[:200] {
		records[i] = windowless(records[i])
	}
	dir := keep(t, records)
	find := func(basis result.Basis) history.Trend {
		found, err := history.FindTrend(history.TrendOptions{Basis: basis}, dir)
		if err != nil {
			t.Fatal(err)
		}
		resulttest.Follows(t, "trend-2", found)
		return found
	}
	found := find("")
	if len(found.Series) != 2 {
		t.Fatalf("%d series, want one of each definition", len(found.Series))
	}
	old, now := found.Series[0], found.Series[1]
	if old.Basis != result.BasisSlowest || len(old.Runs) != 200 || old.Verdict != history.NoDifference ||
		old.Earlier != nil || old.Runs[0].Median < 1.8e9 {
		t.Errorf("%s, %d runs, %s, %+v", old.Basis, len(old.Runs), old.Verdict, old.Earlier)
	}
	want := history.Earlier{Basis: result.BasisSlowest, Runs: 200, Last: day.AddDate(0, 0, 199)}
	if now.Basis != result.BasisWindow || len(now.Runs) != 3 || now.Verdict != history.NotComparable ||
		now.Earlier == nil || *now.Earlier != want || now.Runs[0].Median > 1.2e9 {
		t.Errorf("%s, %d runs, %s, %+v, want %+v", now.Basis, len(now.Runs), now.Verdict, now.Earlier, want)
	}
	if named := (history.Setting{Name: "basis", Value: "window"}); !slices.Contains(now.Settings, named) {
		t.Errorf("named by %v, want %v", now.Settings, named)
	}
	found = find(result.BasisSlowest)
	if s := found.Series; len(s) != 1 || len(s[0].Runs) != 203 || len(s[0].ChangePoints) != 0 || s[0].Earlier != nil ||
		s[0].Basis != result.BasisSlowest || len(s[0].Settings) != 0 {
		t.Errorf("by the slowest process: %d series, %+v", len(s), s[0].ChangePoints)
	}
	_, err := history.FindTrend(history.TrendOptions{Basis: result.BasisWindow}, dir)
	if err == nil || !strings.Contains(err.Error(), "run00000.json has no windows, only") {
		t.Errorf("windows asked for: %v", err)
	}
	since := history.Selection{Since: day.AddDate(0, 0, 200)}
	o := history.TrendOptions{Selection: since, Basis: result.BasisWindow}
	if found, err := history.FindTrend(o, dir); err != nil || found.Runs != 3 {
		t.Errorf("windows of runs that have them: %d runs, %v", found.Runs, err)
	}
}

// TestATreeOfAllVersions reads documents that programs of all versions wrote as one history.
func TestATreeOfAllVersions(t *testing.T) {
	first, second := kept(t, "v1", "parallel"), kept(t, "v2", "parallel")
	first.Path, second.Path = "1.json", "2.json"
	third := repeated(second, 1)
	dir := keep(t, []history.Record{third, second, first})
	all, _, err := history.Load(dir)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d documents, %v", len(all), err)
	}
	for i, want := range []history.Record{first, second, third} {
		if all[i].RunID != want.RunID || all[i].Basis != want.Basis || all[i].SchemaVersion != result.Version {
			t.Errorf("%d: %s of basis %s, want %s of %s", i, all[i].RunID, all[i].Basis, want.RunID, want.Basis)
		}
	}
	found, err := history.FindTrend(history.TrendOptions{}, dir)
	if err != nil || found.Runs != 3 || len(found.Unused) != 0 {
		t.Fatalf("%d runs, %v unused, %v", found.Runs, found.Unused, err)
	}
	for _, s := range found.Series {
		for _, r := range s.Runs {
			i := slices.IndexFunc(all, func(a history.Record) bool { return a.RunID == r.RunID })
			if all[i].Basis != s.Basis || r.Median != middle(all[i], s.Place, s.Basis) {
				t.Errorf("%s %s: %s of basis %s at %v", s.Operation, s.API, r.RunID, all[i].Basis, r.Median)
			}
		}
		writes := s.Operation == result.OperationWrite
		if writes && s.Basis == result.BasisSlowest && len(s.Runs) != 2 ||
			s.Basis == result.BasisWindow && (len(s.Runs) != 1 || s.Earlier == nil) {
			t.Errorf("%s %s, basis %s: %d runs after %+v", s.Operation, s.API, s.Basis, len(s.Runs), s.Earlier)
		}
	}
}
