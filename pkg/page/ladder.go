package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// ladderPicture makes a picture of the headline of each run: the highest throughput of each API, and its ratio to the
// layer below.
func ladderPicture(runs []*figures.Run) Picture {
	names := namesOfRuns(runs)
	var drawn []Panel
	for _, r := range runs {
		peaks := r.Peaks()
		if len(peaks) == 0 {
			continue
		}
		x := rateAxis(headlinePoints(r))
		for _, g := range groupByKey(peaks, func(p figures.Peak) panelRow { return rowOfPoint(p.Point) }) {
			panel := Panel{Row: int(g.key), X: x}
			panel.Title, panel.Subtitle = names.panelTitles(r, g.key.String(), x.Label)
			for _, p := range g.items {
				panel.Rows = append(panel.Rows, ladderRow(p))
			}
			for _, p := range r.Points() {
				name := figures.APILabel(p.Case.API)
				if p.Missing != "" && (p.Operation == g.items[0].Operation || p.Operation == "") &&
					!slices.ContainsFunc(panel.Rows, func(row Row) bool { return row.Name == name }) {
					panel.Rows = append(panel.Rows, Row{
						Name: name, Conclusion: "no figure", Note: p.Missing, Value: math.NaN(),
					})
				}
			}
			drawn = append(drawn, panel)
		}
	}
	return Picture{
		Name: "layers", Title: "How fast, and what each layer costs",
		Caption: "Of each API and direction, the case with the highest median throughput, as in the summary of the " +
			"run. Cases with a caution count only if all have one. The percentage compares a layer with the layer " +
			"below it in the same cases: it is the median over all of them.",
		Panels: arrangeInRows(drawn),
	}
}

// ladderRow returns the row of a layer: its throughput, its ratio to the layer below, and the case.
func ladderRow(p figures.Peak) Row {
	key := newAPIKey(p.Case.API)
	row := Row{
		Key: key, Name: key.Name, Conclusion: rateText(p.Point), Interval: p.Rate.Interval,
		Hollow: p.Caution() != "",
	}
	row.Value, row.Low, row.High = scaledRate(p.Point)
	where := caseText(p.Point)
	if p.NumPoints > 1 {
		where = joinNonEmpty(", ", where, "best of "+units.Count(p.NumPoints, "case", "cases"))
	}
	ratio := ""
	if r := p.LowerLayerRatio; r != nil {
		ratio = percentText(r.Value.Median) + " of " + figures.APILabel(r.Lower.Case.API) + " (" +
			r.Value.RangeText(percentText) + ")"
	}
	row.Note = joinNonEmpty("; ", p.Caution(), ratio, where)
	return row
}

// caseText returns what distinguishes the case of a point from others of its run and API: the number of processes, if
// that differs between cases, and the transfer size. It is "" for a workload with one number of processes.
func caseText(p figures.Point) string {
	processes, size := "", ""
	if slices.ContainsFunc(p.Run.Cases, func(c result.Case) bool { return c.Processes != p.Case.Processes }) {
		processes = processesText(p.Case.Processes)
	}
	if p.Run.HasTransferSize() {
		size = p.TransferText()
	}
	return joinNonEmpty(", ", processes, size)
}

// percentText formats a ratio in per cent: without decimals, but below 9.5 % with two significant digits.
func percentText(ratio float64) string {
	if ratio < 0.095 {
		return fmt.Sprintf("%.2g %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}

// rateText formats the throughput of a point and its interval.
func rateText(p figures.Point) string {
	return p.Unit.Format(p.Rate.Median) + " (" + p.Rate.RangeText(p.Unit.FormatNumber) + ")"
}

// scaledRate returns the throughput of a point and both ends of its interval, in the unit of the point.
func scaledRate(p figures.Point) (median, low, high float64) {
	unit := p.Unit.BytesPerSecond
	return p.Rate.Median / unit, p.Rate.Low / unit, p.Rate.High / unit
}

// rateAxis returns an axis from 0 for the throughputs of points, which have the same unit.
func rateAxis(points []figures.Point) Axis {
	var rates []float64
	for _, p := range points {
		median, low, high := scaledRate(p)
		rates = append(rates, median, low, high)
	}
	return Axis{Label: "throughput in " + points[0].Unit.Name}.FitToValues(rates...)
}

// headlinePoints returns the points of the headline of a run, those of lower layers first.
func headlinePoints(r *figures.Run) []figures.Point {
	points := mapSlice(r.Peaks(), func(p figures.Peak) figures.Point { return p.Point })
	slices.SortStableFunc(points, func(a, b figures.Point) int {
		return cmp.Or(cmp.Compare(rowOfPoint(a), rowOfPoint(b)), result.CompareAPIs(a.Case.API, b.Case.API))
	})
	return points
}
