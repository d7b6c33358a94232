package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

func trendText(t history.Trend) string {
	var text plain.LineBuilder
	heading := runCountText(t.Runs)
	if first, last, found := firstAndLastStart(t); found {
		heading += fmt.Sprintf(" from %s to %s", formatMinute(first), formatMinute(last))
	}
	heading += fmt.Sprintf("; %d not used", len(t.Unused))
	if n := len(t.Skipped); n > 0 {
		heading += fmt.Sprintf("; %s skipped", units.Count(n, "file", "files"))
	}
	text.Add("%s", heading)
	for _, u := range t.Unused {
		line := fmt.Sprintf("not used: %s %s %s", formatMinute(u.Started), u.State, u.Path)
		if u.Message != "" {
			line += " " + u.Message
		}
		if u.UsedPoints > 0 {
			line += fmt.Sprintf("; use --partial to include its %s", units.Count(u.UsedPoints, "figure", "figures"))
		}
		text.Add("%s", line)
	}
	for _, u := range t.Partial {
		text.Add("partial: %s %s %s: %s, measured before it ended", formatMinute(u.Started), u.State, u.Path,
			units.Count(u.UsedPoints, "figure", "figures"))
	}
	for _, r := range t.References {
		text.Add("%s", referenceLine(r))
	}
	text.Add("")
	names := []string{
		"verdict", "point", "runs", "last run", "since", "difference", stats.Interval, "p, corrected", "would show",
	}
	against := len(t.References) > 0
	if against {
		names = append(names, "against the reference")
	}
	rows := [][]string{names}
	for _, g := range t.Groups {
		if !hasCurrentChange(g.Findings) && g.Operation != "" && !isBelowReference(g.Reference) {
			continue // a change in a small group says little by itself
		}
		row := []string{verdictCell(g.Findings, g.Present), groupName(g), strconv.Itoa(g.Runs), endedText(g.Ended)}
		row = append(row, currentChangeCells(g.Findings, g.Present, newestStart(t, g.Identity))...)
		row = append(row, detectableFallCell(g.Power, g.Findings))
		if against {
			row = append(row, referenceCell(g.Reference))
		}
		rows = append(rows, row)
	}
	for _, s := range t.Series {
		row := []string{verdictCell(s.Findings, s.Present), seriesName(s), strconv.Itoa(len(s.Runs)), lastRunCell(s)}
		row = append(row, currentChangeCells(s.Findings, s.Present, newestStart(t, s.Identity))...)
		row = append(row, detectableFallCell(s.Power, s.Findings))
		if against {
			row = append(row, referenceCell(s.Reference))
		}
		rows = append(rows, row)
	}
	const always = 4 // number of columns that do not depend on changes
	few := history.TooFewRunsText(t.Series, t.Nightly)
	if table := dropEmptyColumns(rows, always); len(t.Series) > 0 && (few == "" || len(table[0]) > always) {
		text.Table(table, 2)
		text.Add("")
	}
	if few != "" && len(t.Series) > 0 {
		text.Add("%d series: %s.", len(t.Series), few)
	}
	for _, g := range t.Groups {
		addChangeLines(&text, groupName(g), g.Findings)
	}
	for _, s := range t.Series {
		addChangeLines(&text, seriesName(s), s.Findings)
	}
	addPastIncidentLines(&text, t)
	for _, line := range slices.Concat(bestLevelLines(t), trendSummary(t), newestLines(t)) {
		text.Add("%s", line)
	}
	return text.String()
}

// firstAndLastStart returns the start times of the first and of the last run in the trend. found reports whether there
// is a run.
func firstAndLastStart(t history.Trend) (first, last time.Time, found bool) {
	for _, s := range t.Series {
		begin, end := s.Runs[0].Started, s.Runs[len(s.Runs)-1].Started
		if !found || begin.Before(first) {
			first = begin
		}
		if !found || end.After(last) {
			last = end
		}
		found = true
	}
	return first, last, found
}

func runCountText(n int) string { return units.Count(n, "run", "runs") }

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func seriesName(s history.Series) string {
	return strings.Join([]string{
		pointName(s.Place, s.Conditions), s.Identity.Cluster, s.Identity.Filesystem, s.Identity.Label,
	}, ", ")
}

// changeCells returns the table cells of a change: time, difference, interval of the difference, and p-value.
func changeCells(c history.Change) []string {
	interval := "too few runs"
	if c.Low != nil && c.High != nil {
		interval = formatPercent(*c.Low) + " to " + formatPercent(*c.High)
	}
	return []string{
		formatMinute(c.Since), formatPercent(c.Ratio), interval, strconv.FormatFloat(c.CorrectedP, 'g', 2, 64),
	}
}

