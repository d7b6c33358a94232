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

	ratio, low, high float64 // of Now; NaN if it is unknown
}

// stripRow returns the line of the timeline.
func (t *runTimeline) stripRow() stripRow {
	s := history.Summarize(t.changes, t.falls, t.newest)
	row := stripRow{
		ID: "over-time-" + t.pageName(), Name: t.identityText(), Since: s.Since, Changed: s.Changed, Fell: s.Fell,
		Newest: formatDate(t.newestRun().Started), ratio: s.Ratio, low: s.Low, high: s.High,
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
	fell := 0
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
		panel.Rows, ratios = append(panel.Rows, row), append(ratios, r.ratio, r.low, r.high)
	}
	panel.X = ratioAxis(ratios...)
	return Picture{
		Name: "verdict", Title: fmt.Sprintf("%d of %s fell", fell, units.Count(len(rows), "file system",
			"file systems")),
		Caption: "Relative to the reference. Without one: to the best level or, if only one fall was found, to the " +
			"level before it; if nothing fell, the newest run relative to the runs before.",
		Panels: []Panel{panel},
	}
}
