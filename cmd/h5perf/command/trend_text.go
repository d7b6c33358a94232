package command

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// trendText writes the trend as text.
func trendText(w io.Writer, t history.Trend) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs", t.Runs)
	if first, last, found := span(t); found {
		fmt.Fprintf(&b, " from %s to %s", minute(first), minute(last))
	}
	fmt.Fprintf(&b, "; %d not used", len(t.Unused))
	if n := len(t.Skipped); n > 0 {
		fmt.Fprintf(&b, "; %s skipped", counted(n, "file"))
	}
	b.WriteByte('\n')
	for _, u := range t.Unused {
		fmt.Fprintf(&b, "not used: %s %s %s %s\n", minute(u.Started), u.State, u.Path, u.Message)
	}
	byWindow := func(s history.Series) bool { return s.Basis == result.BasisWindow }
	if len(t.Series) > 0 && !slices.ContainsFunc(t.Series, byWindow) {
		fmt.Fprintf(&b, "%s\n", bySlowest)
	}
	for _, r := range t.References {
		b.WriteString(referenceLine(r))
	}
	b.WriteByte('\n')
	against := ""
	if len(t.References) > 0 {
		against = "\tagainst the reference"
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table,
		"verdict\tpoint\truns\tlast run\tsince\tdifference\t"+stats.Interval+"\tp, corrected\twould show"+against)
	for _, g := range t.Groups {
		if len(g.ChangePoints) == 0 && g.Operation != "" && !below(g.Reference) {
			continue // what groups within others would show says little
		}
		row := []string{string(g.Verdict), groupName(g), strconv.Itoa(g.Runs), ""}
		row = append(append(row, lastChange(g.ChangePoints)...), wouldShow(g.Power))
		if against != "" {
			row = append(row, distance(g.Reference))
		}
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	for _, s := range t.Series {
		verdict := string(s.Verdict)
		if s.Verdict == history.NotComparable {
			verdict = "too few runs"
		}
		last := s.Runs[len(s.Runs)-1]
		row := []string{verdict, seriesName(s), strconv.Itoa(len(s.Runs)), units.FormatRate(last.Median)}
		row = append(append(row, lastChange(s.ChangePoints)...), wouldShow(s.Power))
		if against != "" {
			row = append(row, distance(s.Reference))
		}
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	_ = table.Flush() // writing to a builder cannot fail
	b.WriteByte('\n')
	for _, g := range t.Groups {
		b.WriteString(changeLines(groupName(g), g.ChangePoints))
	}
	for _, s := range t.Series {
		b.WriteString(changeLines(seriesName(s), s.ChangePoints))
	}
	for _, line := range redefined(t) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	b.WriteString(trendSummary(t))
	_, err := io.WriteString(w, b.String())
	return err
}

// span returns when the first and the last run started, and whether there is any.
func span(t history.Trend) (first, last time.Time, found bool) {
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

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func seriesName(s history.Series) string {
	return strings.Join([]string{
		pointName(s.Place, s.Settings), s.Identity.Cluster, s.Identity.Filesystem, s.Identity.Label,
	}, ", ")
}

// changeCells returns cells of a change point: its time, the difference, the interval of that, and p.
func changeCells(c history.ChangePoint) []string {
	interval := "too few for one"
	if c.Low != nil && c.High != nil {
		interval = percent(*c.Low) + " to " + percent(*c.High)
	}
	return []string{minute(c.Since), percent(c.Ratio), interval, strconv.FormatFloat(c.CorrectedP, 'g', 2, 64)}
}

// trendSummary returns lines that say how many shifts there are, and how much the search can be relied on.
func trendSummary(t history.Trend) string {
	series, groups := 0, 0
	for _, s := range t.Series {
		series += min(1, len(s.ChangePoints))
	}
	for _, g := range t.Groups {
		groups += min(1, len(g.ChangePoints))
	}
	how := "looking once shows a shift anywhere in at most 5 % of trees"
	if t.Nightly {
		how = "looking after each night shows a shift anywhere in at most 5 % of years"
	}
	text := referenceSummary(t)
	text += fmt.Sprintf("%d series: %d with a shift. %s of series: %d with a shift. Where nothing changes, %s.\n",
		len(t.Series), series, counted(len(t.Groups), "group"), groups, how)
	if len(t.Series) > 0 {
		text += "Would show: the smallest lasting fall that these runs would have shown, and after how many runs one " +
			"by 20 % is shown that begins now; with a probability of 0.9.\n"
	}
	return text
}

// referenceLine returns a line about a reference: whose it is, when, by whom and why it was set, and what is missing.
func referenceLine(r history.Reference) string {
	line := fmt.Sprintf("reference of %s, %s, %s: %s, set %s by %s: %s", r.Identity.Cluster, r.Identity.Filesystem,
		r.Identity.Label, runCount(len(r.Runs)), minute(r.Time), r.By, r.Note)
	if n := len(r.Missing); n > 0 {
		line += fmt.Sprintf("; %d of them not among these runs: %s", n, strings.Join(r.Missing, ", "))
	}
	return line + "\n"
}

// referenceSummary returns a line that says how many series are below and above their references; "" without any.
func referenceSummary(t history.Trend) string {
	if len(t.References) == 0 {
		return ""
	}
	with, counts := 0, map[history.Verdict]int{}
	for _, s := range t.Series {
		if s.Reference != nil {
			with++
			counts[s.Reference.Verdict]++
		}
	}
	return fmt.Sprintf("%d of %d series have a reference, and runs after it: %d below it, %d above it, %d with too "+
		"few runs to judge. Their intervals all hold together with %g %%.\n",
		with, len(t.Series), counts[history.Worse], counts[history.Better],
		counts[history.NotComparable], 100*t.Level)
}

// below reports whether the present is below the reference.
func below(d *history.Distance) bool { return d != nil && d.Verdict == history.Worse }

// distance returns the cell that compares the present with the reference.
func distance(d *history.Distance) string {
	if d == nil {
		return ""
	}
	text := percent(d.Ratio)
	if d.Low != nil && d.High != nil {
		text += " (" + percent(*d.Low) + " to " + percent(*d.High) + ")"
	}
	switch d.Verdict {
	case history.Worse:
		return "below: " + text
	case history.Better:
		return "above: " + text
	case history.NoDifference:
		return "as it: " + text
	}
	return "too few runs: " + text
}

// groupName returns the name of a group of series in words.
func groupName(g history.Group) string {
	words := []string{fmt.Sprintf("all %d series", g.Count)}
	if g.Operation != "" {
		of := string(g.Operation)
		if g.PageCache == "warm" {
			of += ", warm"
		}
		if g.API != "" {
			of += ", " + g.API
		}
		words[0] += " of " + of
	}
	for _, s := range g.Settings {
		words = append(words, s.Name+" "+s.Value)
	}
	return strings.Join(append(words, g.Identity.Cluster, g.Identity.Filesystem, g.Identity.Label), ", ")
}

// lastChange returns the cells of the last change point, which are empty if there is none.
func lastChange(all []history.ChangePoint) []string {
	if len(all) == 0 {
		return make([]string, 4)
	}
	return changeCells(all[len(all)-1])
}

// wouldShow returns what the search in a series could show.
func wouldShow(p history.Power) string {
	now, later := "no fall", ""
	if p.Visible != nil {
		now = percent(*p.Visible)
	}
	switch {
	case p.Visible == nil && p.Needed == nil:
		return ""
	case p.Needed != nil:
		later = fmt.Sprintf("; -20 %% after %d", *p.Needed)
	}
	return now + later
}

// changeLines returns lines that tell of the change points before the last one, and of what differs at each.
func changeLines(name string, all []history.ChangePoint) string {
	var b strings.Builder
	for i, change := range all {
		cells := changeCells(change)
		if i < len(all)-1 {
			fmt.Fprintf(&b, "%s: before that, since %s: %s (%s), p %s\n", name, cells[0], cells[1], cells[2], cells[3])
		}
		for _, d := range change.Differs {
			fmt.Fprintf(&b, "%s: at %s differs: %s\n", name, cells[0], d)
		}
	}
	return b.String()
}