// changePointCells returns the table cells of a lasting change.
func changePointCells(c history.ChangePoint) []string {
	cells := changeCells(c.Change)
	if c.Gradual {
		cells[0] += ", slowly"
	}
	return cells
}

// countsText says how many of several series or groups have a lasting change, and how many have an incident.
func countsText(all []history.Findings) string {
	lasting, incidents, ongoing := 0, 0, 0
	for _, f := range all {
		lasting += min(1, len(f.ChangePoints))
		incidents += min(1, len(f.Incidents))
		if f.OngoingIncident() != nil {
			ongoing++
		}
	}
	text := fmt.Sprintf("%d with a lasting change, %d with an incident", lasting, incidents)
	if ongoing > 0 {
		text += fmt.Sprintf(" (%d ongoing)", ongoing)
	}
	return text
}

// trendSummary returns lines that say how many series have a lasting change or an incident, and how probable a false
// alarm is.
func trendSummary(t history.Trend) (lines []string) {
	var series, groups []history.Findings
	for _, s := range t.Series {
		series = append(series, s.Findings)
	}
	for _, g := range t.Groups {
		groups = append(groups, g.Findings)
	}
	how := "If nothing changed, the probability of a false alarm is at most 5 %."
	if t.Nightly {
		how = "If nothing changes, the probability of a false alarm in a year is at most 5 %, when the command runs " +
			"after each night and a night says little about the next one."
	}
	if len(t.References) > 0 {
		lines = append(lines, referenceSummary(t))
	}
	lines = append(lines, fmt.Sprintf(
		"%d series: %s. %s of series: %s. %s", len(series), countsText(series),
		units.Count(len(groups), "group", "groups"), countsText(groups), how))
	if slices.ContainsFunc(slices.Concat(series, groups),
		func(f history.Findings) bool { return len(f.Incidents) > 0 }) {
		lines = append(lines, "An incident is a change that lasts for one to five runs. With the sixth run it becomes "+
			"a lasting change.")
	}
	if slices.ContainsFunc(t.Series,
		func(s history.Series) bool { return detectableFallCell(s.Power, s.Findings) != "" }) {
		lines = append(lines, "Would show: the smallest lasting fall that the search would detect in these runs with "+
			"a probability of 0.9, and the number of further runs that it needs to detect a lasting fall of 20 % that "+
			"begins with the next run. It tells a fall as an incident first. Of a series in a group, it is a fall in "+
			"relation to the others.")
	}
	return lines
}

// referenceLine describes a reference: cluster, file system, label, time, author, note, and runs that are missing among
// the runs of the trend.
func referenceLine(r history.Reference) string {
	line := fmt.Sprintf("reference of %s, %s, %s: %s, set %s by %s: %s", r.Identity.Cluster, r.Identity.Filesystem,
		r.Identity.Label, runCountText(len(r.Runs)), formatMinute(r.Time), r.Author, r.Note)
	if n := len(r.Missing); n > 0 {
		line += fmt.Sprintf("; %d of them are not among these runs: %s", n, strings.Join(r.Missing, ", "))
	}
	return line
}

// referenceSummary says how many series are below and above their references.
func referenceSummary(t history.Trend) string {
	with, counts := 0, map[history.Verdict]int{}
	for _, s := range t.Series {
		if s.Reference != nil {
			with++
			counts[s.Reference.Verdict]++
		}
	}
	return fmt.Sprintf("%d of %d series have both a reference and later runs: %d below it, %d above it, %d with "+
		"too few runs to judge. Their intervals together have a confidence of %g %%.",
		with, len(t.Series), counts[history.Worse], counts[history.Better],
		counts[history.NotComparable], 100*t.Level)
}

// isBelowReference reports whether the latest throughputs are significantly below the reference.
func isBelowReference(d *history.ReferenceComparison) bool {
	return d != nil && d.Verdict == history.Worse
}

// referenceCell returns the table cell that compares the latest results with the reference.
func referenceCell(d *history.ReferenceComparison) string {
	if d == nil {
		return ""
	}
	text := formatPercent(d.Ratio)
	if d.Low != nil && d.High != nil {
		text += " (" + formatPercent(*d.Low) + " to " + formatPercent(*d.High) + ")"
	}
	switch d.Verdict {
	case history.Worse:
		return "below: " + text
	case history.Better:
		return "above: " + text
	case history.NoDifference:
		return "no difference shown: " + text
	}
	return "too few runs: " + text
}

func groupName(g history.SeriesGroup) string {
	words := []string{g.ScopeText()}
	for _, s := range g.Conditions {
		words = append(words, conditionText(s))
	}
	return strings.Join(append(words, g.Identity.Cluster, g.Identity.Filesystem, g.Identity.Label), ", ")
}

