package page

import (
	"math"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/units"
)

// dumpKeys holds the keys of the parts of the time of a dump.
var dumpKeys = []LegendKey{
	{Name: "transfers", Colour: Slate, Swatch: true},
	{Name: "structure", Colour: Mauve, Swatch: true},
	{Name: "other", Colour: Grid, Swatch: true},
}

// dumpsPicture makes a picture of the time of each dump of a workload, with a panel for each API. of holds the points,
// one list for each run.
func dumpsPicture(of [][]figures.Point) Picture {
	points := filterSlice(slices.Concat(of...), func(p figures.Point) bool { return len(p.DumpTimes()) > 0 })
	names := namesOfPoints(points)
	last := 1
	var drawn []placedPanel[ColumnPanel]
	var highest []float64
	for _, p := range points {
		s := runProcessesOf(p)
		what := joinNonEmpty(", ", figures.APILabel(p.Case.API), rowOfPoint(p).String(), p.TransferText(),
			processesText(p.Case.Processes))
		panel := ColumnPanel{}
		panel.Title, panel.Subtitle = s.panelTitles(names, what, "time of a dump")
		height := 0.0
		for _, d := range p.DumpTimes() {
			c := Column{From: float64(d.First) - 0.5, To: float64(d.Last) + 0.5}
			for i, seconds := range []float64{d.Transfers, d.Structure, d.Other} {
				c.Segments = append(c.Segments, Segment{Colour: dumpKeys[i].Colour, Value: seconds})
			}
			panel.Columns = append(panel.Columns, c)
			height, last = max(height, c.TotalHeight()), max(last, d.Last)
		}
		drawn, highest = append(drawn, placedPanel[ColumnPanel]{rowOfPoint(p), panel}), append(highest, height)
	}
	for i := range drawn {
		drawn[i].panel.X = dumpAxis(last)
		drawn[i].panel.Y = Axis{FormatTick: units.FormatSeconds}.FitToValues(heightsInRow(drawn, highest,
			drawn[i].row)...)
	}
	all, starts := arrangeInRows(drawn)
	return Picture{
		Name: "dumps", Title: "Time of each dump of workloads",
		Caption: "Transfers: to build selections and to move data. Structure: files, objects, attributes, syncing " +
			"and waiting. Other: processes that had done their part waited for slower ones. Each value is the " +
			"median of the samples. If there are many dumps, a column is the average of several consecutive ones. " +
			"Files that are opened and closed before and after all dumps are not in them. All panels of a row have " +
			"the same axes.",
		Keys: dumpKeys, Panels: toPanels(all), RowStarts: starts,
	}
}

// heightsInRow returns the heights of those panels that are in the row of.
func heightsInRow(drawn []placedPanel[ColumnPanel], heights []float64, of panelRow) []float64 {
	var some []float64
	for i, p := range drawn {
		if p.row == of {
			some = append(some, heights[i])
		}
	}
	return some
}

// dumpAxis returns the axis of dump numbers, from 1 to last. It has about ten ticks at most.
func dumpAxis(last int) Axis {
	a := Axis{Label: "dump", Min: 0.5, Max: float64(last) + 0.5}
	step := int(math.Ceil(float64(last) / 10))
	for n := 1; n <= last; n += step {
		a.Values = append(a.Values, float64(n))
	}
	return a
}
