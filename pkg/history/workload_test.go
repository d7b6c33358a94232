package history_test

import (
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
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
