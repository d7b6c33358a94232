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
	Now      string // throughput now, relative to the reference, the best level, or the runs before
	Since    string // the worst fall or, without one, the latest change
	Changed  string // what else changed when that began
	Newest   string // start of the newest run
	Fell     bool

	ratio, low, high float64 // of Now; NaN if it is unknown
}

// stripRow returns the line of the timeline.
func (t *runTimeline) stripRow() stripRow {
	row := stripRow{
		ID: "over-time-" + t.pageName(), Name: t.identityText(), Since: "no lasting change found",
		Fell:   len(t.falls) > 0,
		Newest: formatDate(t.newestRun().Started), ratio: math.NaN(),
	}
	switch fall := t.worstFall(); {
	case fall != nil:
		f := fall.Found
		row.ratio, row.low, row.high = f.Ratio, f.Ratio, f.Ratio
		setInterval := func(low, high *float64) {
			if low != nil && high != nil {
				row.low, row.high = *low, *high
			}
		}
		switch {
		case f.Reference != nil:
			row.Now = "of the reference of " + formatDate(f.Reference.ReferenceTime)
			setInterval(f.Reference.Low, f.Reference.High)
		case f.Best != nil:
			row.Now = "of its best level, until " + formatDate(f.Best.Until)
			setInterval(f.Best.Low, f.Best.High)
		default:
			row.Now = "of the level before"
			setInterval(f.Change.Low, f.Change.High)
		}
		row.Since = fall.ScopeText() + ": less than before"
		if begun := t.changeOfFall(*fall); begun != nil {
			row.Since = changeText(*begun)
			row.Changed = changesText(begun.Found.Differs, true)
		}
	case t.newest != nil && t.newest.All != nil:
		all := t.newest.All
		row.Now = "of the " + units.Count(t.newest.Runs, "run", "runs") + " before"
		if t.newest.ReferenceTime != nil {
			row.Now = "of the reference of " + formatDate(*t.newest.ReferenceTime)
		}
		row.ratio, row.low, row.high = all.Ratio, all.Ratio, all.Ratio
	}
	if !math.IsNaN(row.ratio) {
		text := percentText(row.ratio)
		if row.low < row.high {
			text += " (" + percentText(row.low) + " to " + percentText(row.high) + ")"
		}
		row.Now = text + " " + row.Now
	}
	return row
}

// changeOfFall returns the latest change of the group or series that has fallen, or of a larger group.
func (t *runTimeline) changeOfFall(
	fall history.Distinct[history.Fall],
) (latest *history.Distinct[history.FoundChange]) {
	for i, c := range t.changes {
		if c.Found.Ratio < 1 && c.Contains(fall.SeriesOrGroup) &&
			(latest == nil || c.Found.Since.After(latest.Found.Since)) {
			latest = &t.changes[i]
		}
	}
	return latest
}

// stripPicture makes the verdict strip: a row for each timeline.
func stripPicture(rows []stripRow) Picture {
	panel := Panel{Title: "now", Subtitle: "throughput, compared with before", Wide: true, Level: 1}
	var ratios []float64
	fell := 0
	for _, r := range rows {
		panel.Rows = append(panel.Rows, Row{
			Key: LegendKey{Colour: stripColour(r.Fell), Marker: Diamond}, Name: r.Name, Conclusion: r.Now,
			Note: joinNonEmpty("; ", r.Since, r.Changed, "newest run "+r.Newest), Value: r.ratio, Low: r.low,
			High: r.high, Interval: r.low < r.high, Hollow: !r.Fell,
		})
		if !math.IsNaN(r.ratio) {
			ratios = append(ratios, r.ratio, r.low, r.high)
		}
		if r.Fell {
			fell++
		}
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

// stripColour returns the colour of a row.
func stripColour(fell bool) ThemeColour {
	if fell {
		return Red
	}
	return Muted
}
