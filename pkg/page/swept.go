package page

import (
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// minSweptNumbers is the smallest number of values of --sweep that make a curve.
const minSweptNumbers = 3

// sweptPicture makes a picture of throughput over the numbers that --sweep measured. It has a panel for each run, each
// name with numbers, each direction, and all other properties of the cases.
func sweptPicture(runs []*figures.Run) Picture {
	type key struct {
		name  string // the swept name on the X axis
		run   string
		place string
		panelRow
	}
	type sweptPoint struct {
		key
		point figures.Point
	}
	var all []sweptPoint
	for _, r := range runs {
		for _, p := range pointsWithThroughput(r) {
			for i, kv := range p.Case.Values {
				if _, err := units.ParseSize(kv.Value); err == nil {
					others := slices.Delete(slices.Clone(p.Case.Values), i, i+1)
					place := joinNonEmpty(", ", result.ValuesText(others), processesText(p.Case.Processes))
					if r.HasTransferSize() {
						place = joinNonEmpty(", ", place, p.TransferText())
					}
					all = append(all, sweptPoint{key{kv.Key, r.RunID, place, rowOfPoint(p)}, p})
				}
			}
		}
	}
	var drawn []Panel
	var shown []figures.Point
	for _, g := range groupByKey(all, func(p sweptPoint) key { return p.key }) {
		x := func(p figures.Point) float64 { return sweptNumber(p, g.key.name) }
		points := mapSlice(g.items, func(p sweptPoint) figures.Point { return p.point })
		xs := mapSlice(points, x)
		slices.Sort(xs)
		if xs = slices.Compact(xs); len(xs) < minSweptNumbers {
			continue
		}
		panel := Panel{
			Row: int(g.key.panelRow), Y: rateAxis(points),
			X: Axis{
				Label: g.key.name, Log: xs[0] > 0, Values: xs,
				FormatTick: func(n float64) string { return units.FormatSize(uint64(n)) },
			}.FitToValues(xs...),
			Series: seriesPerAPI(points, x),
		}
		panel.Title, panel.Subtitle = g.key.String()+", "+g.key.place, panel.Y.Label
		drawn, shown = append(drawn, panel), append(shown, points...)
	}
	return Picture{
		Name: "swept", Title: "Throughput against values of --sweep", Caption: "Medians.",
		Keys: seriesLegendKeys(drawn, shown), Panels: arrangeInRows(drawn),
	}
}

// sweptNumber returns the value of a name in --sweep, as a number.
func sweptNumber(p figures.Point, name string) float64 {
	for _, kv := range p.Case.Values {
		if x, err := units.ParseSize(kv.Value); err == nil && kv.Key == name {
			return float64(x)
		}
	}
	return 0
}
