package history_test

import (
	"fmt"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// A fall that is too small to be shown in most of the points is shown in the groups that have it.
func TestCompareTestsGroups(t *testing.T) {
	const trees = 40
	points, pointsShown, groupsShown, treesWithFalseVerdict := 0, 0, map[string]int{}, 0
	for seed := range uint64(trees) {
		records := varied(seed, 60, func(day, point int) float64 {
			if day >= 30 && point%2 > 0 { // reads
				return 0.98
			}
			return 1
		})
		old, now, want := records[:30], records[30:], history.Worse
		if seed%2 > 0 {
			old, now, want = now, old, history.Better
		}
		c := compare(t, old, now)
		wrong := false
		judge := func(verdict history.Verdict, changed bool) (shown bool) {
			shown = changed && verdict == want
			wrong = wrong || !shown && verdict != history.NoDifference
			return shown
		}
		for _, p := range c.Points {
			changed := p.Operation == result.OperationRead
			if changed {
				points++
			}
			if judge(p.Verdict, changed) {
				pointsShown++
			}
		}
		var names []string
		for _, g := range c.Groups {
			names = append(names, g.ScopeText())
			if judge(g.Verdict, g.Operation != result.OperationWrite) {
				groupsShown[g.ScopeText()]++
			}
			if d := g.Difference; d.Test != history.TestByRuns || g.OldRuns != 30 || g.NewRuns != 30 ||
				d.CorrectedP < d.P {
				t.Errorf("%s: %+v", g.ScopeText(), d)
			}
		}
		if got := fmt.Sprint(names); got != "[all 12 points all 6 points of write all 6 points of read "+
			"all 2 points of write, POSIX all 2 points of write, MPI-IO all 2 points of write, HDF5 "+
			"all 2 points of read, POSIX all 2 points of read, MPI-IO all 2 points of read, HDF5]" {
			t.Fatalf("groups %s", got)
		}
		if wrong {
			treesWithFalseVerdict++
		}
	}
	for _, name := range []string{"all 12 points", "all 6 points of read"} {
		if n := groupsShown[name]; n <= trees/2 {
			t.Errorf("%s: shown in %d of %d trees, want more than half", name, n, trees)
		}
	}
	if pointsShown >= points/4 {
		t.Errorf("shown in %d of %d points that changed, want less than a quarter", pointsShown, points)
	}
	if treesWithFalseVerdict > trees/8 { // 1 in 20 is expected
		t.Errorf("a false verdict in %d of %d trees, want at most 1 in 8", treesWithFalseVerdict, trees)
	}
}

func TestGroupsOfOneRunOnEachSideAreNotJudged(t *testing.T) {
	records := varied(5, 2, func(int, int) float64 { return 1 })
	if c := compare(t, records[:1], records[1:]); c.Groups[0].Verdict != history.NotJudged || len(c.Positions) > 0 {
		t.Errorf("%+v", c.Groups[0])
	}
}

// Groups are of runs with equal conditions.
func TestComparedGroupsDoNotMixConditions(t *testing.T) {
	records := varied(5, 24, func(int, int) float64 { return 1 })
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
