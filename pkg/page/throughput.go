package page

import (
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/units"
)

// throughputPicture makes a picture of throughput over transfer size. It has a panel for each run and direction, with
// the largest number of processes of the run.
func throughputPicture(apis palette, runs []*figures.Run) Picture {
	sweeps := filterSlice(runs, (*figures.Run).HasTransferSize)
	names := namesOfRuns(sweeps)
	var drawn []placedPanel[LinePanel]
	var shown []figures.Point
	for _, r := range sweeps {
		points := pointsOfMostProcesses(r)
		if len(points) == 0 {
			continue
		}
		unit := points[0].Unit
		y := rateAxis(unit, ratesOfPoints(points))
		var sizes []float64
		for _, p := range points {
			sizes = append(sizes, transferBytes(p))
		}
		for _, g := range groupByKey(points, rowOfPoint) {
			panel := LinePanel{X: sizeAxis(sizes), Y: y, Series: seriesPerAPI(apis, g.items, unit, transferBytes)}
			panel.Title, panel.Subtitle = runProcesses{r, points[0].Case.Processes}.panelTitles(names, g.key.String()+
				", "+processesText(points[0].Case.Processes), y.Label)
			drawn = append(drawn, placedPanel[LinePanel]{g.key, panel})
		}
		shown = append(shown, points...)
	}
	all, starts := arrangeInRows(drawn)
	if len(all) == 0 {
		return Picture{}
	}
	return Picture{
		Name: "throughput", Title: "Throughput against transfer size",
		Caption: "Medians, with the largest number of processes.", Keys: seriesLegendKeys(all, shown),
		Panels: toPanels(all), RowStarts: starts,
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

// ratesOfPoints returns the throughputs that a picture shows for points: medians and both ends of intervals.
func ratesOfPoints(points []figures.Point) (rates []float64) {
	for _, p := range points {
		rates = append(rates, p.Rate.Median, p.Rate.Low, p.Rate.High)
	}
	return rates
}

// seriesPerAPI returns a series for each API. The function x returns the position of a point on the X axis.
func seriesPerAPI(apis palette, points []figures.Point, unit units.RateUnit,
	x func(figures.Point) float64,
) (all []Series) {
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
			s.Points = append(s.Points, Point{
				X: x(p), Y: p.Rate.Median / unit.BytesPerSecond, Low: p.Rate.Low / unit.BytesPerSecond,
				High: p.Rate.High / unit.BytesPerSecond, Interval: p.Rate.Interval, Hollow: p.Caution() != "",
				Text: joinNonEmpty(", ", api.Label+" "+string(p.Operation), where,
					unit.Format(p.Rate.Median)+" ("+p.Rate.RangeText(unit.FormatNumber)+")", p.Marks()),
			})
		}
		if len(s.Points) > 0 {
			s.Sort()
			all = append(all, s)
		}
	}
	return all
}

// seriesLegendKeys returns the legend of panels that show points.
func seriesLegendKeys(panels []LinePanel, points []figures.Point) []LegendKey {
	keys := distinctLegendKeys(panels)
	if slices.ContainsFunc(points, func(p figures.Point) bool { return p.Caution() != "" }) {
		keys = append(keys, LegendKey{Name: "with a caution: see the table", Colour: Muted, Hollow: true})
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
