package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
)

// throughputPicture makes a picture of throughput over transfer size. It has a panel for each run and direction, with
// the largest number of processes of the run.
func throughputPicture(apis palette, runs []*figures.Run) Picture {
	sweeps := filterSlice(runs, (*figures.Run).HasTransferSize)
	names := namesOfRuns(sweeps)
	var drawn []Panel
	var shown []figures.Point
	for _, r := range sweeps {
		points := pointsOfMostProcesses(r)
		if len(points) == 0 {
			continue
		}
		y := rateAxis(points)
		var sizes []float64
		for _, p := range points {
			sizes = append(sizes, transferBytes(p))
		}
		for _, g := range groupByKey(points, rowOfPoint) {
			panel := Panel{Row: int(g.key), X: sizeAxis(sizes), Y: y, Series: seriesPerAPI(apis, g.items, transferBytes)}
			panel.Title, panel.Subtitle = names.panelTitles(r,
				g.key.String()+", "+processesText(points[0].Case.Processes), y.Label)
			drawn = append(drawn, panel)
		}
		shown = append(shown, points...)
	}
	return Picture{
		Name: "throughput", Title: "Throughput against transfer size",
		Caption: "Medians, with the largest number of processes.", Keys: seriesLegendKeys(drawn, shown),
		Panels: arrangeInRows(drawn),
	}
}

// transferBytes returns the transfer size of a point as a position on an axis.
func transferBytes(p figures.Point) float64 { return float64(figures.TransferBytes(p.Case)) }

// pointsOfMostProcesses returns the points with throughput that have the largest number of processes of a run.
func pointsOfMostProcesses(r *figures.Run) []figures.Point {
	points := filterSlice(r.Points(), func(p figures.Point) bool { return p.Missing == "" })
	most := 0
	for _, p := range points {
		most = max(most, p.Case.Processes)
	}
	return filterSlice(points, func(p figures.Point) bool { return p.Case.Processes == most })
}

// seriesPerAPI returns a series for each API. The function x returns the position of a point on the X axis.
func seriesPerAPI(apis palette, points []figures.Point, x func(figures.Point) float64) (all []Series) {
	for _, api := range apis {
		s := Series{Key: apis.legendKeyForAPI(api.Name, api.Label)}
		for _, p := range points {
			if p.Case.API != api.Name {
				continue
			}
			where := p.TransferText()
			if p.Run.IsParallel() {
				where += ", " + processesText(p.Case.Processes)
			}
			at := Point{
				X: x(p), Interval: p.Rate.Interval, Hollow: p.Caution() != "",
				Text: joinNonEmpty(", ", api.Label+" "+string(p.Operation), where, rateText(p), p.Marks()),
			}
			at.Y, at.Low, at.High = scaledRate(p)
			s.Points = append(s.Points, at)
		}
		if len(s.Points) > 0 {
			slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
			all = append(all, s)
		}
	}
	return all
}

// seriesLegendKeys returns the legend of panels that show points.
func seriesLegendKeys(panels []Panel, points []figures.Point) []LegendKey {
	keys := distinctLegendKeys(panels)
	if slices.ContainsFunc(points, func(p figures.Point) bool { return p.Caution() != "" }) {
		keys = append(keys, LegendKey{Name: "with a caution: see the table", Colour: Muted, Hollow: true, NoLine: true})
	}
	return keys
}

// filterSlice returns the values for which the function wanted returns true, in the same order.
func filterSlice[V any](all []V, wanted func(V) bool) []V {
	var some []V
	for _, v := range all {
		if wanted(v) {
			some = append(some, v)
		}
	}
	return some
}
