package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Pictures returns the pictures of runs and pairs that Write puts into a page. Their titles also say what was measured;
// a page says it in the heading. Pictures without data are left out.
func Pictures(all []figures.Run, trend history.Trend, pairs ...Pair) []Picture {
	lines := newTimelines(all, trend)
	runs := runsShownAlone(all, lines)
	points := make([][]figures.Point, len(runs))
	for i := range runs {
		points[i] = runs[i].Points()
	}
	var drawn []Picture
	for _, p := range pairs {
		drawn = append(drawn, p.differencesPicture(p.pointsOfPair(points)))
	}
	pictures := runPictures(runs, points, pairs)
	if subject := subjectOf(runs); subject != "" {
		for i := range pictures {
			pictures[i].Title += ": " + subject
		}
	}
	return slices.Concat(nonEmptyPictures(drawn), overTimePictures(all, lines), pictures)
}

// subjectOf describes what runs measured.
func subjectOf(runs []figures.Run) string {
	all := make([]*figures.Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	return figures.SubjectOf(all)
}

// nonEmptyPictures returns the pictures that have panels.
func nonEmptyPictures(all []Picture) []Picture {
	return filterSlice(all, func(f Picture) bool { return len(f.Panels) > 0 })
}

// runPictures returns the pictures of runs, without the pictures of differences in pairs. of holds the points, one list
// for each run.
func runPictures(runs []figures.Run, of [][]figures.Point, pairs []Pair) []Picture {
	apis := newPalette(figures.APIs(runs))
	var points []figures.Point
	for i := range runs {
		measured := filterSlice(of[i], func(p figures.Point) bool { return p.Missing == "" })
		slices.SortStableFunc(measured, func(a, b figures.Point) int {
			return cmp.Compare(a.Case.Processes, b.Case.Processes)
		})
		points = append(points, measured...)
	}
	sweeps := filterSlice(points, func(p figures.Point) bool { return p.Run.HasTransferSize() })
	alone := filterSlice(sweeps, func(p figures.Point) bool {
		return !slices.ContainsFunc(pairs, func(pair Pair) bool { return pair.containsRun(p.Run) })
	})
	timed := filterSlice(slices.Concat(of...), func(p figures.Point) bool { return len(p.ClassTimes()) > 0 })
	slices.SortStableFunc(timed, func(a, b figures.Point) int {
		return cmp.Compare(a.Case.Processes,
			b.Case.Processes)
	})
	var drawn []Picture
	for _, p := range pairs {
		drawn = append(drawn, p.throughputPicture(p.pointsOfPair(of)))
	}
	return nonEmptyPictures(append(drawn,
		throughputPicture(apis, alone, result.OperationWrite), throughputPicture(apis, alone, result.OperationRead),
		layersPicture(apis, runs), classesPicture(timed), dumpsPicture(of), latencyPicture(apis, points),
		scalingPicture(apis, points, result.OperationWrite), scalingPicture(apis, points, result.OperationRead),
	))
}

// group holds items that have the same key. Each panel shows a group.
type group[K comparable, V any] struct {
	key   K
	items []V
}

// groupByKey groups items by key. The groups are in the order of their first items.
func groupByKey[K comparable, V any](items []V, key func(V) K) []group[K, V] {
	var groups []group[K, V]
	at := map[K]int{}
	for _, item := range items {
		k := key(item)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, group[K, V]{key: k})
		}
		groups[i].items = append(groups[i].items, item)
	}
	return groups
}

// runProcesses is a run and a number of processes.
type runProcesses struct {
	run       *figures.Run
	processes int
}

func runProcessesOf(p figures.Point) runProcesses { return runProcesses{p.Run, p.Case.Processes} }

// runNames holds, for a picture of several runs, a name for each run that distinguishes it from the others.
type runNames struct {
	byRun          map[*figures.Run]string
	severalTargets bool // the runs are on different file systems
}

// namesOfPoints returns the names of the runs to which points belong.
func namesOfPoints(points []figures.Point) runNames {
	var runs []*figures.Run
	for _, g := range groupByKey(points, func(p figures.Point) *figures.Run { return p.Run }) {
		runs = append(runs, g.key)
	}
	return namesOfRuns(runs)
}

func namesOfRuns(runs []*figures.Run) runNames {
	if len(runs) < 2 {
		return runNames{}
	}
	elsewhere := func(r *figures.Run) bool { return r.TargetText() != runs[0].TargetText() }
	return runNames{figures.RunNames(runs), slices.ContainsFunc(runs, elsewhere)}
}

