package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	moremath "github.com/aclements/go-moremath/stats"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// overTimePanel identifies a panel over time: of the throughput of a direction or, with an API, of its objects per
// second.
type overTimePanel struct {
	panelRow
	api string
}

func panelOverTime(s history.Series) overTimePanel {
	p := overTimePanel{panelRow: rowOf(s.Operation, s.PageCache == history.WarmCache)}
	if s.Class != "" {
		p.api = s.API
	}
	return p
}

// overTimePictures makes the pictures of a timeline: of values relative to the reference or, without one, to the median
// of all runs. That of throughput has a panel for each direction, with a line for each API. That of objects per second
// has one for each direction and API, with a line for each class of steps. A line is the geometric mean of its series.
func (t *runTimeline) overTimePictures(several bool) []Picture {
	ofThroughput := func(s history.Series) bool { return s.Class == "" }
	ofObjects := func(s history.Series) bool { return s.Class != "" }
	return nonEmptyPictures([]Picture{
		t.overTimePicture("over-time", "Throughput", filterSlice(t.series, ofThroughput), several,
			func(s history.Series) LegendKey { return newAPIKey(s.API) }),
		t.overTimePicture("objects-over-time", "Objects per second", filterSlice(t.series, ofObjects), several,
			func(s history.Series) LegendKey { return classKey(s.Class) }),
	})
}

// overTimePicture makes the picture of some series of a timeline, which has no panels without series. key returns the
// legend entry of the line to which a series belongs.
func (t *runTimeline) overTimePicture(
	name, what string, series []history.Series, several bool, key func(history.Series) LegendKey,
) Picture {
	f := Picture{
		Name: name, Title: what + " over time, relative to " + t.levelName(), Caption: t.captionText(series),
		Source: t.sourceText(),
	}
	if several {
		f.Name += "-" + t.pageName()
		f.Title += ": " + t.identityText()
	}
	rows := groupByKey(series, panelOverTime)
	slices.SortFunc(rows, func(a, b group[overTimePanel, history.Series]) int {
		return cmp.Or(cmp.Compare(a.key.panelRow, b.key.panelRow), result.CompareAPIs(a.key.api, b.key.api))
	})
	highest := 1.1
	for i, row := range rows {
		panel := Panel{
			Title: joinNonEmpty(", ", row.key.String(), result.APIOf(row.key.api).Label,
				units.Count(len(row.items), "series", "series")),
			Subtitle: strings.ToLower(what) + ", % of " + t.levelName(), Row: i, Wide: true,
			X: timeAxis(t.Runs[0].Started, t.Runs[len(t.Runs)-1].Started), Level: 1,
			Changes: slices.Concat(t.changeEvents(row.key), endEvents(row.items)),
			Events:  t.runEvents(i == len(rows)-1),
		}
		lines := groupByKey(row.items, key)
		slices.SortStableFunc(lines, func(a, b group[LegendKey, history.Series]) int {
			return result.CompareAPIs(a.key.API, b.key.API)
		})
		for _, g := range lines {
			line := Series{Key: g.key, Points: t.relativePoints(g.key.Name, g.items)}
			f.Keys = appendMissingKey(f.Keys, g.key)
			for _, p := range line.Points {
				highest = max(highest, p.Y, p.High)
			}
			panel.Series = append(panel.Series, line)
		}
		f.Panels = append(f.Panels, panel)
	}
	for i := range f.Panels {
		f.Panels[i].Y = Axis{FormatTick: percentText}.FitToValues(highest)
	}
	slices.SortStableFunc(f.Keys, func(a, b LegendKey) int { return result.CompareAPIs(a.API, b.API) })
	f.Keys = append(f.Keys, t.legendKeys(f.Panels)...)
	return f
}

// levelName names the level to which the values of the picture are relative.
func (t *runTimeline) levelName() string {
	if t.reference != nil {
		return "the reference"
	}
	return "the median of all runs"
}

// relativeLevel returns the value of a series to which its runs are relative.
func (t *runTimeline) relativeLevel(s history.Series) float64 {
	if t.reference != nil {
		if level, found := s.ReferenceLevel(*t.reference); found {
			return level
		}
		return math.NaN()
	}
	return stats.SampleMedian(mapSlice(s.Runs, func(r history.SeriesRun) float64 { return r.Median }))
}

// minBandSeries is the smallest number of series of a run whose middle half is shown as a band.
const minBandSeries = 4

