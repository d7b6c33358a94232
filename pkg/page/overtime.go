package page

import (
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// runTimeline holds several runs with the same settings. They are shown together, over time.
type runTimeline struct {
	history.Timeline
	runs      map[string]*figures.Run // by run id
	series    []history.Series
	groups    []history.SeriesGroup
	reference *history.Reference // nil if none is set
	points    map[pointKey]figures.Point
}

// pointKey identifies a point of a run of a timeline.
type pointKey struct {
	run   string
	point history.Place
}

// newTimelines returns the timelines of a trend in which at least one series has several runs.
func newTimelines(runs []figures.Run, trend history.Trend) (all []*runTimeline) {
	type key struct {
		id string
		of result.Identity
	}
	index := map[key]*figures.Run{}
	for i := range runs {
		index[key{runs[i].RunID, runs[i].Identity}] = &runs[i]
	}
	for _, line := range trend.Timelines {
		t := &runTimeline{Timeline: line, runs: map[string]*figures.Run{}, points: map[pointKey]figures.Point{}}
		for _, s := range trend.Series {
			if s.Group == line.Group {
				t.series = append(t.series, s)
			}
		}
		if !slices.ContainsFunc(t.series, hasSeveralRuns) {
			continue
		}
		for _, g := range trend.Groups {
			if g.ID == line.Group || strings.HasPrefix(g.ID, line.Group+"/") {
				t.groups = append(t.groups, g)
			}
		}
		for i, r := range trend.References {
			if r.Identity == line.Identity {
				t.reference = &trend.References[i]
			}
		}
		for _, m := range line.Runs {
			r, there := index[key{m.RunID, line.Identity}]
			if !there {
				continue
			}
			t.runs[m.RunID] = r
			if !m.InSeries {
				continue
			}
			for _, p := range r.Points() {
				if p.Missing == "" {
					t.points[pointKey{m.RunID, history.PlaceOf(r.Parameters, p.Case, p.Operation)}] = p
				}
			}
		}
		all = append(all, t)
	}
	return all
}

func hasSeveralRuns(s history.Series) bool { return len(s.Runs) > 1 }

// identityText describes the runs of this timeline: cluster, file system, label, and conditions that distinguish them
// from other runs.
func (t *runTimeline) identityText() string {
	all := []string{t.Identity.Cluster, t.Identity.Filesystem, t.Identity.Label}
	for _, s := range t.Conditions {
		all = append(all, s.Name+" "+s.Value)
	}
	return joinNonEmpty(", ", all...)
}

// supersededRuns returns the ids of runs that need no pictures of their own. A run is superseded if each of its points
// was measured again by a later run.
func (t *runTimeline) supersededRuns() map[string]bool {
	all := map[string]bool{}
	for _, m := range t.Runs[:len(t.Runs)-1] {
		all[m.RunID] = true
	}
	for _, s := range t.series {
		delete(all, s.Runs[len(s.Runs)-1].RunID)
	}
	return all
}

// runsShownAlone returns the runs that have pictures of their own, because no later run supersedes them. If there are
// timelines, the newest run is first.
func runsShownAlone(runs []figures.Run, lines []*runTimeline) []figures.Run {
	earlier := map[*figures.Run]bool{}
	for _, t := range lines {
		for id := range t.supersededRuns() {
			earlier[t.runs[id]] = true
		}
	}
	var some []figures.Run
	for i := range runs {
		if !earlier[&runs[i]] {
			some = append(some, runs[i])
		}
	}
	if len(lines) > 0 {
		slices.SortStableFunc(some, func(a, b figures.Run) int { return b.Started.Compare(a.Started) })
	}
	return some
}

// overTimePictures returns one picture for each timeline.
func overTimePictures(runs []figures.Run, lines []*runTimeline) (all []Picture) {
	apis := newPalette(figures.APIs(runs))
	for i, t := range lines {
		all = append(all, t.overTimePicture(apis, i+1, len(lines) > 1))
	}
	return all
}

// isPageWide reports whether a panel is as wide as the page.
func isPageWide(p Panel) bool {
	t, over := p.(TimelinePanel)
	return over && t.Wide
}

// narrowPanel returns a copy of a wide panel with the width of other panels.
func narrowPanel(p Panel) Panel {
	t, _ := p.(TimelinePanel)
	t.Wide = false
	return t
}
