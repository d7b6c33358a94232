package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
)

// throughputPicture makes a picture of throughput over transfer size. It has a panel for each run and direction, with
// the largest number of processes of the run.
func throughputPicture(runs []*figures.Run) Picture {
	sweeps := filterSlice(runs, (*figures.Run).HasTransferSize)
	names := namesOfRuns(sweeps)
	var drawn []Panel
	var shown []figures.Point
	for _, r := range sweeps {
		points := pointsWithThroughput(r)
		if len(points) == 0 {
			continue
		}
		most := slices.Max(mapSlice(points, numProcesses))
		points = filterSlice(points, func(p figures.Point) bool { return p.Case.Processes == most })
		x, y := sizeAxis(mapSlice(points, transferBytes)), rateAxis(points)
		for _, g := range groupByKey(points, rowOfPoint) {
			panel := Panel{Row: int(g.key), X: x, Y: y, Series: seriesPerAPI(g.items, transferBytes)}
			panel.Title, panel.Subtitle = names.panelTitles(r,
				g.key.String()+", "+processesText(most), y.Label)
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

// pointsWithThroughput returns the points of a run that have throughput.
func pointsWithThroughput(r *figures.Run) []figures.Point {
	return filterSlice(r.Points(), func(p figures.Point) bool { return p.Missing == "" })
}

// seriesPerAPI returns a series for each API. The function x returns the position of a point on the X axis.
func seriesPerAPI(points []figures.Point, x func(figures.Point) float64) (all []Series) {
	for _, g := range groupByAPI(points, func(p figures.Point) string { return p.Case.API }) {
		s := Series{Key: newAPIKey(g.key)}
		for _, p := range g.items {
			where := p.TransferText()
			if p.Run.IsParallel() {
				where += ", " + processesText(p.Case.Processes)
			}
			at := Point{
				X: x(p), Interval: p.Rate.Interval, Hollow: p.Caution() != "",
				Text: joinNonEmpty(", ", s.Key.Name+" "+string(p.Operation), where, rateText(p), p.Marks()),
			}
			at.Y, at.Low, at.High = scaledRate(p)
			s.Points = append(s.Points, at)
		}
		slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		all = append(all, s)
	}
	return all
}

// seriesLegendKeys returns the legend of panels that show points.
func seriesLegendKeys(panels []Panel, points []figures.Point) []LegendKey {
	keys := distinctAPIKeys(panels)
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

// mapSlice returns the results of a function for all values, in the same order.
func mapSlice[V, R any](all []V, of func(V) R) []R {
	out := make([]R, len(all))
	for i, v := range all {
		out[i] = of(v)
	}
	return out
}
