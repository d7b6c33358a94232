package page

import (
	"fmt"
	"math"

	"h5perf/pkg/history"
	"h5perf/pkg/units"
)

// stripRow is the line of a timeline in the verdict strip.
type stripRow struct {
	ID, Link string
	Name     string
	Now      string // the values now, relative to the reference, the best level, or the runs before
	Since    string // the worst fall or, without one, the latest change
	Changed  string // what else changed when that began
	Newest   string // start of the newest run
	Fell     bool
	Unjudged bool // there is neither a reference nor a series with enough runs to look for a change

	ratio, low, high float64 // of Now; NaN if it is unknown
}

// stripRow returns the line of the timeline.
func (t *runTimeline) stripRow() stripRow {
	s := history.Summarize(t.changes, t.falls, t.newest)
	row := stripRow{
		ID: "over-time-" + t.pageName(), Name: t.identityText(), Since: s.Since, Changed: s.Changed, Fell: s.Fell,
		Newest: formatDate(t.newestRun().Started), ratio: s.Ratio, low: s.Low, high: s.High,
	}
	if few := history.TooFewRunsText(t.series, t.nightly); few != "" && !s.Fell && len(t.changes) == 0 {
		row.Since, row.Unjudged = "no search was possible: "+few, t.reference == nil
	}
	if !math.IsNaN(s.Ratio) {
		row.Now = percentText(s.Ratio)
		if s.Low < s.High {
			row.Now += " (" + percentText(s.Low) + " to " + percentText(s.High) + ")"
		}
		row.Now += " of " + s.Compared
	}
	return row
}

// stripPicture makes the verdict strip: a row for each timeline.
func stripPicture(rows []stripRow) Picture {
	panel := Panel{Title: "now", Subtitle: "compared with before", Wide: true, Level: 1}
	var ratios []float64
	fell, unjudged := 0, 0
	for _, r := range rows {
		row := Row{
			Key: LegendKey{Colour: Muted, Marker: Diamond}, Name: r.Name, Conclusion: r.Now,
			Note:  joinNonEmpty("; ", r.Since, r.Changed, "newest run "+r.Newest),
			Value: r.ratio, Low: r.low, High: r.high, Interval: r.low < r.high, Hollow: !r.Fell,
		}
		if r.Fell {
			row.Key.Colour = Red
			fell++
		}
		if r.Unjudged {
			unjudged++
		}
		panel.Rows, ratios = append(panel.Rows, row), append(ratios, r.ratio, r.low, r.high)
	}
	panel.X = ratioAxis(ratios...)
	title := fmt.Sprintf("%d of %s fell", fell, units.Count(len(rows), "file system", "file systems"))
	switch {
	case unjudged == len(rows):
		title = "Too few runs to see whether a file system fell"
	case unjudged > 0:
		title += fmt.Sprintf("; %d with too few runs to see it", unjudged)
	}
	return Picture{
		Name: "verdict", Title: title,
		Caption: "Relative to the reference. Without one: to the best level or, if only one fall was found, to the " +
			"level before it; if nothing fell, or only the newest run, this run relative to the runs before.",
		Panels: []Panel{panel},
	}
}
