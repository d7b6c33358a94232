package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// minScalingCounts is the smallest number of numbers of processes that make a picture of scaling.
const minScalingCounts = 3

// scalingPicture makes a picture of throughput over the number of processes: of each API and number of processes, the
// highest median. A curve may combine runs whose parameters differ only in the APIs, numbers of processes and transfer
// sizes that they measure.
func scalingPicture(runs []*figures.Run) Picture {
	var points []figures.Point
	for _, r := range runs {
		points = append(points, pointsWithThroughput(r)...)
	}
	type key struct {
		curve string
		panelRow
	}
	groups := groupByKey(points, func(p figures.Point) key { return key{curveKey(p.Run), rowOfPoint(p)} })
	groups = filterSlice(groups, func(g group[key, figures.Point]) bool {
		return len(groupByKey(g.items, numProcesses)) >= minScalingCounts
	})
	if len(groups) == 0 {
		return Picture{}
	}
	var firsts []*figures.Run // of each curve
	for _, g := range groupByKey(groups, func(g group[key, figures.Point]) string { return g.key.curve }) {
		firsts = append(firsts, g.items[0].items[0].Run)
	}
	differing := figures.DifferingSettings(firsts)
	var drawn []Panel
	var shown []figures.Point
	for _, g := range groups {
		first := g.items[0].Run
		best := highestPerAPIAndProcesses(g.items)
		for i := range best {
			best[i].Unit = best[0].Unit // runs may have different units
		}
		panel := Panel{Row: int(g.key.panelRow), X: processesAxis(best), Y: rateAxis(best)}
		panel.Title, panel.Subtitle = joinNonEmpty(", ", g.key.String(), differing[first]), panel.Y.Label
		if len(firsts) > 1 {
			panel.Subtitle = joinNonEmpty(", ", panel.Y.Label, first.TargetText())
		}
		for _, s := range seriesPerAPI(best, func(p figures.Point) float64 { return float64(numProcesses(p)) }) {
			if from, to := s.Points[0], s.Points[len(s.Points)-1]; from.X < to.X {
				ideal := LegendKey{Name: idealKey.Name, Colour: s.Key.Colour, Dashed: true}
				top := min(panel.Y.Max, from.Y*to.X/from.X) // the line ends at the upper end of the panel
				s.EndText = percentText(to.Y / from.Y * from.X / to.X)
				line := []Point{{X: from.X, Y: from.Y}, {X: from.X * top / from.Y, Y: top}}
				panel.Series = append(panel.Series, Series{Key: ideal, WithoutMarkers: true, Points: line})
			}
			panel.Series = append(panel.Series, s)
		}
		drawn, shown = append(drawn, panel), append(shown, best...)
	}
	return Picture{
		Name: "scaling", Title: "Scaling with processes",
		Caption: "Of each API and number of processes, the highest median throughput. The percentage at the end of a " +
			"line is the efficiency: how much of the throughput is reached that the first point would give if each " +
			"process added as much.",
		Keys: append(seriesLegendKeys(drawn, shown), idealKey), Panels: arrangeInRows(drawn),
	}
}

// idealKey is the legend entry of the line of throughput that grows like the number of processes.
var idealKey = LegendKey{Name: "ideal", Colour: Muted, Dashed: true}

func numProcesses(p figures.Point) int { return p.Case.Processes }

// highestPerAPIAndProcesses returns, of each API and number of processes, the point with the highest median. Points
// with a caution count only if all have one.
func highestPerAPIAndProcesses(points []figures.Point) (best []figures.Point) {
	type key struct {
		api       string
		processes int
	}
	for _, g := range groupByKey(points, func(p figures.Point) key { return key{p.Case.API, p.Case.Processes} }) {
		best = append(best, slices.MaxFunc(g.items, func(a, b figures.Point) int {
			trusted := func(p figures.Point) int { return min(1, len(p.Caution())) }
			return cmp.Or(cmp.Compare(trusted(b), trusted(a)), cmp.Compare(a.Rate.Median, b.Rate.Median))
		}))
	}
	return best
}

// processesAxis returns the axis of the numbers of processes of points, with the numbers of nodes if there are several.
func processesAxis(points []figures.Point) Axis {
	var counts []float64
	nodes := map[int][]int{}
	several := false
	for _, p := range points {
		n := p.Case.Processes
		counts, several = append(counts, float64(n)), several || p.Case.Nodes > 1
		if !slices.Contains(nodes[n], p.Case.Nodes) {
			nodes[n] = append(nodes[n], p.Case.Nodes)
		}
	}
	x := Axis{Label: "processes", Log: true, Values: counts}.FitToValues(counts...)
	if several {
		x.Label = "processes : nodes"
		x.FormatTick = func(n float64) string {
			return fmt.Sprintf("%d : %s", int(n), units.FormatRanges(slices.Sorted(slices.Values(nodes[int(n)]))))
		}
	}
	return x
}

// curveKey returns a string that is equal for all runs whose points may share a curve. It contains the cluster, the
// file system, the arm of a pair, and all parameters except for the sweep and the number of iterations. It does not
// contain the host of rank 0.
func curveKey(r *figures.Run) string {
	p := r.Parameters
	p.APIs, p.MinProcesses, p.MaxProcesses, p.MinTransferSize, p.MaxTransferSize, p.Iterations = nil, 0, 0, 0, 0, 0
	p.Conditions.Seed = nil
	text, _ := json.Marshal(p) // cannot fail: the parameters were read from JSON
	var arm result.Arm
	if r.Pair != nil {
		arm = r.Pair.Arm
	}
	return fmt.Sprintf("%q %q %q %s %s", r.Identity.Cluster, r.Target.Type, r.Target.MountPoint, arm, text)
}
