package page

import (
	"strconv"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// longerCallsLabel is the label of the vertical axis.
const longerCallsLabel = "share of calls that took longer"

// latencyPicture makes a picture of the latency distribution of data calls, such as pwrite: the share of calls that
// took longer than a given time.
func latencyPicture(apis palette, points []figures.Point) Picture {
	type key struct {
		runProcesses
		panelRow
		what string
	}
	names := namesOfPoints(points)
	var drawn []placedPanel[LinePanel]
	var times []float64
	least := 0.1
	for _, g := range groupByKey(points, func(p figures.Point) key {
		return key{runProcessesOf(p), rowOfPoint(p), p.TransferText()}
	}) {
		panel := LinePanel{}
		panel.Title, panel.Subtitle = g.key.panelTitles(names,
			g.key.String()+" of "+g.key.what+", "+processesText(g.key.processes), longerCallsLabel)
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
			drawn = append(drawn, placedPanel[LinePanel]{g.key.panelRow, panel})
		}
	}
	all, starts := arrangeInRows(drawn)
	x := Axis{Label: "time of a call", Log: true, FormatTick: units.FormatSeconds}.FitToValues(times...)
	y := Axis{Label: longerCallsLabel, Log: true, FormatTick: formatPercent}.FitToValues(least, 1)
	for i := range all {
		all[i].X, all[i].Y = x, y
	}
	return Picture{
		Name: "latency", Title: "Latency of data calls",
		Caption: "Share of calls that took longer than the time on the axis, over all processes and samples. Where a " +
			"curve crosses 1 %, 99 of 100 calls took at most that time.",
		Keys: distinctLegendKeys(all), Panels: toPanels(all), RowStarts: starts,
	}
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
