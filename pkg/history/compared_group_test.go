package history_test

import (
	"fmt"
	"testing"

	"h5perf/pkg/history"
)

// A fall that is too small to be shown in any point is shown in the groups that have it.
func TestCompareTestsGroups(t *testing.T) {
	records := varied(60, func(day, point int) float64 {
		if day >= 30 && point%2 > 0 { // reads
			return 0.982
		}
		return 1
	})
	for _, sides := range [][2][]history.Record{{records[:30], records[30:]}, {records[30:], records[:30]}} {
		c := compare(t, sides[0], sides[1])
		want := history.Worse
		if sides[1][0].RunID == records[0].RunID {
			want = history.Better
		}
		for _, p := range c.Points {
			if p.Verdict != history.NoDifference {
				t.Errorf("%s %s: %s", p.API, p.Operation, p.Verdict)
			}
		}
		var names []string
		for _, g := range c.Groups {
			names = append(names, g.ScopeText())
			if d := g.Difference; (g.Verdict == want) != (g.Operation != "write" && g.API == "") ||
				d.Test != history.TestByRuns || g.OldRuns != 30 || g.NewRuns != 30 || d.CorrectedP < d.P {
				t.Errorf("%s: %s, %+v", g.ScopeText(), g.Verdict, d)
			}
		}
		if got := fmt.Sprint(names); got != "[all 12 points all 6 points of write all 6 points of read "+
			"all 2 points of write, POSIX all 2 points of write, MPI-IO all 2 points of write, HDF5 "+
			"all 2 points of read, POSIX all 2 points of read, MPI-IO all 2 points of read, HDF5]" {
			t.Errorf("groups %s", got)
		}
	}
	if c := compare(t, records[:1], records[1:2]); c.Groups[0].Verdict != history.NotJudged || len(c.Positions) > 0 {
		t.Errorf("one run on each side: %+v", c.Groups[0])
	}
}

// Groups are of runs with equal conditions.
func TestComparedGroupsDoNotMixConditions(t *testing.T) {
	records := varied(24, func(int, int) float64 { return 1 })
	for i := range records {
		if i%2 > 0 {
			records[i].Parameters.Pattern = "interleaved"
		}
	}
	c := compare(t, records[:12], records[12:])
	widest := 0
	for _, g := range c.Groups {
		if g.Operation != "" {
			continue
		}
		widest++
		if len(g.Conditions) != 1 || g.Conditions[0].Name != "pattern" || g.OldRuns != 6 || g.NumPoints != 12 {
			t.Errorf("%+v", g)
		}
	}
	if widest != 2 {
		t.Errorf("%d groups of all points, want one of each pattern", widest)
	}
}

// Where conditions may differ, one run can have several results of a point. It still counts as one run.
func TestARunCountsOnceAlsoWithSeveralResults(t *testing.T) {
	several := func(id string, middle float64) []history.Record {
		r := run(id, 0)
		r.Cases = nil
		for i := range 6 {
			c := measured("posix", "write", around(middle*(1+0.01*float64(i)), 5)...)
			c.Processes = 1 << i
			r.Cases = append(r.Cases, c)
		}
		return []history.Record{r}
	}
	p := compareOnePoint(t, several("a", 1e9), several("b", 0.5e9), "processes")
	if p.Verdict != history.NotJudged || p.Old.Runs != 1 || p.Old.Count != 30 || p.Difference.Low != nil {
		t.Errorf("%+v, %+v, %+v", p, p.Old, p.Difference)
	}
}
