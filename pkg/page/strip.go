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
		Newest: formatDate(t.newestRun().Started), ratio: math.NaN(), low: math.NaN(), high: math.NaN(),
	}
	var low, high *float64
	switch fall := t.worstFall(); {
	case fall != nil:
		f := fall.Found
		row.ratio = f.Ratio
		switch {
		case f.Reference != nil:
			row.Now, low, high = "of the reference of "+formatDate(f.Reference.ReferenceTime), f.Reference.Low, f.Reference.High
		case f.Best != nil:
			row.Now, low, high = "of its best level, until "+formatDate(f.Best.Until), f.Best.Low, f.Best.High
		default:
			row.Now, low, high = "of the level before", f.Change.Low, f.Change.High
		}
		row.Since = fall.ScopeText() + ": less than before"
		if begun := t.changeOfFall(*fall); begun != nil {
			row.Since, row.Changed = changeText(*begun), changesText(begun.Found.Differs, true)
		}
	case t.newest != nil && t.newest.All != nil:
		row.ratio, row.Now = t.newest.All.Ratio, "of the "+units.Count(t.newest.Runs, "run", "runs")+" before"
		if t.newest.ReferenceTime != nil {
			row.Now = "of the reference of " + formatDate(*t.newest.ReferenceTime)
		}
	default:
		return row
	}
	row.low, row.high = row.ratio, row.ratio
	text := percentText(row.ratio)
	if low != nil && high != nil {
		row.low, row.high = *low, *high
		text += " (" + percentText(row.low) + " to " + percentText(row.high) + ")"
	}
	row.Now = text + " " + row.Now
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