// panelTitles returns the title and the subtitle of a panel. The parameter what describes the panel and is its title.
// In a picture of several runs, the title is the name of the run, and the description is in the subtitle. If the runs
// are on different file systems, the subtitle also names the file system.
func (s runProcesses) panelTitles(names runNames, what, subtitle string) (title, below string) {
	name := names.byRun[s.run]
	if name == "" {
		return what, subtitle
	}
	below = what + ": " + subtitle
	if names.severalTargets {
		below += ", " + s.run.TargetText()
	}
	return name, below
}

func processesText(n int) string { return units.Count(n, "process", "processes") }

func nodesText(n int) string { return units.Count(n, "node", "nodes") }

// sampleShape returns the shape of a sample: hollow if it is warm, a triangle if it is short, a cross if it is
// implausible, and with a line through it if it has one of the marks in struckMarks.
func sampleShape(s result.Sample) Shape {
	if s.HasMark(result.MarkImplausible) {
		return Shape{Cross: true}
	}
	return Shape{
		Hollow: s.HasMark(result.MarkWarm), Pointed: s.HasMark(result.MarkShort),
		StruckThrough: slices.ContainsFunc(struckMarks, s.HasMark),
	}
}

// struckMarks holds the marks for which a sample is drawn with a line through it.
var struckMarks = []result.Mark{result.MarkStaggered, result.MarkSkewed, result.MarkShared, result.MarkDisturbed}

// sampleLegendKeys returns legend entries that explain the shapes with which the samples of these points are drawn.
func sampleLegendKeys(points []figures.Point) []LegendKey {
	keys := []LegendKey{{Name: "a sample", Colour: Muted, Sample: &Shape{}}}
	for _, k := range []struct {
		marks []result.Mark
		name  string
		shape Shape
	}{
		{[]result.Mark{result.MarkWarm}, "warm: read from memory of the client", Shape{Hollow: true}},
		{[]result.Mark{result.MarkShort}, "short: less than 1 s in total", Shape{Pointed: true}},
		{struckMarks, "", Shape{StruckThrough: true}},
		{[]result.Mark{result.MarkImplausible}, "implausible: above memory speed", Shape{Cross: true}},
	} {
		var there []string
		for _, m := range k.marks {
			if slices.ContainsFunc(points, func(p figures.Point) bool { return figures.NumMarked(p.Samples, m) > 0 }) {
				there = append(there, string(m))
			}
		}
		if len(there) > 0 {
			name := cmp.Or(k.name, strings.Join(there, " or "))
			keys = append(keys, LegendKey{Name: name, Colour: Muted, Sample: &k.shape})
		}
	}
	if slices.ContainsFunc(points, func(p figures.Point) bool { return p.Partial != "" }) {
		keys = append(keys, LegendKey{
			Name: "partial: fewer iterations than requested", Colour: Muted, Hollow: true,
		})
	}
	return keys
}

// sizeAxis returns the axis of transfer sizes, in bytes.
func sizeAxis(sizes []float64) Axis {
	return Axis{Label: "transfer size", Log: true, Values: sizes, FormatTick: units.FormatBytes}.FitToValues(sizes...)
}

// needsLogAxis reports whether an axis of these values must be logarithmic: the largest is more than eight times the
// smallest.
func needsLogAxis(rates []float64) bool {
	least, greatest := math.Inf(1), 0.0
	for _, r := range rates {
		least, greatest = min(least, r), max(greatest, r)
	}
	return greatest > 8*least
}

// rateAxis returns an axis for throughputs and its unit in bytes per second. The unit is the IEC unit (KiB/s, MiB/s,
// ...) that suits the largest value.
func rateAxis(rates []float64, log bool) (Axis, float64) {
	greatest := 0.0
	for _, r := range rates {
		greatest = max(greatest, r)
	}
	unit, name := 1.0, "B/s"
	for _, next := range []string{"KiB/s", "MiB/s", "GiB/s", "TiB/s"} {
		if greatest < 1024*unit {
			break
		}
		unit, name = unit*1024, next
	}
	scaled := make([]float64, len(rates))
	for i, r := range rates {
		scaled[i] = r / unit
	}
	a := Axis{Label: "throughput in " + name, Log: log}
	return a.FitToValues(scaled...), unit
}

// toPanels converts panels of one type to a slice of the interface.
func toPanels[P Panel](all []P) []Panel {
	out := make([]Panel, len(all))
	for i, p := range all {
		out[i] = p
	}
	return out
}
