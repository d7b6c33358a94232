package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// changeEvents returns an event for each run at which the throughput of a direction of a case changed. If all series of
// the case and direction changed, the text is the range of their changes. If only some changed, it lists each of these
// with its API. If no single series changed, it is the change of the smallest group of series that includes them.
func (t *runTimeline) changeEvents(of direction, series []history.Series) (events []Event) {
	at := map[period]bool{}
	add := func(p period, text string) {
		if !at[p] {
			at[p] = true
			events = append(events, Event{At: p.since, Until: p.until, Text: p.changeText(text)})
		}
	}
	type found struct {
		series history.Series
		change history.FoundChange
	}
	var own []found
	for _, s := range series {
		for _, c := range s.AllChanges() {
			own = append(own, found{s, c})
		}
	}
	for _, g := range groupByKey(own, func(f found) period { return periodOf(f.change) }) {
		low, high := math.Inf(1), 0.0
		var each []string
		for _, f := range g.items {
			low, high = min(low, f.change.Ratio), max(high, f.change.Ratio)
			each = append(each, figures.APILabel(f.series.API)+" "+formatDifference(f.change.Ratio))
		}
		switch {
		case len(g.items) < len(series):
			add(g.key, strings.Join(each, ", "))
		case formatDifference(low) == formatDifference(high):
			add(g.key, formatDifference(low))
		default:
			add(g.key, formatDifference(low)+" to "+formatDifference(high))
		}
	}
	for _, g := range slices.Backward(t.groups) { // the smallest groups are last
		if g.Operation != "" && (direction{g.Operation, g.PageCache == history.WarmCache}) != of ||
			g.API != "" && !slices.ContainsFunc(series, func(s history.Series) bool { return s.API == g.API }) {
			continue
		}
		for _, c := range g.AllChanges() {
			if g.Operation != "" || !t.isAlsoInPartOfSeries(c) {
				add(periodOf(c), g.ScopeText()+" "+formatDifference(c.Ratio))
			}
		}
	}
	return events
}

// period is the time of a change.
type period struct {
	since time.Time // start of its first run
	until time.Time // start of the last run of an incident; zero if the change lasts
}

func periodOf(c history.FoundChange) period {
	if c.Incident == nil {
		return period{since: c.Since}
	}
	return period{c.Since, c.Incident.Until}
}

// changeText adds the dates, and the word incident if it is one, to a text about a change.
func (p period) changeText(text string) string {
	since, until := formatDate(p.since), formatDate(p.until)
	switch {
	case p.until.IsZero():
		return text + " since " + since
	case since == until:
		return "incident: " + text + " on " + since
	}
	return "incident: " + text + " from " + since + " to " + until
}

// isAlsoInPartOfSeries reports whether a change of all series together is also found in a series or smaller group, at
// most two runs away, and is of the same kind there. Then the other series need not have changed.
func (t *runTimeline) isAlsoInPartOfSeries(change history.FoundChange) bool {
	near := func(c history.FoundChange) bool {
		return max(c.Index-change.Index, change.Index-c.Index) <= 2 &&
			(c.Incident == nil) == (change.Incident == nil)
	}
	for _, s := range t.series {
		if slices.ContainsFunc(s.AllChanges(), near) {
			return true
		}
	}
	return slices.ContainsFunc(t.groups, func(g history.SeriesGroup) bool {
		return g.Operation != "" && slices.ContainsFunc(g.AllChanges(), near)
	})
}

// runEvents returns an event for each run whose settings differ from the previous run, and for each run without
// results. If the parameter words is false, the events have no text. If consecutive runs have no results for the same
// reason, only the last one has a text.
func (t *runTimeline) runEvents(words bool) (events []Event) {
	alike := 1 // consecutive runs without results for the same reason, including this one
	for i, m := range t.Runs {
		n := Event{At: m.Started, Failed: !m.InSeries}
		switch {
		case n.Failed:
			n.Text = t.noFiguresText(m)
			if i+1 < len(t.Runs) && !t.Runs[i+1].InSeries && t.noFiguresText(t.Runs[i+1]) == n.Text {
				n.Text = ""
				alike++
				break
			}
			if alike > 1 {
				n.Text = fmt.Sprintf("%d runs %s", alike, n.Text)
			}
			alike = 1
		case len(m.Differs) > 0:
			n.Text = changesText(m.Differs, false)
		default:
			continue
		}
		if !words {
			n.Text = ""
		}
		events = append(events, n)
	}
	return events
}

// noFiguresText returns why a run has no results.
func (t *runTimeline) noFiguresText(m history.TimelineRun) string {
	if m.State == result.Complete {
		return "no figures"
	}
	return joinNonEmpty(": ", string(m.State), m.Message)
}

func formatDate(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// formatDifference formats a ratio as a difference in per cent.
func formatDifference(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

// captionText returns the caption of the picture: which changes were found, and how to read the picture.
func (t *runTimeline) captionText() string {
	var all []string
	changes, incidents, long := 0, 0, false
	for _, s := range t.series {
		changes += len(s.ChangePoints)
		incidents += len(s.Incidents)
		long = long || len(s.Runs) >= stats.MinSeries
	}
	for _, g := range t.groups {
		changes += len(g.ChangePoints)
		incidents += len(g.Incidents)
	}
	switch {
	case !long:
		all = append(all, fmt.Sprintf("There are too few runs to search for changes: %d are needed.", stats.MinSeries))
	case changes == 0:
		all = append(all, "No lasting change was found."+t.detectableFallText())
	default:
		all = append(all, "A vertical line is a lasting change that was found, with the difference between the "+
			"throughputs after it and before it.")
	}
	if incidents > 0 {
		all = append(all, "A band is an incident: a change that lasts for one to five runs, with the difference "+
			"between the throughputs in it and before it.")
	}
	if t.reference != nil {
		all = append(all, t.comparisonText())
	}
	return strings.Join(append(all, "A marker is the median of a run. A bar with caps is its "+stats.Interval+
		". A bar without caps is the range of the samples. Times are to scale, in UTC; a line has a gap where much "+
		"more than the usual time lies between two runs, or where a run has no figures."), " ")
}

// detectableFallText returns a sentence about how much the throughput of all series together must fall at least so that
// the search finds it.
func (t *runTimeline) detectableFallText() string {
	for _, g := range t.groups {
		if g.Operation == "" && g.DetectableRatio != nil {
			return fmt.Sprintf(" A lasting fall of all series by %s would be found with a probability of 0.9.",
				strings.TrimPrefix(formatDifference(*g.DetectableRatio), "-"))
		}
	}
	return ""
}
