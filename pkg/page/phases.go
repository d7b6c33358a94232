package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/chart"
	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// phaseInk is the ink of each phase.
var phaseInk = map[string]chart.Ink{
	"open": chart.Sky, "dataset": chart.Mauve, "transfer": chart.Slate, "sync": chart.Amber, "close": chart.Indigo,
}

// phases draws which part of the time of a case each phase takes.
func phases(points []figures.Point) chart.Figure {
	type key struct {
		setting
		operation result.Operation
	}
	many := several(points)
	used := map[string]bool{}
	var drawn []chart.Bars
	for _, g := range grouped(points, func(p figures.Point) key { return key{settingOf(p), p.Operation} }) {
		title := string(g.key.operation) + ", " + g.key.title(many)
		panel := chart.Bars{Title: title, Subtitle: g.key.beside("share of each phase, and the total time", many)}
		sizes := grouped(g.items, func(p figures.Point) uint64 { return figures.Size(p.Case) })
		slices.SortStableFunc(sizes, func(a, b group[uint64, figures.Point]) int { return cmp.Compare(a.key, b.key) })
		for _, size := range sizes {
			for i, p := range size.items {
				name := figures.API(p.Case.API)
				if i == 0 {
					name = units.FormatBytes(float64(size.key)) + "  " + name
				}
				panel.Rows = append(panel.Rows, row(name, p))
			}
		}
		for _, p := range g.items {
			for _, f := range p.Phases {
				used[f.Name] = true
			}
		}
		drawn = append(drawn, panel)
	}
	var keys []chart.Key
	for _, name := range figures.PhaseNames {
		if used[name] {
			keys = append(keys, chart.Key{Name: name, Ink: phaseInk[name], Swatch: true})
		}
	}
	return chart.Figure{
		Name: "phases", Title: "Where the time goes",
		Caption: "Open and close: time to open and close the file. Dataset is the time to create or open datasets, " +
			"and " +
			"to close them. Sync is the time to make data durable. Each value is the median of the samples, measured " +
			"by " + bases(points) + ". The sum is at the end of the bar.",
		Keys: keys, Panels: panels(drawn),
	}
}

// row returns the bar of a point.
func row(name string, p figures.Point) chart.Row {
	r := chart.Row{Name: name}
	sum := 0.0
	for _, f := range p.Phases {
		r.Parts = append(r.Parts, chart.Part{Ink: phaseInk[f.Name], Value: f.Seconds})
		sum += f.Seconds
	}
	r.Whole = units.FormatSeconds(sum)
	return r
}
