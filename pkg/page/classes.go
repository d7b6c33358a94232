package page

import (
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// kindInk is the ink of each of figures.Kinds, and of the rest.
var kindInk = map[string]Ink{
	"transfers": Slate, "files": Sky, "objects": Mauve, "attributes": Green,
	"sync": Amber, "waiting": Indigo, rest: Grid,
}

// rest is the name of the visible time that is of no kind.
const rest = "rest"

// classes draws how much of the visible time of a workload is transfers, and how much each kind of structure. of holds
// the points of each run.
func classes(of [][]figures.Point) Picture {
	type key struct {
		setting
		row
	}
	points := only(slices.Concat(of...), func(p figures.Point) bool {
		return p.OfWorkload() && len(p.ClassTimes()) > 0
	})
	names := namesOf(points)
	used := map[string]bool{}
	var drawn []placed[Bars]
	for _, g := range grouped(points, func(p figures.Point) key { return key{settingOf(p), rowOf(p)} }) {
		what := words(", ", g.items[0].What(), g.key.String(), processes(g.key.processes))
		panel := Bars{}
		panel.Title, panel.Subtitle = g.key.heads(names, what, "time of each kind of work, and the visible time")
		for _, p := range g.items {
			row := Row{Name: figures.API(p.Case.API), Whole: units.FormatSeconds(p.Visible().Median)}
			for _, k := range append(p.KindTimes(), figures.Phase{Name: rest, Seconds: p.Rest()}) {
				if k.Seconds > 0 {
					row.Parts = append(row.Parts, Part{Ink: kindInk[k.Name], Value: k.Seconds})
					used[k.Name] = true
				}
			}
			panel.Rows = append(panel.Rows, row)
		}
		drawn = append(drawn, placed[Bars]{g.key.row, panel})
	}
	all, starts := inRows(drawn)
	var keys []Key
	for _, k := range append(slices.Clone(figures.Kinds), figures.Kind{Name: rest}) {
		if used[k.Name] {
			keys = append(keys, Key{Name: k.Name, Ink: kindInk[k.Name], Swatch: true})
		}
	}
	return Picture{
		Name: "classes", Title: "Transfers and structure of workloads",
		Caption: "Transfers: to build selections and to move data. All else is structure. Files: to open, create and " +
			"close files. Objects: to create, open, extend, close and unlink groups and datasets. Waiting: for the " +
			"other processes, where the workload does. Rest: for slower processes, at the end of an epoch. Each " +
			"value is the median of the samples, of the slowest process of each class: where these are different " +
			"processes, the bar is longer than the visible time, which stands at its end. Computing is left out.",
		Keys: keys, Panels: panels(scaled(all)), Starts: starts,
	}
}

// classesOf returns the classes that any of the points has, in their order.
func classesOf(points []figures.Point) []figures.ClassTime {
	var all []figures.ClassTime
	for _, word := range result.All[result.Class]() {
		for _, p := range points {
			if t, ok := timeOf(p, word); ok {
				all = append(all, t)
				break
			}
		}
	}
	return all
}

// timeOf returns the time of a class of a point.
func timeOf(p figures.Point, class result.Class) (t figures.ClassTime, ok bool) {
	for _, t := range p.ClassTimes() {
		if t.Class == class {
			return t, true
		}
	}
	return t, false
}

// classTime returns the time of a class in words, or a dash if the point does not have the class.
func classTime(p figures.Point, class result.Class) string {
	if t, ok := timeOf(p, class); ok {
		return units.FormatSeconds(t.Seconds)
	}
	return "–"
}
