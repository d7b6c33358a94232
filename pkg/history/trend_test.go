package history_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// keep writes documents to a new tree and returns its directory.
func keep(t testing.TB, records []history.Record) string {
	t.Helper()
	dir := t.TempDir()
	for _, r := range records {
		if err := result.Write(filepath.Join(dir, r.Path), r.Document); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// daily returns one run per day, with 5 samples each. From index slower on, runs are slower by 10 %.
func daily(count, slower int) (records []history.Record) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		samples := make([]float64, 5)
		for k := range samples {
			samples[k] = 1e9 * (1 + 0.03*rng.NormFloat64())
			if i >= slower {
				samples[k] *= 0.9
			}
		}
		records = append(records, run(fmt.Sprintf("run%05d", i), i, samples...))
	}
	return records
}

func trend(t *testing.T, records []history.Record) history.Trend {
	t.Helper()
	found, err := history.FindTrend(history.TrendOptions{}, keep(t, records))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTrendSaysSinceWhenAndHowMuch(t *testing.T) {
	records := daily(40, 30)
	for i := range records[30:] {
		records[30+i].Machine.Kernel = "new"
	}
	found := trend(t, records)
	if found.Runs != 40 || len(found.Series) != 1 || len(found.Series[0].ChangePoints) != 1 {
		t.Fatalf("%+v, want 40 runs, one series, one change point", found)
	}
	s := found.Series[0]
	point := s.ChangePoints[0]
	if s.Verdict != history.Worse || !point.Since.Equal(day.AddDate(0, 0, 30)) || point.RunID != "run00030" ||
		point.Ratio < 0.88 || point.Ratio > 0.92 {
		t.Errorf("%s, %+v", s.Verdict, point)
	}
	if point.CorrectedP > 0.05 || point.Low == nil || *point.Low > point.Ratio || *point.High < point.Ratio ||
		*point.High > 1 {
		t.Errorf("%+v", point)
	}
	if len(point.Differs) != 1 || point.Differs[0] != (history.ConditionChange{Name: "kernel", Old: "", New: "new"}) {
		t.Errorf("differs %v, want the kernel", point.Differs)
	}
	if got := trend(t, daily(40, 40)).Series[0]; got.Verdict != history.NoDifference || len(got.ChangePoints) != 0 {
		t.Errorf("without a change: %s, %+v", got.Verdict, got.ChangePoints)
	}
	if got := trend(t, daily(9, 4)).Series[0]; got.Verdict != history.NotComparable {
		t.Errorf("9 runs: %s", got.Verdict)
	}
}

func TestTrendLeavesFailedRunsOut(t *testing.T) {
	records := daily(20, 20)
	records[3].State, records[3].Errors = result.Failed, []result.Error{{Message: "no space left"}}
	records[5].State = result.Interrupted
	again := records[9]
	again.Path = "z.json"
	found := trend(t, append(records, again))
	if len(found.Skipped) != 1 || !strings.Contains(found.Skipped[0].Reason, "the same run as in ") {
		t.Errorf("skipped %+v, want the run that is there twice", found.Skipped)
	}
	if found.Runs != 18 || len(found.Unused) != 2 || len(found.Series[0].Runs) != 18 {
		t.Fatalf("%d runs, %d in the series, unused %+v", found.Runs, len(found.Series[0].Runs), found.Unused)
	}
	if u := found.Unused[0]; u.RunID != "run00003" || u.State != result.Failed || u.Message != "no space left" {
		t.Errorf("%+v", u)
	}
}

func TestTrendTakesRunsThatEndedEarlyWhereThatIsAskedFor(t *testing.T) {
	records := daily(20, 20)
	records[3].State, records[5].State, records[7].State = result.Failed, result.Interrupted, result.Running
	c := slices.Clone(records[5].Cases)
	c[0].State = result.Interrupted
	records[5].Cases = c
	dir := keep(t, records)
	found, err := history.FindTrend(history.TrendOptions{Partial: true}, dir)
	if err != nil || found.Runs != 19 || len(found.Unused) != 1 || found.Unused[0].State != result.Running {
		t.Errorf("%v, %d runs, unused %+v", err, found.Runs, found.Unused)
	}
	found, err = history.FindTrend(history.TrendOptions{}, dir)
	if err != nil || found.Runs != 17 || len(found.Unused) != 3 || found.Unused[1].UsedPoints != 1 {
		t.Errorf("%v, %d runs, unused %+v", err, found.Runs, found.Unused)
	}
	if _, err := history.ChooseReferences(records[3:6], true); err != nil {
		t.Error(err)
	}
	if _, err := history.ChooseReferences(records[3:6], false); err == nil ||
		!strings.Contains(err.Error(), "--partial") {
		t.Errorf("%v", err)
	}
	if _, err := history.ChooseReferences(records[7:8], true); err == nil {
		t.Error("a run that goes on is a reference")
	}
}

func TestTrendBeginsAnotherSeriesWhereConditionsDiffer(t *testing.T) {
	records := daily(40, 20)
	for i := range records[20:] {
		records[20+i].Parameters.Conditions.Sync = "none"
	}
	found := trend(t, records)
	if len(found.Series) != 2 {
		t.Fatalf("%d series, want 2", len(found.Series))
	}
	for _, s := range found.Series {
		if len(s.Runs) != 20 || len(s.ChangePoints) != 0 || len(s.Conditions) != 1 || s.Conditions[0].Name != "sync" {
			t.Errorf("%d runs, %+v, named by %v", len(s.Runs), s.ChangePoints, s.Conditions)
		}
	}
	other := daily(40, 40)
	for i := range other[20:] {
		other[20+i].Identity.Filesystem = "/home"
	}
	if found := trend(t, other); len(found.Series) != 2 || found.Series[0].Identity.Filesystem != "/home" ||
		len(found.Series[0].Conditions) != 0 {
		t.Errorf("%d series, want one of each file system", len(found.Series))
	}
}

func BenchmarkTrendOf10000Documents(b *testing.B) {
	dir := keep(b, daily(10_000, 5000))
	for b.Loop() {
		if _, err := history.FindTrend(history.TrendOptions{}, dir); err != nil {
			b.Fatal(err)
		}
	}
}

// swept returns one run per day, with writes and reads of two APIs. From index slower on, reads are slower by a third.
func swept(count, slower int) (records []history.Record) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range count {
		r := run(fmt.Sprintf("run%05d", i), i)
		r.Cases = nil
		for _, api := range []string{"mpiio", "posix"} {
			for _, operation := range []result.Operation{result.OperationWrite, result.OperationRead} {
				speed := 1e9 * (1 + 0.05*rng.NormFloat64())
				if i >= slower && operation == result.OperationRead {
					speed *= 0.67
				}
				r.Cases = append(r.Cases, measured(api, operation, around(speed, 5)...))
			}
		}
		records = append(records, r)
	}
	return records
}

