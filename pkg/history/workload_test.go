package history_test

import (
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/workload"
)

// ofWorkload returns the document of a run of a workload with a number of particles.
func ofWorkload(id string, days int, particles string, throughputs ...float64) history.Record {
	r := run(id, days, throughputs...)
	r.Kind = result.KindWorkload
	r.Parameters.Workload = &result.Workload{
		Name: "vpic", Sizes: []result.KeyValue{{Key: "particles", Value: particles}}, Hash: "hash of " + particles,
		Text: `{"workload":"vpic","particles":` + particles + "}",
	}
	c := &r.Cases[0]
	c.TransferSize, c.BufferBytes = 0, 0
	return r
}

func TestPointsOfAWorkloadHaveItsName(t *testing.T) {
	old := []history.Record{ofWorkload("a", 0, "8", around(1e9, 10)...)}
	p := compareOnePoint(t, old, []history.Record{ofWorkload("b", 1, "8", around(0.5e9, 10)...)})
	if p.Workload != "vpic" || p.Verdict != history.NotJudged || len(p.Differs) != 0 {
		t.Errorf("the same workload: %+v", p)
	}
	p = compareOnePoint(t, old, []history.Record{ofWorkload("b", 1, "9", around(0.5e9, 10)...)})
	const reason = "workload.sha256 hash of 8 -> hash of 9; workload.sizes.particles 8 -> 9"
	if p.Verdict != history.NotComparable || p.Reason != reason {
		t.Errorf("another size: %s (%s), want %s", p.Verdict, p.Reason, reason)
	}
	c := compare(t, old, []history.Record{run("c", 1, around(0.5e9, 10)...)})
	for _, p := range c.Points {
		if !strings.HasPrefix(p.Reason, "only in ") {
			t.Errorf("a workload and a sweep: %s (%s)", p.Verdict, p.Reason)
		}
	}
	resulttest.Follows(t, "comparison-1", c)
}

func TestATrendIsThatOfOneWorkload(t *testing.T) {
	found := trend(t, []history.Record{
		ofWorkload("a", 0, "8", 1e9), ofWorkload("b", 1, "8", 1e9), ofWorkload("c", 2, "9", 1e9), run("d", 3, 1e9),
	})
	runs := map[string]int{}
	for _, s := range found.Series {
		size := ""
		for _, setting := range s.Conditions {
			if setting.Name == "workload.sizes.particles" {
				size = setting.Value
			}
		}
		runs[s.Workload+" "+size] += len(s.Runs)
	}
	if len(found.Series) != 3 || runs["vpic 8"] != 2 || runs["vpic 9"] != 1 || runs[" "] != 1 {
		t.Errorf("runs of series: %v", runs)
	}
	resulttest.Follows(t, "trend-1", found)
}

func TestARerunNamesTheHashOfAnotherWorkloadAndNotItsText(t *testing.T) {
	then, now := ofWorkload("a", 0, "8", 1e9), ofWorkload("b", 0, "9", 1e9)
	got := strings.Join(history.DocumentDifferences(then.Document, now.Document), "\n")
	const want = "parameters.workload.sha256 was hash of 8, now hash of 9\n" +
		"parameters.workload.sizes.particles was 8, now 9"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// withCreations returns the run with 1000 objects that are created in each sample, at about a rate per second.
func withCreations(r history.Record, rate float64) history.Record {
	samples := r.Cases[0].Samples
	for i, x := range around(rate, len(samples)) {
		samples[i].Classes = []result.ClassTime{{
			Class: result.ClassOf(workload.Create), Objects: 1000,
			Interval: result.Interval{Max: 1000 / x, Mean: 1000 / x},
		}}
	}
	return r
}

// What objects per second are of a class is judged as throughput is: between runs, in pairs, and over time.
func TestObjectsPerSecondAreJudgedByThemselves(t *testing.T) {
	judged := func(what string, c history.Comparison) {
		t.Helper()
		verdicts := map[result.Class]history.Verdict{}
		for _, p := range c.Points {
			verdicts[p.Class] = p.Verdict
			if text := p.FormatValue(p.New.Median); p.Class != "" && !strings.HasSuffix(text, "/s") ||
				p.Class == "" && !strings.HasSuffix(text, "B/s") {
				t.Errorf("%s: %s: a value is %s", what, p.Class, text)
			}
		}
		if len(verdicts) != 2 || verdicts["create"] != history.Worse || verdicts[""] != history.NoDifference {
			t.Errorf("%s: %v", what, verdicts)
		}
		resulttest.Follows(t, "comparison-1", c)
	}
	var old, now, all []history.Record
	for i := range 40 {
		rate := 50_000.0
		if i >= 20 {
			rate = 25_000
		}
		r := withCreations(ofWorkload(fmt.Sprint("r", i), i, "8", around(1e9*(1+0.01*float64(i%7)), 10)...),
			rate*(1+0.01*float64(i%5)))
		all = append(all, r)
		if i < 10 {
			old = append(old, r)
		} else if i >= 30 {
			now = append(now, r)
		}
	}
	judged("runs", compare(t, old, now))
	a, b := withCreations(ofWorkload("a", 0, "8", around(1e9, 10)...), 50_000),
		withCreations(ofWorkload("b", 0, "8", around(1e9, 10)...), 25_000)
	a.Pair, b.Pair = &result.Pair{Arm: "A", PartnerRunID: "b"}, &result.Pair{Arm: "B", PartnerRunID: "a"}
	judged("pairs", compare(t, []history.Record{a}, []history.Record{b}))
	found := trend(t, all)
	for _, s := range found.Series {
		if fell := len(s.ChangePoints) == 1 && s.ChangePoints[0].Ratio < 0.6; fell != (s.Class == "create") {
			t.Errorf("series %q: %+v", s.Class, s.ChangePoints)
		}
	}
	if len(found.Series) != 2 {
		t.Errorf("%d series", len(found.Series))
	}
	resulttest.Follows(t, "trend-1", found)
}
