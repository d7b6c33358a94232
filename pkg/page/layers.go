package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/stats"
)

// ratioLabel is the label of the axis of ratios of layers.
const ratioLabel = "throughput, of that of the layer below"

// maxRatio is the largest end of an axis of ratios. Larger ratios are drawn at the end, with an arrow.
const maxRatio = 2

// ratioAxis returns an axis for the ratios of a layer to the layer below it. It is linear, so that a loss of 20 % is
// visible, and begins at 0, so that lengths can be compared.
func ratioAxis(values ...float64) Axis {
	a := Axis{Label: ratioLabel, Values: []float64{0, 0.5, 0.8, 1, 1.2}, FormatTick: formatPercent}
	a = a.FitToValues(append(filterSlice(values, func(v float64) bool { return v <= maxRatio }), 1.2)...)
	if slices.ContainsFunc(values, func(v float64) bool { return v > maxRatio }) {
		a.Max = maxRatio
	}
	if a.Max >= 1.5 {
		a.Values = []float64{0, 0.5, 0.8, 1, 1.5, maxRatio}
	}
	return a
}

// beyondKey explains the arrows at the end of an axis.
var beyondKey = LegendKey{Name: "beyond the axis; tables have the value", Colour: Muted, Arrow: true}

// layersPicture makes a picture that shows, for each transfer size, the throughput of each layer divided by the
// throughput of the layer below it.
func layersPicture(apis palette, runs []figures.Run) Picture {
	type key struct {
		runProcesses
		panelRow
	}
	var drawn []placedPanel[LinePanel]
	var sizes, values []float64
	var sweeps []*figures.Run
	for i := range runs {
		if runs[i].HasTransferSize() { // a workload has no transfer size; its ratios are only in a table
			sweeps = append(sweeps, &runs[i])
		}
	}
	names := namesOfRuns(sweeps)
	for _, run := range sweeps {
		ratios := run.LayerRatios()
		slices.SortStableFunc(ratios, func(a, b figures.Ratio) int {
			return cmp.Compare(a.Upper.Case.Processes, b.Upper.Case.Processes)
		})
		panelOf := func(r figures.Ratio) key { return key{runProcessesOf(r.Upper), rowOfPoint(r.Upper)} }
		for _, g := range groupByKey(ratios, panelOf) {
			panel := LinePanel{LineAtOne: true, ArrowsBeyondAxis: true}
			panel.Title,
				panel.Subtitle = g.key.panelTitles(names, g.key.String()+", "+processesText(g.key.processes),
				ratioLabel)
			for _, s := range groupByKey(g.items, figures.Ratio.Name) {
				line := Series{Key: ratioLegendKey(apis, s.items[0])}
				for _, r := range s.items {
					x := float64(figures.TransferBytes(r.Upper.Case))
					line.Points = append(line.Points, Point{
						X: x, Y: r.Value.Median, Low: r.Value.Low, High: r.Value.High, Interval: r.Value.Interval,
					})
					sizes, values = append(sizes, x), append(values, r.Value.Median, r.Value.Low, r.Value.High)
				}
				line.Sort()
				panel.Series = append(panel.Series, line)
			}
			drawn = append(drawn, placedPanel[LinePanel]{g.key.panelRow, panel})
		}
	}
	all, starts := arrangeInRows(drawn)
	y := ratioAxis(values...)
	for i := range all {
		all[i].X, all[i].Y = sizeAxis(sizes), y
	}
	keys := distinctLegendKeys(all)
	if y.Max == maxRatio {
		keys = append(keys, beyondKey)
	}
	return Picture{
		Name: "layers", Title: "What each layer costs",
		Caption: "Throughput of a layer, of the throughput of the layer below it in the same case. Below " +
			"the line at 100 %, the upper layer is slower. " +
			"A bar with caps is the " + stats.Interval + ". If the cases ran in random order, it is the interval " +
			"of the ratios of samples of the same iteration. Otherwise it goes from the smallest to the largest " +
			"quotient of two values in the intervals of the two medians. A bar without caps is the range of the " +
			"samples, if there are too few for an interval.",
		Keys: keys, Panels: toPanels(all), RowStarts: starts,
	}
}

// ratioLegendKey returns the legend entry of a ratio. It has the colour and marker of the upper layer. If a layer
// between the two was not measured, the colour is Muted.
func ratioLegendKey(apis palette, r figures.Ratio) LegendKey {
	k := apis.legendKeyForAPI(r.Upper.Case.API, r.Name())
	if r.SkipsLayer() {
		k.Colour = Muted
	}
	return k
}
