package page

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// overview is the part at the top of the page about an operation: the throughput of each layer in one case, and its
// ratio to the layer below.
type overview struct {
	figures.LayerStack
	Title      string
	Caution    string         // the caution that all layers share, in short; "" if they share none
	CaseChoice string         // how the case was chosen
	Costs      *deferredPanel // nil if no layer has a cost
}

// newOverviews returns an overview for each operation. It leaves out runs that belong to a pair.
func newOverviews(apis []result.API, runs []runView, pairs []Pair) []overview {
	var all []overview
	var points []figures.Point
	var costs []figures.Ratio
	for _, r := range runs {
		if !slices.ContainsFunc(pairs, func(p Pair) bool { return p.containsRun(r.Run) }) {
			points, costs = append(points, r.Points...), append(costs, r.Layers...)
		}
	}
	for _, s := range figures.LayerStacks(points, costs) {
		all = append(all, newOverview(newPalette(apis), s, namesOfPoints(points)))
	}
	return all
}

// newOverview returns the overview of a stack of layers. names holds the names of all runs from which the stack was
// chosen.
func newOverview(apis palette, s figures.LayerStack, names runNames) overview {
	top := s.Top()
	g := overview{LayerStack: s, Title: rowOfPoint(top.Point).String() + ", " + top.TransferText()}
	g.Title = strings.ToUpper(g.Title[:1]) + g.Title[1:]
	if top.Run.IsParallel() {
		g.Title += ", " + processesText(top.Case.Processes)
	}
	name := names.byRun[top.Run]
	g.Title = joinNonEmpty(", ", g.Title, name)
	if names.severalTargets {
		g.Title += ", " + top.Run.TargetText()
	}
	with := filterSlice(s.Layers, func(l figures.Layer) bool { return l.Missing == "" })
	if !slices.ContainsFunc(with, func(l figures.Layer) bool { return l.Caution() != top.Caution() }) {
		g.Caution = top.Caution()
	}
	if s.Cases > 1 {
		g.CaseChoice = "Of " + units.Count(s.Cases, "case", "cases")
		if len(s.Runs) > 1 {
			g.CaseChoice += fmt.Sprintf(" of %d runs", len(s.Runs))
		}
		if len(with) > 1 {
			g.CaseChoice += " that have figures of as many APIs"
		}
		g.CaseChoice += ", this is the one in which " + figures.APILabel(top.Case.API) + " is fastest"
		if s.Cautioned > 0 {
			g.CaseChoice += fmt.Sprintf(", without %d with more cautions", s.Cautioned)
		}
		if len(s.Runs) > 1 {
			g.CaseChoice += fmt.Sprintf(": %s. In the slowest one, %s reaches %s", name, figures.APILabel(top.Case.API),
				units.FormatRate(s.MinRate))
		}
		g.CaseChoice += "."
	}
	strip := ForestPanel{Title: "In the same case", Subtitle: ratioLabel}
	var values []float64
	for _, l := range with {
		if l.LowerLayerRatio == nil {
			continue
		}
		v := l.LowerLayerRatio.Value
		strip.Rows = append(strip.Rows, ForestPanelRow{
			Key: ratioLegendKey(apis, *l.LowerLayerRatio), Name: l.LowerLayerRatio.Name(),
			Conclusion: ratioRangeText(v),
			Value:      v.Median, Low: v.Low,
			High: v.High, Interval: v.Interval,
		})
		values = append(values, v.Median, v.Low, v.High)
	}
	if strip.Rows != nil {
		strip.X = ratioAxis(values...)
		g.Costs = &deferredPanel{Name: strip.Label(), panel: strip}
	}
	return g
}

// ratioRangeText formats a ratio with its interval.
func ratioRangeText(v figures.MedianEstimate) string {
	return percentText(v.Median) + " (" + v.RangeText(percentText) + ")"
}

// percentText formats a ratio in per cent: without decimals, but below 9.5 % with two significant digits.
func percentText(ratio float64) string {
	if ratio < 0.095 {
		return fmt.Sprintf("%.2g %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}