func TestTrendSearchesGroups(t *testing.T) {
	found := trend(t, swept(30, 20))
	changed := map[string]bool{}
	for _, g := range found.Groups {
		if len(g.ChangePoints) == 0 {
			continue
		}
		changed[g.ID] = true
		if last := g.ChangePoints[len(g.ChangePoints)-1]; last.RunID != "run00020" || g.Verdict != history.Worse ||
			!last.Since.Equal(day.AddDate(0, 0, 20)) {
			t.Errorf("%s: %s since %+v", g.ID, g.Verdict, last)
		}
	}
	if !changed["c,/scratch,nightly"] || !changed["c,/scratch,nightly/read"] || changed["c,/scratch,nightly/write"] {
		t.Errorf("groups with a change: %v, want those of all and of reads", changed)
	}
	all, writes, reads := found.Groups[0], found.Groups[1], found.Groups[2]
	if all.NumSeries != 4 || all.Runs != 30 || all.Operation != "" || reads.NumSeries != 2 ||
		reads.Operation != result.OperationRead || writes.Operation != result.OperationWrite {
		t.Errorf("groups %+v, %+v and %+v", all, writes, reads)
	}
	if ratio := reads.ChangePoints[0].Ratio; ratio < 0.62 || ratio > 0.72 {
		t.Errorf("reads are slower by %.2f", ratio)
	}
	order := ""
	for _, s := range found.Series {
		if s.Group != "c,/scratch,nightly" {
			t.Errorf("series of group %q", s.Group)
		}
		order += s.API + " " + string(s.Operation) + " "
	}
	if order != "posix write posix read mpiio write mpiio read " {
		t.Errorf("series in the order %s, want that of the APIs in the table", order)
	}
}