// verdictCell returns the table cell with the verdict of the ongoing incident or, without one, of the last lasting
// change. Without either, it is about the newest run, if that differs. It also says if throughput rose, and is
// nevertheless below its best level.
func verdictCell(f history.Findings, p history.Present) string {
	switch p := p.Newest; {
	case hasCurrentChange(f):
	case isNewestShown(p):
		return "newest run " + string(p.Verdict)
	case p == nil:
	case p.Lowest:
		return "newest run lowest"
	case p.Highest:
		return "newest run highest"
	}
	if f.Verdict == history.NotComparable {
		return "too few runs"
	}
	cell := string(f.Verdict)
	if f.OngoingIncident() != nil {
		cell += ", incident"
	}
	if f.Verdict == history.Better && p.Ended == nil && history.BestLevelTellsMore(f, p) &&
		p.Best.Verdict == history.Worse {
		cell += ", below its best"
	}
	return cell
}

// newestStart returns the start of the newest run of an identity.
func newestStart(t history.Trend, of result.Identity) (start time.Time) {
	for _, r := range t.Newest {
		if r.Identity == of {
			start = r.Started
		}
	}
	return start
}

// isNewestShown reports whether the newest run was shown to differ from others.
func isNewestShown(p *history.PointPosition) bool {
	return p != nil && (p.Verdict == history.Worse || p.Verdict == history.Better)
}

// hasCurrentChange reports whether the table shows a change: there is an ongoing incident or a lasting change.
func hasCurrentChange(f history.Findings) bool {
	return f.OngoingIncident() != nil || len(f.ChangePoints) > 0
}

// currentChangeCells returns the table cells of the ongoing incident or, without one, of the last lasting change. If
// there is neither, they are about the newest run if it differs, and otherwise empty. started is its start.
func currentChangeCells(f history.Findings, p history.Present, started time.Time) []string {
	if i := f.OngoingIncident(); i != nil {
		return changeCells(i.Change)
	}
	if n := len(f.ChangePoints); n > 0 {
		return changePointCells(f.ChangePoints[n-1])
	}
	if n := p.Newest; isNewestShown(n) || n != nil && (n.Lowest || n.Highest) {
		return changeCells(history.Change{
			Since: started, Ratio: n.Ratio, Low: new(n.Ratio / n.ExpectedHigh), High: new(n.Ratio / n.ExpectedLow),
			CorrectedP: n.CorrectedP,
		})
	}
	return make([]string, 4)
}

// detectableFallCell returns the table cell with the smallest fall of throughput that the search could detect in a
// series. It returns "" if the table shows a change.
func detectableFallCell(p history.Power, f history.Findings) string {
	if hasCurrentChange(f) {
		return ""
	}
	now, later := "none", ""
	if p.DetectableRatio != nil {
		now = formatPercent(*p.DetectableRatio)
	}
	switch {
	case p.DetectableRatio == nil && p.RunsNeeded == nil:
		return ""
	case p.RunsNeeded != nil:
		later = "; -20 % after " + runCountText(*p.RunsNeeded)
	}
	return now + later
}

// addChangeLines adds lines about the changes of a series or group to text: a line for each lasting change that is not
// in the table, and a line for each condition that changed at a lasting change or at the ongoing incident.
func addChangeLines(text *plain.LineBuilder, name string, f history.Findings) {
	ongoing := f.OngoingIncident()
	for i, change := range f.ChangePoints {
		if cells := changePointCells(change); ongoing != nil || i < len(f.ChangePoints)-1 {
			text.Add("%s: earlier change at %s: %s (%s), p %s", name, cells[0], cells[1], cells[2], cells[3])
		}
		addConditionLines(text, name, change.Change)
	}
	if ongoing != nil {
		addConditionLines(text, name, ongoing.Change)
	}
}

// addConditionLines adds a line to text for each condition that changed with a change.
func addConditionLines(text *plain.LineBuilder, name string, c history.Change) {
	for _, d := range c.Differs {
		text.Add("%s: changed at %s: %s", name, formatMinute(c.Since), d)
	}
}

// addPastIncidentLines adds lines about the incidents that are over. A part of a group has no lines if an incident or
// change of the group explains its own.
func addPastIncidentLines(text *plain.LineBuilder, t history.Trend) {
	for _, d := range t.DistinctChanges() {
		c, i := d.Found.Change, d.Found.Incident
		if i == nil || i.Ongoing {
			continue
		}
		name, cells := seriesOrGroupName(d.SeriesOrGroup), changeCells(c)
		text.Add("%s: incident from %s to %s, %s: %s (%s), p %s", name, cells[0], formatMinute(i.Until),
			runCountText(i.Runs), cells[1], cells[2], cells[3])
		addConditionLines(text, name, c)
	}
}

// seriesOrGroupName returns the name of a group or series.
func seriesOrGroupName(of history.SeriesOrGroup) string {
	if of.Group != nil {
		return groupName(*of.Group)
	}
	return seriesName(*of.Series)
}
