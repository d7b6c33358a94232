package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/chart"
	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// timeline is several runs of one setting. They are shown together, over time.
type timeline struct {
	history.Timeline
	runs      map[string]*figures.Run // by run id
	series    []history.Series
	groups    []history.Group
	reference *history.Reference // nil if none is set
	points    map[pointKey]figures.Point
}

// pointKey identifies a point of a run of a timeline.
type pointKey struct {
	run   string
	place history.Place
}

// timelines returns the timelines of a trend that have any point in several runs.
func timelines(runs []figures.Run, trend history.Trend) (all []*timeline) {
	type key struct {
		id string
		of result.Identity
	}
	index := map[key]*figures.Run{}
	for i := range runs {
		index[key{runs[i].RunID, runs[i].Identity}] = &runs[i]
	}
	for _, line := range trend.Timelines {
		t := &timeline{Timeline: line, runs: map[string]*figures.Run{}, points: map[pointKey]figures.Point{}}
		for _, s := range trend.Series {
			if s.Group == line.Group {
				t.series = append(t.series, s)
			}
		}
		if !slices.ContainsFunc(t.series, severalRuns) {
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
			if !m.Used {
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

func severalRuns(s history.Series) bool { return len(s.Runs) > 1 }

// earlier returns the ids of runs that need not be drawn alone: there is a later run, and each of their points is in a
// later run too.
func (t *timeline) earlier() map[string]bool {
	all := map[string]bool{}
	for _, m := range t.Runs[:len(t.Runs)-1] {
		all[m.RunID] = true
	}
	for _, s := range t.series {
		delete(all, s.Runs[len(s.Runs)-1].RunID)
	}
	return all
}

// alone returns the runs that are drawn alone: those without a later run in a timeline that has all of their points. If
// there are timelines, the newest run is the first.
func alone(runs []figures.Run, lines []*timeline) []figures.Run {
	earlier := map[*figures.Run]bool{}
	for _, t := range lines {
		for id := range t.earlier() {
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

// overTime returns the figures of timelines of runs.
func overTime(runs []figures.Run, lines []*timeline) (all []chart.Figure) {
	apis := newPalette(figures.APIs(runs))
	for i, t := range lines {
		all = append(all, t.figure(apis, i+1, len(lines) > 1))
	}
	return all
}

// slimmer returns a wide panel as wide as others, and whether it is a wide one.
func slimmer(p chart.Panel) (chart.Panel, bool) {
	t, over := p.(chart.Timeline)
	wide := over && t.Wide
	t.Wide = false
	return t, wide
}

// caseOf is a case without its API: what a row of panels shows.
type caseOf struct {
	workload         string
	processes, nodes int
	transfer, buffer uint64
}

func caseOfSeries(s history.Series) caseOf {
	return caseOf{s.Workload, s.Processes, s.Nodes, s.TransferBytes, s.BufferBytes}
}

// words returns the case in words.
func (c caseOf) words() string {
	size := float64(cmp.Or(c.buffer, c.transfer))
	return processes(c.processes) + ", " + cmp.Or(c.workload, units.FormatBytes(size))
}

// figure draws the timeline: one wide panel for each direction of the case that matters most, and small panels of the
// other cases. number distinguishes the timelines of a page.
func (t *timeline) figure(apis palette, number int, several bool) chart.Figure {
	cases := only(grouped(t.series, caseOfSeries), func(g group[caseOf, history.Series]) bool {
		return slices.ContainsFunc(g.items, severalRuns)
	})
	most := first(cases)
	cases = slices.Concat(cases[most:most+1], cases[:most], cases[most+1:])
	f := chart.Figure{Name: "over-time", Title: "Throughput over time", Caption: t.caption()}
	if several {
		f.Name += fmt.Sprintf("-%d", number)
		f.Title += ": " + t.words()
	}
	var drawn, more []chart.Timeline
	for i, c := range cases {
		if i == 0 {
			drawn = t.panels(apis, c.key, c.items, true)
		} else {
			more = append(more, t.panels(apis, c.key, c.items, false)...)
		}
	}
	for _, g := range grouped(more, func(p chart.Timeline) string { return p.Kind }) {
		drawn = append(drawn, g.items...)
	}
	f.Keys, f.Panels = t.keys(drawn), panels(drawn)
	return f
}

// words returns what distinguishes the runs from others.
func (t *timeline) words() string {
	all := []string{t.Identity.Cluster, t.Identity.Filesystem, t.Identity.Label}
	for _, s := range t.Settings {
		all = append(all, s.Name+" "+s.Value)
	}
	return words(", ", all...)
}

// first returns the index of the case that matters most: of those in which about the largest change was found, one with
// the most APIs, and the highest throughput.
func first(cases []group[caseOf, history.Series]) (best int) {
	type weight struct {
		change  float64
		apis    int
		highest float64
	}
	weights, largest := make([]weight, len(cases)), 0.0
	for i, c := range cases {
		w := &weights[i]
		w.apis = len(grouped(c.items, func(s history.Series) string { return s.API }))
		for _, s := range c.items {
			w.highest = max(w.highest, s.Runs[len(s.Runs)-1].Median)
			for _, c := range s.ChangePoints {
				w.change = max(w.change, math.Abs(math.Log(c.Ratio)))
			}
			if s.Reference != nil && s.Reference.Verdict == history.Worse {
				w.change = max(w.change, math.Abs(math.Log(s.Reference.Ratio)))
			}
		}
		largest = max(largest, w.change)
	}
	for i, w := range weights {
		of := weights[best]
		big, bigger := of.change >= 0.8*largest, w.change >= 0.8*largest
		if bigger != big {
			if bigger {
				best = i
			}
		} else if cmp.Or(cmp.Compare(w.apis, of.apis), cmp.Compare(w.highest, of.highest)) > 0 {
			best = i
		}
	}
	return best
}

// direction is the operation of a panel, with warm reads apart.
type direction struct {
	operation result.Operation
	warm      bool
}

func directionOf(s history.Series) direction {
	return direction{s.Operation, s.PageCache == history.Warm}
}

func (d direction) String() string {
	if d.warm {
		return string(d.operation) + ", " + history.Warm
	}
	return string(d.operation)
}

// panels returns a panel for each direction of a case.
func (t *timeline) panels(apis palette, of caseOf, series []history.Series, first bool) (all []chart.Timeline) {
	var rates []float64
	shown := func(p figures.Point) []float64 { return []float64{p.Rate.Median, p.Rate.Low, p.Rate.High} }
	points := func(s history.Series) (all []figures.Point) {
		for _, r := range s.Runs {
			if p, there := t.points[pointKey{r.RunID, s.Place}]; there {
				all = append(all, p)
			}
		}
		return all
	}
	for _, s := range series {
		for _, p := range points(s) {
			rates = append(rates, shown(p)...)
		}
	}
	log := wide(rates)
	directions := grouped(series, directionOf)
	slices.SortFunc(directions, func(a, b group[direction, history.Series]) int {
		return cmp.Or(cmp.Compare(b.key.operation, a.key.operation), cmp.Compare(a.key.String(), b.key.String()))
	})
	for i, d := range directions {
		rates = nil
		for _, s := range d.items {
			for _, p := range points(s) {
				rates = append(rates, shown(p)...)
			}
		}
		y, unit := rateAxis(rates, log)
		panel := chart.Timeline{
			Title: d.key.String() + ", " + of.words(), Kind: d.key.String(), Wide: first, From: t.Runs[0].Started,
			To: t.Runs[len(t.Runs)-1].Started, Y: y, Changes: t.changes(d.key, d.items),
			Events: t.events(first && i == len(directions)-1),
		}
		for _, s := range d.items {
			line := chart.Series{Key: apis.key(s.API, figures.API(s.API))}
			for _, p := range points(s) {
				line.Points = append(line.Points, chart.Point{
					X: chart.Seconds(p.Run.Started), Y: p.Rate.Median / unit, Low: p.Rate.Low / unit,
					High: p.Rate.High / unit, Interval: p.Rate.Interval, Open: capped(p),
				})
			}
			panel.Series = append(panel.Series, line)
			if level, there := t.level(s, line.Key.Ink, unit); there {
				panel.Levels = append(panel.Levels, level)
			}
		}
		t.name(panel.Levels)
		all = append(all, panel)
	}
	return all
}

// capped reports whether the case of a point ended before it had as many samples as were wanted.
func capped(p figures.Point) bool {
	return figures.Capped(p.Run.Parameters, p.Case.EndedBy, p.Samples) != ""
}

// level returns the level of the reference of a series, as history.Distance has it.
func (t *timeline) level(s history.Series, ink chart.Ink, unit float64) (l chart.Level, found bool) {
	if t.reference == nil {
		return l, false
	}
	var medians []float64
	l.Ink = ink
	for _, r := range s.Runs {
		if slices.Contains(t.reference.Runs, r.RunID) {
			if medians == nil {
				l.From = r.Started
			}
			medians = append(medians, r.Median)
		}
	}
	if medians == nil {
		return l, false
	}
	l.Y = stats.Middle(medians) / unit
	return l, true
}

// name writes what the levels are at the highest one.
func (t *timeline) name(levels []chart.Level) {
	if len(levels) == 0 {
		return
	}
	highest := &levels[0]
	for i := range levels {
		if levels[i].Y > highest.Y {
			highest = &levels[i]
		}
	}
	highest.Text = "reference"
}

// referenceWords returns the name of the reference, or "" if none is set.
func (t *timeline) referenceWords() string {
	if t.reference == nil {
		return ""
	}
	note := []rune(t.reference.Note)
	if len(note) > longestNote {
		note = append(note[:longestNote], '…')
	}
	return words(": ", "reference set "+date(t.reference.Time), string(note))
}

// longestNote is how many characters of the note of a reference a picture shows.
const longestNote = 60

func date(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// difference returns a ratio in words, as a difference in per cent.
func difference(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

// changes returns the changes that were found in series of one direction of a case: at each run, the range of those of
// the series themselves if all have one, or each with its API, or else that of the smallest group of series.
func (t *timeline) changes(of direction, series []history.Series) (notes []chart.Note) {
	at := map[time.Time]bool{}
	add := func(since time.Time, text string) {
		if !at[since] {
			at[since] = true
			notes = append(notes, chart.Note{At: since, Text: text + " since " + date(since)})
		}
	}
	type found struct {
		series history.Series
		change history.ChangePoint
	}
	var own []found
	for _, s := range series {
		for _, c := range s.ChangePoints {
			own = append(own, found{s, c})
		}
	}
	for _, g := range grouped(own, func(f found) time.Time { return f.change.Since }) {
		low, high := math.Inf(1), 0.0
		var each []string
		for _, f := range g.items {
			low, high = min(low, f.change.Ratio), max(high, f.change.Ratio)
			each = append(each, figures.API(f.series.API)+" "+difference(f.change.Ratio))
		}
		switch {
		case len(g.items) < len(series):
			add(g.key, strings.Join(each, ", "))
		case difference(low) == difference(high):
			add(g.key, difference(low))
		default:
			add(g.key, difference(low)+" to "+difference(high))
		}
	}
	for _, g := range slices.Backward(t.groups) { // the smallest groups are the last ones
		if g.Operation != "" && (direction{g.Operation, g.PageCache == history.Warm}) != of ||
			g.API != "" && !slices.ContainsFunc(series, func(s history.Series) bool { return s.API == g.API }) {
			continue
		}
		for _, c := range g.ChangePoints {
			if g.Operation != "" || !t.explained(c) {
				add(c.Since, g.Scope()+" "+difference(c.Ratio))
			}
		}
	}
	return notes
}

// explained reports whether a change of all series together is also one of some of them, which began at most two runs
// away. The others need not have changed.
func (t *timeline) explained(change history.ChangePoint) bool {
	near := func(c history.ChangePoint) bool { return max(c.Index-change.Index, change.Index-c.Index) <= 2 }
	for _, s := range t.series {
		if slices.ContainsFunc(s.ChangePoints, near) {
			return true
		}
	}
	return slices.ContainsFunc(t.groups, func(g history.Group) bool {
		return g.Operation != "" && slices.ContainsFunc(g.ChangePoints, near)
	})
}

// events returns what differed in a run from the run before it, and which runs have no figures, with words or without.
// Words are at the last one of runs that follow one another without figures for the same reason.
func (t *timeline) events(words bool) (notes []chart.Note) {
	alike := 1 // runs that have no figures for the same reason as the next one, and that one
	for i, m := range t.Runs {
		n := chart.Note{At: m.Started, Failed: !m.Used}
		switch {
		case n.Failed:
			n.Text = t.cause(m)
			if i+1 < len(t.Runs) && !t.Runs[i+1].Used && t.cause(t.Runs[i+1]) == n.Text {
				n.Text = ""
				alike++
				break
			}
			if alike > 1 {
				n.Text = fmt.Sprintf("%d runs %s", alike, n.Text)
			}
			alike = 1
		case len(m.Differs) > 0:
			n.Text = changed(m.Differs, false)
		default:
			continue
		}
		if !words {
			n.Text = ""
		}
		notes = append(notes, n)
	}
	return notes
}

// cause returns why a run has no figures.
func (t *timeline) cause(m history.Moment) string {
	if m.State == result.Complete {
		return "no figures"
	}
	return words(": ", string(m.State), m.Message)
}

// keys returns the keys of panels.
func (t *timeline) keys(drawn []chart.Timeline) []chart.Key {
	var lines []chart.Lines
	open, level, differ, failed := false, false, false, false
	for _, p := range drawn {
		lines = append(lines, chart.Lines{Series: p.Series})
		level = level || len(p.Levels) > 0
		for _, s := range p.Series {
			open = open || slices.ContainsFunc(s.Points, func(p chart.Point) bool { return p.Open })
		}
		for _, e := range p.Events {
			differ, failed = differ || !e.Failed, failed || e.Failed
		}
	}
	keys := distinct(lines)
	for _, k := range []struct {
		shown bool
		key   chart.Key
	}{
		{open, chart.Key{Name: "stopped before it had the samples that were wanted", Ink: chart.Muted, Open: true}},
		{level, chart.Key{Name: t.referenceWords(), Ink: chart.Muted, Level: true}},
		{differ, chart.Key{Name: "something else changed", Event: &chart.Note{}}},
		{failed, chart.Key{Name: "a run without figures", Event: &chart.Note{Failed: true}}},
	} {
		if k.shown {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// caption returns what was found, and how to read the figure.
func (t *timeline) caption() string {
	var all []string
	changes, long := 0, false
	for _, s := range t.series {
		changes += min(1, len(s.ChangePoints))
		long = long || len(s.Runs) >= stats.MinSeries
	}
	for _, g := range t.groups {
		changes += min(1, len(g.ChangePoints))
	}
	switch {
	case !long:
		all = append(all, fmt.Sprintf("There are too few runs to search for changes: %d are needed.", stats.MinSeries))
	case changes == 0:
		all = append(all, "No lasting change was found."+t.visible())
	default:
		all = append(all, "A vertical line is a lasting change that was found, with the difference between the "+
			"throughputs after it and before it.")
	}
	if t.reference != nil {
		all = append(all, t.against())
	}
	return strings.Join(append(all, "A marker is the median of a run. A bar with caps is its "+stats.Interval+
		". A bar without caps is the range of the samples. Times are to scale, in UTC; a line has a gap where much more "+
		"than the usual time lies between two runs, or where a run has no figures."), " ")
}

// visible returns a sentence about the fall that would have been found in all series together.
func (t *timeline) visible() string {
	for _, g := range t.groups {
		if g.Operation == "" && g.Visible != nil {
			return fmt.Sprintf(" A lasting fall of all series by %s would be found with a probability of 0.9.",
				strings.TrimPrefix(difference(*g.Visible), "-"))
		}
	}
	return ""
}

// against returns a sentence about the present and the reference.
func (t *timeline) against() string {
	below, above, with := 0, 0, 0
	for _, s := range t.series {
		if s.Reference == nil {
			continue
		}
		with++
		switch s.Reference.Verdict {
		case history.Worse:
			below++
		case history.Better:
			above++
		}
	}
	r := t.reference
	text := fmt.Sprintf("Of %d series that can be compared with the reference (%s, set %s), %d are below it and %d "+
		"above it.", with, units.Count(len(r.Runs), "run", "runs"), date(r.Time), below, above)
	for _, g := range t.groups {
		if g.Reference != nil && g.Reference.Verdict == history.Worse && g.Operation != "" && g.API == "" {
			text += " " + sentence(g.Scope()+" "+difference(g.Reference.Ratio)) + "."
		}
	}
	return text
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
