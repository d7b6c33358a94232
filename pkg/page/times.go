package page

import (
	"slices"
	"strconv"

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
	result.ClassOf(workload.CreateLink):  Mauve,
	result.ClassOf(workload.Stat):        Blue,
	result.ClassOf(workload.List):        Sky,
	result.ClassOf(workload.Rename):      Orange,
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

// timesPicture makes a picture of where the time goes in the cases of the headline of each run: the time of each class
// of steps (open, transfer, ...), of each dump of a workload, and of each data call.
func timesPicture(runs []*figures.Run) Picture {
	names := namesOfRuns(runs)
	f := Picture{Name: "times", Title: "Where the time goes"}
	var bars []Panel
	var sums []float64
	var points []figures.Point
	for _, r := range runs {
		timed := filterSlice(timedPoints(r), func(p figures.Point) bool { return len(p.ClassTimes()) > 0 })
		points = append(points, timed...)
		for _, g := range groupByKey(timed, rowOfPoint) {
			panel := Panel{Row: int(g.key)}
			panel.Title, panel.Subtitle = names.panelTitles(r, g.key.String(),
				"time of each class of steps, and the sum")
			for _, p := range g.items {
				row := classRow(p)
				panel.Rows, sums = append(panel.Rows, row), append(sums, row.Value)
			}
			bars = append(bars, panel)
		}
	}
	f.Panels = arrangeInRows(bars)
	for i := range f.Panels { // one axis for all, so that they can be compared
		f.Panels[i].X = Axis{FormatTick: units.FormatSeconds}.FitToValues(sums...)
	}
	for _, r := range figures.RowsOf(points) {
		if ink, drawn := classColours[r.Class]; drawn {
			f.Keys = append(f.Keys, LegendKey{Name: r.Heading, Colour: ink, Marker: Swatch, NoLine: true})
		}
	}
	if slices.ContainsFunc(points, func(p figures.Point) bool { return p.UnclassifiedSeconds() > 0 }) {
		f.Keys = append(f.Keys, LegendKey{Name: restName, Colour: Grid, Marker: Swatch, NoLine: true})
	}
	f.Caption = "The cases of the first picture: medians of the samples, without computing. The bracket below a bar " +
		"is the time on which throughput rests; rest is waiting for slower processes."
	dumps, tails := dumpPanels(points, names), latencyPanels(points, names)
	if dumps != nil {
		f.Keys = append(f.Keys, dumpKeys...)
		f.Caption += " Of each dump: transfers are to build selections and to move data; structure is files, " +
			"objects, attributes, syncing and waiting."
	}
	if tails != nil {
		f.Keys = append(f.Keys, distinctAPIKeys(tails)...)
		f.Caption += " Of data calls: where a curve crosses 1 %, 99 of 100 calls took at most that time, over all " +
			"processes and samples."
	}
	f.Panels = slices.Concat(f.Panels, dumps, tails)
	return f
}

// Rows of the picture below the panels of classes of steps.
const (
	dumpsRow = int(warmReads) + 1 + iota
	latenciesRow
)

// timedPoints returns the points of the headline of a run and, of a workload without throughput, all points with
// samples.
func timedPoints(r *figures.Run) []figures.Point {
	if points := headlinePoints(r); len(points) > 0 {
		return points
	}
	return filterSlice(r.Points(), func(p figures.Point) bool { return len(p.Samples) > 0 })
}

// classRow returns a row with the time of each class at a point. The classes on which throughput rests come first.
func classRow(p figures.Point) Row {
	r := Row{Name: joinNonEmpty(", ", figures.APILabel(p.Case.API), caseText(p))}
	for _, t := range p.ClassTimes() {
		if ink, drawn := classColours[t.Class]; drawn {
			r.Segments = append(r.Segments, Segment{
				Name: string(t.Class), Colour: ink, Value: t.Seconds, Bracketed: p.CountsInThroughput(t.Class),
			})
		}
	}
	bracketed := func(s Segment) bool { return s.Bracketed }
	r.Segments = slices.Concat(filterSlice(r.Segments, bracketed), slices.DeleteFunc(r.Segments, bracketed))
	if waited := p.UnclassifiedSeconds(); waited > 0 {
		r.Segments = append(r.Segments, Segment{Name: restName, Colour: Grid, Value: waited})
	}
	for _, part := range r.Segments {
		r.Value += part.Value
	}
	r.Conclusion = units.FormatSeconds(r.Value)
	return r
}

// minShownDumps is the smallest number of dumps whose times are drawn one by one.
const minShownDumps = 4

// dumpKeys holds the keys of the parts of the time of a dump.
var dumpKeys = []LegendKey{
	{Name: "transfers", Colour: Slate, Marker: Square},
	{Name: "structure", Colour: Mauve, Marker: Triangle},
	{Name: "other", Colour: Muted, Marker: Diamond},
}

// dumpPanels returns a panel of the time of each dump for each point that has several dumps.
func dumpPanels(points []figures.Point, names runNames) (panels []Panel) {
	var dumps, times []float64
	for _, p := range points {
		all := p.DumpTimes()
		if len(all) < minShownDumps {
			continue
		}
		panel := Panel{Row: dumpsRow}
		panel.Title, panel.Subtitle = names.panelTitles(p.Run,
			rowOfPoint(p).String()+", "+figures.APILabel(p.Case.API), "time of a dump")
		for i, part := range []func(figures.MeanDumpTime) float64{
			func(d figures.MeanDumpTime) float64 { return d.Transfers },
			func(d figures.MeanDumpTime) float64 { return d.Structure },
			func(d figures.MeanDumpTime) float64 { return d.Other },
		} {
			s := Series{Key: dumpKeys[i]}
			for _, d := range all {
				s.Points = append(s.Points, Point{X: float64(d.First+d.Last) / 2, Y: part(d)})
				dumps, times = append(dumps, float64(d.Last)), append(times, part(d))
			}
			panel.Series = append(panel.Series, s)
		}
		panels = append(panels, panel)
	}
	for i := range panels {
		panels[i].X = Axis{Label: "dump"}.FitToValues(dumps...)
		panels[i].Y = Axis{FormatTick: units.FormatSeconds}.FitToValues(times...)
	}
	return panels
}

// latencyPanels returns, for each run and direction, a panel of the latency distribution of data calls, such as pwrite:
// the share of calls that took longer than a given time.
func latencyPanels(points []figures.Point, names runNames) (panels []Panel) {
	type key struct {
		run *figures.Run
		panelRow
	}
	var times []float64
	least := 0.1
	for _, g := range groupByKey(points, func(p figures.Point) key { return key{p.Run, rowOfPoint(p)} }) {
		panel := Panel{Row: latenciesRow}
		panel.Title, panel.Subtitle = names.panelTitles(g.key.run, g.key.String()+": data calls",
			"share of calls that took longer")
		for _, p := range g.items {
			for _, l := range p.Case.Latencies {
				if l.Operation != p.Operation || l.Count == 0 {
					continue
				}
				curve := tailCurve(l)
				for _, at := range curve {
					times = append(times, at.X)
				}
				least = min(least, curve[len(curve)-1].Y)
				line := Series{Key: newAPIKey(p.Case.API), Points: curve, WithoutMarkers: true}
				panel.Series = append(panel.Series, line)
			}
		}
		if len(panel.Series) > 0 {
			panels = append(panels, panel)
		}
	}
	for i := range panels {
		panels[i].X = Axis{Label: "time of a call", Log: true, FormatTick: units.FormatSeconds}.FitToValues(times...)
		panels[i].Y = Axis{Log: true, FormatTick: formatPercent}.FitToValues(least, 1)
	}
	return panels
}

// tailCurve returns the points of a curve: for each bucket of the histogram, the share of calls that took longer than
// its upper end. The last point is at the time of the longest call.
func tailCurve(l result.Latency) []Point {
	points := []Point{{X: l.Min, Y: 1}}
	var done uint64
	for _, b := range l.Histogram {
		done += b.Count
		if done < l.Count {
			points = append(points, Point{X: b.To, Y: float64(l.Count-done) / float64(l.Count)})
		}
	}
	last := points[len(points)-1]
	return append(points, Point{X: max(last.X, l.Max), Y: last.Y})
}

func formatPercent(part float64) string { return strconv.FormatFloat(100*part, 'g', 4, 64) + " %" }
