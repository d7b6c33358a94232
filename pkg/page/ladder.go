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

// headlineRule says which cases are the headline of a run. The summary of a run has the same numbers.
const headlineRule = "Of each API and direction, the case with the highest median throughput, as in the summary of " +
	"the " +
	"run. Cases with a caution count only if all have one."

// ladderPicture makes a picture of the headline of each run: the highest throughput of each API, and its ratio to the
// layer below.
func ladderPicture(apis palette, runs []*figures.Run) Picture {
	names := namesOfRuns(runs)
	type key struct {
		run *figures.Run
		panelRow
	}
	var drawn []placedPanel[ForestPanel]
	for _, r := range runs {
		peaks := r.Peaks()
		if len(peaks) == 0 {
			continue
		}
		unit := peaks[0].Unit
		x := rateAxis(unit, ratesOfPeaks(peaks))
		for _, g := range groupByKey(peaks, func(p figures.Peak) key { return key{r, rowOfPoint(p.Point)} }) {
			panel := ForestPanel{X: x, Bars: true}
			panel.Title, panel.Subtitle = runProcesses{run: r}.panelTitles(names, g.key.String(), x.Label)
			for _, p := range g.items {
				panel.Rows = append(panel.Rows, ladderRow(apis, p, unit))
			}
			for _, p := range r.Points() {
				if p.Missing != "" && (p.Operation == g.items[0].Operation || p.Operation == "") &&
					!slices.ContainsFunc(panel.Rows, func(row ForestPanelRow) bool {
						return row.Name == figures.APILabel(p.Case.API)
					}) {
					panel.Rows = append(panel.Rows, ForestPanelRow{
						Name: figures.APILabel(p.Case.API), Conclusion: "no figure", Note: p.Missing, Value: math.NaN(),
					})
				}
			}
			drawn = append(drawn, placedPanel[ForestPanel]{g.key.panelRow, panel})
		}
	}
	all, starts := arrangeInRows(drawn)
	return Picture{
		Name: "layers", Title: "How fast, and what each layer costs",
		Caption: headlineRule + " The percentage compares a layer with the layer below it in the same cases: it is " +
			"the " +
			"median over all of them.",
		Panels: toPanels(all), RowStarts: starts,
	}
}

// ladderRow returns the row of a layer: its throughput, its ratio to the layer below, and the case.
func ladderRow(apis palette, p figures.Peak, unit units.RateUnit) ForestPanelRow {
	row := ForestPanelRow{
		Key: apis.legendKeyForAPI(p.Case.API, figures.APILabel(p.Case.API)), Name: figures.APILabel(p.Case.API),
		Conclusion: unit.Format(p.Rate.Median) + " (" + p.Rate.RangeText(unit.FormatNumber) + ")",
		Value:      p.Rate.Median / unit.BytesPerSecond, Low: p.Rate.Low / unit.BytesPerSecond,
		High: p.Rate.High / unit.BytesPerSecond, Interval: p.Rate.Interval, Hollow: p.Caution() != "",
	}
	where := ""
	if p.Run.HasTransferSize() {
		where = p.TransferText()
	}
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

func ratesOfPeaks(peaks []figures.Peak) (rates []float64) {
	for _, p := range peaks {
		rates = append(rates, p.Rate.Median, p.Rate.Low, p.Rate.High)
	}
	return rates
}

// percentText formats a ratio in per cent: without decimals, but below 9.5 % with two significant digits.
func percentText(ratio float64) string {
	if ratio < 0.095 {
		return fmt.Sprintf("%.2g %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}

// rateAxis returns an axis from 0 for throughputs, which are in bytes per second.
func rateAxis(unit units.RateUnit, rates []float64) Axis {
	scaled := make([]float64, len(rates))
	for i, r := range rates {
		scaled[i] = r / unit.BytesPerSecond
	}
	return Axis{Label: "throughput in " + unit.Name}.FitToValues(scaled...)
}

// headlinePoints returns the points of the headline of a run, those of lower layers first.
func headlinePoints(r *figures.Run) (points []figures.Point) {
	for _, p := range r.Peaks() {
		points = append(points, p.Point)
	}
	slices.SortStableFunc(points, func(a, b figures.Point) int {
		return cmp.Or(cmp.Compare(rowOfPoint(a), rowOfPoint(b)), result.CompareAPIs(a.Case.API, b.Case.API))
	})
	return points
}
