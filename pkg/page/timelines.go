package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/history"
)

// runTimeline holds several runs with the same settings. They are shown together, over time.
type runTimeline struct {
	history.Timeline
	series    []history.Series
	changes   []history.Distinct[history.FoundChange]
	falls     []history.Distinct[history.Fall]
	reference *history.Reference   // nil if none is set
	newest    *history.RunPosition // nil if the newest run of the identity is of another timeline
	nightly   bool                 // see history.TrendOptions
}

// newTimelines returns the timelines of a trend in which at least one series has several runs. The one that has fallen
// most comes first.
func newTimelines(trend history.Trend) (all []*runTimeline) {
	changes, falls := trend.DistinctChanges(), trend.DistinctFalls(1)
	for _, line := range trend.Timelines {
		t := &runTimeline{
			Timeline: line,
			series:   filterSlice(trend.Series, func(s history.Series) bool { return s.Group == line.Group }),
			changes:  line.ChangesOf(changes),
			nightly:  trend.Nightly,
			falls:    filterSlice(falls, func(d history.Distinct[history.Fall]) bool { return d.BelongsTo(line) }),
		}
		if !slices.ContainsFunc(t.series, hasSeveralRuns) {
			continue
		}
		for i, r := range trend.References {
			if r.Identity == line.Identity {
				t.reference = &trend.References[i]
			}
		}
		for i, p := range trend.Newest {
			if p.Identity == line.Identity && p.RunID == line.Runs[len(line.Runs)-1].RunID {
				t.newest = &trend.Newest[i]
			}
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b *runTimeline) int { return cmp.Compare(a.lowestRatio(), b.lowestRatio()) })
	return all
}

func hasSeveralRuns(s history.Series) bool { return len(s.Runs) > 1 }

// lowestRatio returns the ratio of the worst fall, or 1.
func (t *runTimeline) lowestRatio() float64 {
	if len(t.falls) == 0 {
		return 1
	}
	return history.WorstFall(t.falls).Found.Ratio
}

// identityText describes the runs of this timeline: cluster, file system, label, and conditions that distinguish them
// from other runs.
func (t *runTimeline) identityText() string {
	all := []string{t.Identity.Cluster, t.Identity.Filesystem, t.Identity.Label}
	for _, s := range t.Conditions {
		all = append(all, s.Name+" "+s.Value)
	}
	return joinNonEmpty(", ", all...)
}

// newestRun returns the newest run of the timeline that has results.
func (t *runTimeline) newestRun() history.TimelineRun {
	for _, r := range slices.Backward(t.Runs) {
		if r.InSeries {
			return r
		}
	}
	return t.Runs[len(t.Runs)-1]
}

// isSuperseded reports whether each point of a run was measured again by a later run. Such a run needs no pictures of
// its own.
func (t *runTimeline) isSuperseded(run string) bool {
	return run != t.Runs[len(t.Runs)-1].RunID && !slices.ContainsFunc(t.series, func(s history.Series) bool {
		return s.Runs[len(s.Runs)-1].RunID == run
	})
}

// ShownRuns returns the paths of the documents of those runs that a page shows alone, with pictures of their own: of
// the timeline that has fallen most, each run of which no later run has all points, and each run that has no timeline.
func ShownRuns(trend history.Trend) (paths []string) {
	lines := newTimelines(trend)
	for _, line := range trend.Timelines {
		i := slices.IndexFunc(lines, func(t *runTimeline) bool { return t.Group == line.Group })
		for _, r := range line.Runs {
			if i < 0 || i == 0 && !lines[0].isSuperseded(r.RunID) {
				paths = append(paths, r.Path)
			}
		}
	}
	return paths
}

func (t *runTimeline) pageName() string { return TimelineName(t.Timeline) }

// TimelineName returns the name of the page of a timeline, which no other timeline has.
func TimelineName(t history.Timeline) string { return LinkName(t.Group) }
