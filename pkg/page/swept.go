package page

import (
	"cmp"
	"slices"
	"strconv"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// minSweptNumbers is the smallest number of values of --sweep that make a curve.
const minSweptNumbers = 3

// sweptKey identifies the points of a panel of values of --sweep.
type sweptKey struct {
	name  string // the swept name on the X axis
	run   string
	place string // all other properties of the cases
	panelRow
}

// sweptGroup holds the points of a panel of values of --sweep, and the numbers on its X axis, sorted.
type sweptGroup struct {
	sweptKey
	points  []figures.Point
	numbers []float64
}

// sweptGroups returns a group for each run, each name with numbers, each direction, and all other properties of the
// cases. pointsOf returns the points of a run that can be drawn.
func sweptGroups(runs []*figures.Run, pointsOf func(*figures.Run) []figures.Point) (all []sweptGroup) {
	type keyedPoint struct {
		key   sweptKey
		point figures.Point
	}
	var keyed []keyedPoint
	for _, r := range runs {
		for _, p := range pointsOf(r) {
			for i, kv := range p.Case.Values {
				if _, err := units.ParseSize(kv.Value); err == nil {
					others := slices.Delete(slices.Clone(p.Case.Values), i, i+1)
					place := joinNonEmpty(", ", result.ValuesText(others), processesText(p.Case.Processes))
					if r.HasTransferSize() {
						place = joinNonEmpty(", ", place, p.TransferText())
					}
					keyed = append(keyed, keyedPoint{sweptKey{kv.Key, r.RunID, place, rowOfPoint(p)}, p})
				}
			}
		}
	}
	for _, g := range groupByKey(keyed, func(p keyedPoint) sweptKey { return p.key }) {
		points := mapSlice(g.items, func(p keyedPoint) figures.Point { return p.point })
		numbers := mapSlice(points, func(p figures.Point) float64 { return sweptNumber(p, g.key.name) })
		slices.Sort(numbers)
		if numbers = slices.Compact(numbers); len(numbers) >= minSweptNumbers {
			all = append(all, sweptGroup{g.key, points, numbers})
		}
	}
	return all
}

// x returns the place of a point on the X axis.
func (g sweptGroup) x(p figures.Point) float64 { return sweptNumber(p, g.name) }

// xAxis returns the X axis of the panel.
func (g sweptGroup) xAxis() Axis {
	return Axis{
		Label: g.name, Log: g.numbers[0] > 0, Values: g.numbers,
		FormatTick: func(n float64) string { return units.FormatSize(uint64(n)) },
	}.FitToValues(g.numbers...)
}

// sweptPicture makes a picture of throughput over the numbers that --sweep measured, with a panel for each group.
func sweptPicture(runs []*figures.Run) Picture {
	var drawn []Panel
	var shown []figures.Point
	for _, g := range sweptGroups(runs, pointsWithThroughput) {
		panel := Panel{
			Row: int(g.panelRow), Y: rateAxis(g.points), X: g.xAxis(), Series: seriesPerAPI(g.points, g.x),
		}
		panel.Title, panel.Subtitle = g.String()+", "+g.place, panel.Y.Label
		drawn, shown = append(drawn, panel), append(shown, g.points...)
	}
	return Picture{
		Name: "swept", Title: "Throughput against values of --sweep", Caption: "Medians.",
		Keys: seriesLegendKeys(drawn, shown), Panels: arrangeInRows(drawn),
	}
}

// objectsPicture makes a picture of objects per second over the numbers that --sweep measured, with a panel for each
// group and API, and a curve for each class of steps.
func objectsPicture(runs []*figures.Run) Picture {
	f := Picture{
		Name: "objects", Title: "Objects per second against values of --sweep",
		Caption: "Medians of each class of steps. Where a curve falls, an object takes longer if there are more.",
	}
	var drawn []Panel
	hasPoints := func(r *figures.Run) []figures.Point {
		return filterSlice(r.Points(), func(p figures.Point) bool { return len(p.Samples) > 0 })
	}
	for _, g := range sweptGroups(runs, hasPoints) {
		for _, ofAPI := range groupByAPI(g.points, func(p figures.Point) string { return p.Case.API }) {
			panel := Panel{Row: int(g.panelRow), X: g.xAxis()}
			var rates []float64
			for _, r := range figures.RowsOf(ofAPI.items) {
				if r.RatedClass == "" {
					continue
				}
				s := classSeries(r, ofAPI.items, g.x)
				for _, p := range s.Points {
					rates = append(rates, p.Y, p.Low, p.High)
				}
				panel.Series = append(panel.Series, s)
				f.Keys = appendMissingKey(f.Keys, s.Key)
			}
			if panel.Series == nil {
				continue
			}
			panel.Y = Axis{Log: true, FormatTick: formatPlainNumber}.FitToValues(rates...)
			panel.Title = joinNonEmpty(", ", figures.APILabel(ofAPI.key), g.String(), g.place)
			panel.Subtitle = "objects per second"
			drawn = append(drawn, panel)
		}
	}
	f.Panels = arrangeInRows(drawn)
	return f
}

// formatPlainNumber formats a number without a unit.
func formatPlainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// ratedPens maps each class of steps that uses objects to the pen of its curve.
var ratedPens = map[result.Class]LegendKey{
	result.ClassOf(workload.Create):      {Colour: Mauve, Marker: Triangle},
	result.ClassOf(workload.CreateLink):  {Colour: Mauve, Marker: Wedge},
	result.ClassOf(workload.Attribute):   {Colour: Green, Marker: Diamond},
	result.ClassOf(workload.Open):        {Colour: Blue, Marker: Square},
	result.ClassOf(workload.Stat):        {Colour: Orange, Marker: Triangle},
	result.ClassOf(workload.List):        {Colour: Amber, Marker: Wedge},
	result.ClassOf(workload.Rename):      {Colour: Indigo, Marker: Square},
	result.ClassOf(workload.Extend):      {Colour: Slate, Marker: Diamond},
	result.ClassOf(workload.ObjectClose): {Colour: Sky, Marker: Triangle},
	result.ClassOf(workload.Unlink):      {Colour: Slate, Marker: Wedge},
}

// classKey returns the legend entry of the objects per second of a class of steps.
func classKey(class result.Class) LegendKey {
	key := ratedPens[class]
	key.Name = string(class)
	return key
}

// classSeries returns the curve of a statistic of a class of steps.
func classSeries(r figures.Row, points []figures.Point, x func(figures.Point) float64) Series {
	s := Series{Key: classKey(r.RatedClass)}
	for _, p := range points {
		if v, ok := r.PointValue(p); ok {
			s.Points = append(s.Points, Point{X: x(p), Y: v.Median, Low: v.Low, High: v.High, Interval: v.Interval})
		}
	}
	slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return s
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
