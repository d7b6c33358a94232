package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// classColours maps each class of steps to its colour. Classes that rarely take long share a colour.
var classColours = map[result.Class]ThemeColour{
	result.ClassOf(workload.FileOpen):    Sky,
	result.ClassOf(workload.Create):      Mauve,
	result.ClassOf(workload.Open):        Blue,
	result.ClassOf(workload.Attribute):   Green,
	result.ClassOf(workload.Select):      Muted,
	result.ClassOf(workload.Transfer):    Slate,
	result.ClassOf(workload.ReadBack):    Sky,
	result.ClassOf(workload.Extend):      Orange,
	result.ClassOf(workload.ObjectClose): Orange,
	result.ClassOf(workload.Sync):        Amber,
	result.ClassOf(workload.FileClose):   Indigo,
	result.ClassOf(workload.Unlink):      Orange,
	result.ClassOf(workload.Fence):       Muted,
}

// restName is the name of the time that belongs to no class.
const restName = "rest"

// classesPicture makes a picture of the time of each class of steps (open, transfer, ...), without computing.
func classesPicture(points []figures.Point) Picture {
	type key struct {
		runProcesses
		panelRow
	}
	names := namesOfPoints(points)
	var drawn []placedPanel[BarPanel]
	for _, g := range groupByKey(points, func(p figures.Point) key { return key{runProcessesOf(p), rowOfPoint(p)} }) {
		panel := BarPanel{}
		panel.Title, panel.Subtitle = g.key.panelTitles(names, g.key.String()+", "+processesText(g.key.processes),
			"time of each class, and the sum")
		measured := groupByKey(g.items, figures.Point.TransferText)
		slices.SortStableFunc(measured, func(a, b group[string, figures.Point]) int {
			return cmp.Compare(figures.TransferBytes(a.items[0].Case), figures.TransferBytes(b.items[0].Case))
		})
		var of [][]Bar // one element for each transfer size or workload
		for _, m := range measured {
			var rows []Bar
			for i, p := range m.items {
				name := figures.APILabel(p.Case.API)
				if i == 0 {
					name = m.key + "  " + name
				}
				rows = append(rows, classBar(name, p))
			}
			of = append(of, rows)
		}
		if !needsLogAxis(longestBars(of)) {
			of = [][]Bar{slices.Concat(of...)}
		}
		for i, rows := range of {
			one := panel
			one.Rows = rows
			if len(of) > 1 {
				one.Title += ", " + measured[i].key
			}
			drawn = append(drawn, placedPanel[BarPanel]{g.key.panelRow, one})
		}
	}
	all, starts := arrangeInRows(drawn)
	var keys []LegendKey
	waited := slices.ContainsFunc(points, func(p figures.Point) bool { return p.UnclassifiedSeconds() > 0 })
	for _, r := range figures.RowsOf(points) {
		if ink, drawn := classColours[r.Class]; drawn {
			keys = append(keys, LegendKey{Name: r.Heading, Colour: ink, Swatch: true})
		}
	}
	if waited {
		keys = append(keys, LegendKey{Name: restName, Colour: Grid, Swatch: true})
	}
	return Picture{
		Name: "classes", Title: "Where the time goes",
		Caption: "The time of each class of steps: the median of the samples, each measured by " +
			figures.WindowMeaning +
			" or, where a class has none, that of its slowest process. Create, open, extend and object close are for " +
			"groups and datasets; sync makes data durable; in fence, processes of a workload wait for one another; " +
			"rest is waiting for slower processes at the end of an epoch. The sum is at the end of the bar. " +
			"Computing is left out.",
		Keys: keys, Panels: toPanels(withSecondsAxes(all)), RowStarts: starts,
	}
}

// classBar returns a bar with the time of each class at a point.
func classBar(name string, p figures.Point) Bar {
	r := Bar{Name: name}
	for _, t := range p.ClassTimes() {
		if ink, drawn := classColours[t.Class]; drawn {
			r.Segments = append(r.Segments, Segment{Colour: ink, Value: t.Seconds})
		}
	}
	if waited := p.UnclassifiedSeconds(); waited > 0 {
		r.Segments = append(r.Segments, Segment{Colour: Grid, Value: waited})
	}
	r.TotalText = units.FormatSeconds(r.TotalLength())
	return r
}

// longestBars returns, for each panel, the length of its longest bar.
func longestBars(of [][]Bar) []float64 {
	lengths := make([]float64, len(of))
	for i, rows := range of {
		for _, r := range rows {
			lengths[i] = max(lengths[i], r.TotalLength())
		}
	}
	return lengths
}

// withSecondsAxes gives each panel an axis of seconds. All panels have the same range, so that they can be compared. If
// the longest bars of the panels differ too much, each panel has its own range.
func withSecondsAxes(all []BarPanel) []BarPanel {
	of := make([][]Bar, len(all))
	for i := range all {
		of[i] = all[i].Rows
	}
	lengths := longestBars(of)
	for i := range all {
		cover := lengths
		if needsLogAxis(lengths) {
			cover = lengths[i : i+1]
		}
		all[i].X = Axis{FormatTick: units.FormatSeconds}.FitToValues(cover...)
	}
	return all
}

// sampleCell formats a statistic of a sample. It returns a dash if the sample does not have the statistic.
func sampleCell(r figures.Row, c result.Case, s result.Sample) string {
	if x, ok := r.SampleValue(c, s); ok {
		return r.Unit.Format(x)
	}
	return "–"
}