// relativePoints returns a point for each run: the geometric mean over the series of a line, each relative to its
// level. The bar is the middle half of the series.
func (t *runTimeline) relativePoints(line string, series []history.Series) (points []Point) {
	ratios, started := map[string][]float64{}, map[string]time.Time{}
	for _, s := range series {
		level := t.relativeLevel(s)
		for _, r := range s.Runs {
			if ratio := r.Median / level; ratio > 0 {
				ratios[r.RunID], started[r.RunID] = append(ratios[r.RunID], ratio), r.Started
			}
		}
	}
	for id, all := range ratios {
		p := Point{X: UnixSeconds(started[id]), Y: moremath.GeoMean(all)}
		if slices.Sort(all); len(all) >= minBandSeries {
			p.Low, p.High = all[len(all)/4], all[len(all)-1-len(all)/4]
		}
		p.Text = fmt.Sprintf("%s, %s: %s", formatDate(started[id]), line, percentText(p.Y))
		points = append(points, p)
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return points
}

// changeEvents returns an event for each change that is shown in a panel, with the changed conditions.
func (t *runTimeline) changeEvents(at overTimePanel) (events []Event) {
	for _, c := range t.changes {
		if operation, warm := c.Direction(); operation != "" && rowOf(operation, warm) != at.panelRow ||
			c.Series != nil && panelOverTime(*c.Series) != at ||
			at.api != "" && c.Group != nil && c.Group.API != "" && c.Group.API != at.api {
			continue
		}
		e := Event{
			At:   c.Found.Since,
			Text: joinNonEmpty(", ", history.FoundChangeText(c), history.ConditionChangesText(c.Found.Differs, false)),
		}
		if c.Found.Incident != nil {
			e.Until = c.Found.Incident.Until
		}
		events = append(events, e)
	}
	return events
}

// endEvents returns an event at each last run of series that have ended.
func endEvents(series []history.Series) (events []Event) {
	ended := filterSlice(series, func(s history.Series) bool { return s.Ended != nil })
	for _, g := range groupByKey(ended, func(s history.Series) time.Time { return *s.Ended }) {
		apis := mapSlice(g.items, func(s history.Series) string { return figures.APILabel(s.API) })
		slices.Sort(apis)
		events = append(events, Event{
			At: g.key, Text: strings.Join(slices.Compact(apis), ", ") + ": last run " + formatDate(g.key),
		})
	}
	return events
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
			n.Text = noFiguresText(m)
			if i+1 < len(t.Runs) && !t.Runs[i+1].InSeries && noFiguresText(t.Runs[i+1]) == n.Text {
				n.Text = ""
				alike++
				break
			}
			if alike > 1 {
				n.Text = fmt.Sprintf("%d runs %s", alike, n.Text)
			}
			alike = 1
		case len(m.Differs) > 0:
			n.Text = history.ConditionChangesText(m.Differs, false)
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
func noFiguresText(m history.TimelineRun) string {
	if m.State == result.Complete {
		return "no figures"
	}
	return joinNonEmpty(": ", string(m.State), m.Message)
}

func formatDate(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// captionText returns the caption of the picture: which changes were found, and how to read the picture.
func (t *runTimeline) captionText(series []history.Series) string {
	var all []string
	isIncident := func(c history.Distinct[history.FoundChange]) bool { return c.Found.Incident != nil }
	incidents := len(filterSlice(t.changes, isIncident))
	few := history.TooFewRunsText(series, t.nightly)
	switch {
	case few != "":
		all = append(all, units.Count(len(series), "series", "series")+": "+few+".")
	case incidents == len(t.changes):
		all = append(all, "No lasting change was found.")
	default:
		all = append(all, "A vertical line is a lasting change that was found, with the difference between the "+
			"values after it and before it.")
	}
	if !t.nightly && history.TooFewRunsText(series, true) != "" {
		all = append(all, fmt.Sprintf("A search with 'h5perf trend --nightly' needs %d runs.", stats.MinNightlySeries))
	}
	if incidents > 0 {
		all = append(all, "A grey band is an incident: a change that lasts for one to five runs.")
	}
	return strings.Join(append(all, "A marker is the geometric mean over the series of a line in a run. A coloured "+
		"band is the middle half of these series."), " ")
}

// legendKeys returns the entries of the legend that explain the level and the symbols in the drawn panels.
func (t *runTimeline) legendKeys(drawn []Panel) []LegendKey {
	keys := []LegendKey{{Name: t.levelText(), Colour: Muted, Dashed: true}}
	return append(keys, filterSlice([]LegendKey{changedKey, failedKey}, func(k LegendKey) bool {
		return len(drawn) > 0 && slices.ContainsFunc(drawn[0].Events, func(e Event) bool { return e.key() == k })
	})...)
}

// levelText returns the date and the note of the reference, or what is there instead.
func (t *runTimeline) levelText() string {
	if t.reference == nil {
		return t.levelName()
	}
	note := []rune(t.reference.Note)
	if len(note) > maxNoteLength {
		note = append(note[:maxNoteLength], '…')
	}
	return joinNonEmpty(": ", "reference set "+formatDate(t.reference.Time), string(note))
}

// maxNoteLength is the number of characters of the note of a reference that a picture shows.
const maxNoteLength = 60

// sourceText says of which runs the picture is.
func (t *runTimeline) sourceText() string {
	return joinNonEmpty(", ", t.identityText(), units.Count(len(t.Runs), "run", "runs"),
		"newest "+formatDate(t.Runs[len(t.Runs)-1].Started))
}
