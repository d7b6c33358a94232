package page

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// glance is what the page shows first of a direction: how fast the layers are in one case, and what each of them costs
// there.
type glance struct {
	figures.Stack
	Title   string
	Caution string   // that all figures have, in a few words; "" if they have none
	Which   string   // which case it is
	Costs   *drawing // nil if no layer has a cost
}

// glances returns a glance of each direction. Runs of pairs are left out.
func glances(apis []result.API, runs []run, pairs []Pair) []glance {
	var all []glance
	var points []figures.Point
	var costs []figures.Ratio
	for _, r := range runs {
		if !slices.ContainsFunc(pairs, func(p Pair) bool { return p.has(r.Run) }) {
			points, costs = append(points, r.Points...), append(costs, r.Layers...)
		}
	}
	for _, s := range figures.Stacks(points, costs) {
		all = append(all, glanceOf(newPalette(apis), s, namesOf(points)))
	}
	return all
}

// glanceOf returns the glance of a stack. names are those of all runs from which it was chosen.
func glanceOf(apis palette, s figures.Stack, names names) glance {
	top := s.Top()
	g := glance{Stack: s, Title: rowOf(top.Point).String() + ", " + top.What()}
	g.Title = strings.ToUpper(g.Title[:1]) + g.Title[1:]
	if top.Run.Numbered() {
		g.Title += ", " + processes(top.Case.Processes)
	}
	name := names.of[top.Run]
	g.Title = words(", ", g.Title, name)
	if names.places {
		g.Title += ", " + top.Run.Place()
	}
	with := only(s.Layers, func(l figures.Layer) bool { return l.Missing == "" })
	if !slices.ContainsFunc(with, func(l figures.Layer) bool { return l.Caution() != top.Caution() }) {
		g.Caution = top.Caution()
	}
	if s.Cases > 1 {
		g.Which = "Of " + units.Count(s.Cases, "case", "cases")
		if len(s.Runs) > 1 {
			g.Which += fmt.Sprintf(" of %d runs", len(s.Runs))
		}
		if len(with) > 1 {
			g.Which += " that have figures of as many APIs"
		}
		g.Which += ", this is the one in which " + figures.API(top.Case.API) + " is fastest"
		if s.Cautioned > 0 {
			g.Which += fmt.Sprintf(", without %d with more cautions", s.Cautioned)
		}
		if len(s.Runs) > 1 {
			g.Which += fmt.Sprintf(": %s. In the slowest one, %s reaches %s", name, figures.API(top.Case.API),
				units.FormatRate(s.Least))
		}
		g.Which += "."
	}
	strip := Forest{Title: "In the same case", Subtitle: ratio}
	var values []float64
	for _, l := range with {
		if l.Cost == nil {
			continue
		}
		v := l.Cost.Value
		strip.Rows = append(strip.Rows, Branch{
			Key: layerKey(apis, *l.Cost), Name: l.Cost.Name(), Words: percents(v), Value: v.Median, Low: v.Low,
			High: v.High, Interval: v.Interval,
		})
		values = append(values, v.Median, v.Low, v.High)
	}
	if strip.Rows != nil {
		strip.X = ratioAxis(values...)
		g.Costs = &drawing{Name: strip.Label(), panel: strip}
	}
	return g
}

// percents returns a ratio with its interval in words.
func percents(v figures.Value) string { return percentage(v.Median) + " (" + v.Range(percentage) + ")" }

// percentage returns a ratio in per cent: in whole ones, or with two digits if that is less than 10.
func percentage(ratio float64) string {
	if ratio < 0.095 {
		return fmt.Sprintf("%.2g %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}
