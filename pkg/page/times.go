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
func timesPicture(apis palette, runs []*figures.Run) Picture {
	names := namesOfRuns(runs)
	f := Picture{Name: "times", Title: "Where the time goes"}
	var bars []placedPanel[BarPanel]
	var points []figures.Point
	for _, r := range runs {
		timed := filterSlice(timedPoints(r), func(p figures.Point) bool { return len(p.ClassTimes()) > 0 })
		points = append(points, timed...)
		for _, g := range groupByKey(timed, rowOfPoint) {
			panel := BarPanel{}
			panel.Title, panel.Subtitle = runProcesses{run: r}.panelTitles(names, g.key.String(),
				"time of each class of steps, and the sum")
			for _, p := range g.items {
				panel.Rows = append(panel.Rows, classBar(p))
			}
			bars = append(bars, placedPanel[BarPanel]{g.key, panel})
		}
	}
	all, starts := arrangeInRows(bars)
	f.Panels, f.RowStarts = toPanels(withSecondsAxes(all)), starts
	for _, r := range figures.RowsOf(points) {
		if ink, drawn := classColours[r.Class]; drawn {
			f.Keys = append(f.Keys, LegendKey{Name: r.Heading, Colour: ink, Swatch: true})
		}
	}
	if slices.ContainsFunc(points, func(p figures.Point) bool { return p.UnclassifiedSeconds() > 0 }) {
		f.Keys = append(f.Keys, LegendKey{Name: restName, Colour: Grid, Swatch: true})
	}
	f.Caption = "The cases of the first picture: medians of the samples, without computing. The bracket below a bar " +
		"is the " +
		"time on which throughput rests; rest is waiting for slower processes."
	dumps, columnKeys := dumpPanels(points, names)
	tails := latencyPanels(apis, points, names)
	for _, more := range []struct {
		panels []Panel
		keys   []LegendKey
		text   string
	}{
		{toPanels(dumps), columnKeys, " Of each dump: transfers are to build selections and to move data; structure " +
			"is " +
			"files, objects, attributes, syncing and waiting."},
		{toPanels(tails), distinctLegendKeys(tails), " Of data calls: where a curve crosses 1 %, 99 of 100 calls " +
			"took at " +
			"most that time, over all processes and samples."},
	} {
		if len(more.panels) > 0 {
			if len(f.Panels) > 0 {
				f.RowStarts = append(f.RowStarts, len(f.Panels))
			}
			f.Panels, f.Keys, f.Caption = append(f.Panels, more.panels...), append(f.Keys, more.keys...),
				f.Caption+more.text
		}
	}
	return f
}

// timedPoints returns the points of the headline of a run and, of a workload without throughput, all points with
// samples.
func timedPoints(r *figures.Run) []figures.Point {
	if points := headlinePoints(r); len(points) > 0 {
		return points
	}
	return filterSlice(r.Points(), func(p figures.Point) bool { return len(p.Samples) > 0 })
}

// classBar returns a bar with the time of each class at a point. The classes on which throughput rests come first.
func classBar(p figures.Point) Bar {
	r := Bar{Name: figures.APILabel(p.Case.API)}
	if p.Run.HasTransferSize() {
		r.Name += ", " + p.TransferText()
	}
	for _, t := range p.ClassTimes() {
		if ink, drawn := classColours[t.Class]; drawn {
			r.Segments = append(r.Segments, Segment{
				Name: string(t.Class), Colour: ink, Value: t.Seconds, Bracketed: p.CountsInThroughput(t.Class),
			})
		}
	}
	slices.SortStableFunc(r.Segments, func(a, b Segment) int {
		switch {
		case a.Bracketed == b.Bracketed:
			return 0
		case a.Bracketed:
			return -1
		}
		return 1
	})
	if waited := p.UnclassifiedSeconds(); waited > 0 {
		r.Segments = append(r.Segments, Segment{Name: restName, Colour: Grid, Value: waited})
	}
	r.TotalText = units.FormatSeconds(r.TotalLength())
	return r
}

// withSecondsAxes gives all panels the same axis of seconds, so that they can be compared.
func withSecondsAxes(all []BarPanel) []BarPanel {
	var lengths []float64
	for _, panel := range all {
		for _, r := range panel.Rows {
			lengths = append(lengths, r.TotalLength())
		}
	}
	for i := range all {
		all[i].X = Axis{FormatTick: units.FormatSeconds}.FitToValues(lengths...)
	}
	return all
}

// minShownDumps is the smallest number of dumps whose times are drawn one by one.
const minShownDumps = 4

// dumpKeys holds the keys of the parts of the time of a dump.
var dumpKeys = []LegendKey{
	{Name: "transfers", Colour: Slate, Marker: Square},
	{Name: "structure", Colour: Mauve, Marker: Triangle},
	{Name: "other", Colour: Muted, Marker: Diamond},
}

// dumpPanels returns a panel of the time of each dump for each point that has several dumps, and their legend.
func dumpPanels(points []figures.Point, names runNames) (panels []LinePanel, keys []LegendKey) {
	var dumps, times []float64
	for _, p := range points {
		all := p.DumpTimes()
		if len(all) < minShownDumps {
			continue
		}
		panel := LinePanel{}
		panel.Title, panel.Subtitle = runProcessesOf(p).panelTitles(names,
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
		panels, keys = append(panels, panel), dumpKeys
	}
	for i := range panels {
		panels[i].X = Axis{Label: "dump"}.FitToValues(dumps...)
		panels[i].Y = Axis{FormatTick: units.FormatSeconds}.FitToValues(times...)
	}
	return panels, keys
}

// longerCallsLabel is the label of the vertical axis of latencies.
const longerCallsLabel = "share of calls that took longer"

// latencyPanels returns, for each run and direction, a panel of the latency distribution of data calls, such as pwrite:
// the share of calls that took longer than a given time.
func latencyPanels(apis palette, points []figures.Point, names runNames) (panels []LinePanel) {
	type key struct {
		run *figures.Run
		panelRow
	}
	var times []float64
	least := 0.1
	for _, g := range groupByKey(points, func(p figures.Point) key { return key{p.Run, rowOfPoint(p)} }) {
		panel := LinePanel{}
		panel.Title, panel.Subtitle = runProcessesOf(g.items[0]).panelTitles(names, g.key.String()+": data calls",
			longerCallsLabel)
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
				key := apis.legendKeyForAPI(p.Case.API, figures.APILabel(p.Case.API))
				panel.Series = append(panel.Series, Series{Key: key, Points: curve, WithoutMarkers: true})
			}
		}
		if len(panel.Series) > 0 {
			panels = append(panels, panel)
		}
	}
	for i := range panels {
		panels[i].X = Axis{Label: "time of a call", Log: true, FormatTick: units.FormatSeconds}.FitToValues(times...)
		panels[i].Y = Axis{Label: longerCallsLabel, Log: true, FormatTick: formatPercent}.FitToValues(least, 1)
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