func TestTrendSaysWhatItCouldShow(t *testing.T) {
	found := trend(t, swept(30, 30))
	g := found.Groups[0]
	if g.DetectableRatio == nil || *g.DetectableRatio < 0.8 || *g.DetectableRatio > 0.98 || g.RunsNeeded == nil ||
		*g.RunsNeeded > 5 {
		t.Errorf("of all: %v, %v", g.DetectableRatio, g.RunsNeeded)
	}
	if s := found.Series[0]; s.DetectableRatio == nil || *s.DetectableRatio >= *g.DetectableRatio {
		t.Errorf("one series: %v, of all: %v; want less of one", s.DetectableRatio, g.DetectableRatio)
	}
	if s := trend(t, swept(9, 9)).Series[0]; s.DetectableRatio != nil || s.RunsNeeded != nil {
		t.Errorf("of 9 runs: %v, %v", s.DetectableRatio, s.RunsNeeded)
	}
}

func TestANightlyTrendAsksForMore(t *testing.T) {
	dir := keep(t, swept(30, 20))
	once, err := history.FindTrend(history.TrendOptions{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	nightly, err := history.FindTrend(history.TrendOptions{Nightly: true}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !nightly.Nightly || once.Nightly {
		t.Error("nightly is not told")
	}
	p, q := once.Groups[0].ChangePoints[0].CorrectedP, nightly.Groups[0].ChangePoints[0].CorrectedP
	// Corrected for a year of searches, in which groups need four times less evidence, instead of one after 30 nights.
	if want := 365.0 / 30 / 4; q < 0.99*want*p || q > 1.01*want*p {
		t.Errorf("p %g once and %g in nightly use", p, q)
	}
	if *nightly.Groups[0].DetectableRatio >= *once.Groups[0].DetectableRatio {
		t.Error("nightly use does not show less")
	}
}

func TestGroupsAreOfRunsWithEqualConditions(t *testing.T) {
	records := swept(40, 40)
	for i := range records[20:] {
		records[20+i].Parameters.Conditions.Sync = "none"
	}
	found := trend(t, records)
	var ids []string
	for _, g := range found.Groups {
		if g.Operation == "" {
			ids = append(ids, g.ID)
		}
	}
	if got := strings.Join(ids, " "); got != "c,/scratch,nightly,sync=close c,/scratch,nightly,sync=none" {
		t.Errorf("groups %s", got)
	}
}

func TestATimelineHasAllRunsAndWhatDiffers(t *testing.T) {
	records := daily(12, 12)
	for i := range records[6:] {
		records[6+i].Machine.Kernel = "new"
	}
	records[5].State, records[5].Errors = result.Failed, []result.Error{{Message: "no space left"}}
	records[5].Software.HDF5 = "that of a run that failed"
	other := run("other", 3, 1e9)
	other.Parameters.Conditions.Sync = "none"
	records = slices.Insert(records, 4, other)
	found, err := trendOf(history.TrendOptions{}, records)
	if err != nil {
		t.Fatal(err)
	}
	fromFiles := trend(t, records)
	for _, of := range []history.Trend{found, fromFiles} {
		if len(of.Timelines) != 2 || len(of.Timelines[1].Runs) != 1 || of.Timelines[1].Runs[0].RunID != "other" {
			t.Fatalf("%+v, want the other condition apart", of.Timelines)
		}
		line := of.Timelines[0]
		if len(line.Runs) != 12 || line.Group != of.Series[0].Group && line.Group != of.Series[1].Group {
			t.Fatalf("%+v, want 12 runs of a group", line)
		}
		for i, m := range line.Runs {
			want := []history.ConditionChange(nil)
			if i == 6 {
				want = []history.ConditionChange{{Name: "kernel", New: "new"}}
			}
			if m.InSeries != (i != 5) || !slices.Equal(m.Differs, want) || m.RunID != fmt.Sprintf("run%05d", i) {
				t.Errorf("%d: %+v", i, m)
			}
		}
		if m := line.Runs[5]; m.State != result.Failed || m.Message != "no space left" {
			t.Errorf("%+v", m)
		}
	}
	if len(fromFiles.Series) != len(found.Series) {
		t.Errorf("%d and %d series", len(fromFiles.Series), len(found.Series))
	}
}

// trendOf returns the trend of documents in memory.
func trendOf(o history.TrendOptions, records []history.Record) (history.Trend, error) {
	runs := make([]history.RunDigest, len(records))
	for i, r := range records {
		runs[i] = o.Digests(r)[0]
	}
	return history.TrendOf(o, runs)
}
