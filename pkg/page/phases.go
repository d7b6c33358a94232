package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/units"
)

// phaseInk is the ink of each phase.
var phaseInk = map[string]Ink{
	"open": Sky, "dataset": Mauve, "transfer": Slate, "sync": Amber, "close": Indigo,
}

// phases draws how long each phase of a case takes.
func phases(points []figures.Point) Picture {
	type key struct {
		setting
		row
	}
	names := namesOf(points)
	used := map[string]bool{}
	for _, p := range points {
		for _, f := range p.Phases {
			used[f.Name] = true
		}
	}
	var drawn []placed[Bars]
	for _, g := range grouped(points, func(p figures.Point) key { return key{settingOf(p), rowOf(p)} }) {
		panel := Bars{}
		panel.Title, panel.Subtitle = g.key.heads(names, g.key.String()+", "+processes(g.key.processes),
			"time of each phase, and the sum")
		sizes := grouped(g.items, func(p figures.Point) uint64 { return figures.Size(p.Case) })
		slices.SortStableFunc(sizes, func(a, b group[uint64, figures.Point]) int { return cmp.Compare(a.key, b.key) })
		var of [][]Row // by size
		for _, size := range sizes {
			var rows []Row
			for i, p := range size.items {
				name := figures.API(p.Case.API)
				if i == 0 {
					name = units.FormatBytes(float64(size.key)) + "  " + name
				}
				rows = append(rows, phaseRow(name, p))
			}
			of = append(of, rows)
		}
		if !wide(longest(of)) {
			of = [][]Row{slices.Concat(of...)}
		}
		for i, rows := range of {
			one := panel
			one.Rows = rows
			if len(of) > 1 {
				one.Title += ", " + units.FormatBytes(float64(sizes[i].key))
			}
			drawn = append(drawn, placed[Bars]{g.key.row, one})
		}
	}
	all, starts := inRows(drawn)
	var keys []Key
	for _, name := range figures.PhaseNames {
		if used[name] {
			keys = append(keys, Key{Name: name, Ink: phaseInk[name], Swatch: true})
		}
	}
	return Picture{
		Name: "phases", Title: "Where the time goes",
		Caption: "Open and close: time to open and close the file. Dataset is the time to create or open datasets, " +
			"and " +
			"to close them. Sync is the time to make data durable. Each value is the median of the samples, measured " +
			"by " + figures.Window + ". The sum is at the end of the bar.",
		Keys: keys, Panels: panels(scaled(all)), Starts: starts,
	}
}

// phaseRow returns the bar of a point.
func phaseRow(name string, p figures.Point) Row {
	r := Row{Name: name}
	for _, f := range p.Phases {
		r.Parts = append(r.Parts, Part{Ink: phaseInk[f.Name], Value: f.Seconds})
	}
	r.Whole = units.FormatSeconds(r.Length())
	return r
}

// longest returns the length of the longest bar of each group of rows.
func longest(of [][]Row) []float64 {
	lengths := make([]float64, len(of))
	for i, rows := range of {
		for _, r := range rows {
			lengths[i] = max(lengths[i], r.Length())
		}
	}
	return lengths
}

// scaled returns panels with axes of seconds: one for all, so that the panels can be compared, unless the bars of some
// would be too short to be seen. These then have an axis of their own.
func scaled(all []Bars) []Bars {
	of := make([][]Row, len(all))
	for i := range all {
		of[i] = all[i].Rows
	}
	lengths := longest(of)
	for i := range all {
		cover := lengths
		if wide(lengths) {
			cover = lengths[i : i+1]
		}
		all[i].X = Axis{Print: units.FormatSeconds}.Cover(cover...)
	}
	return all
}
