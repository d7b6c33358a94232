package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// scalingPicture makes a picture of throughput over the number of processes, for each transfer size or workload that
// was measured with several numbers of processes. A curve may combine runs whose parameters differ only in the APIs,
// numbers of processes and transfer sizes that they measure.
func scalingPicture(apis palette, points []figures.Point, operation result.Operation) Picture {
	points = filterSlice(points, func(p figures.Point) bool { return p.Operation == operation })
	type key struct {
		curve string
		size  uint64
	}
	groups := filterSlice(groupByKey(points,
		func(p figures.Point) key { return key{curveKey(p.Run), figures.TransferBytes(p.Case)} }),
		func(g group[key, figures.Point]) bool {
			return slices.ContainsFunc(g.items, func(p figures.Point) bool {
				return p.Case.Processes != g.items[0].Case.Processes
			})
		})
	var counts, rates []float64
	var kept []figures.Point
	nodes := map[int][]int{}
	for _, g := range groups {
		for _, p := range g.items {
			counts, rates = append(counts, float64(p.Case.Processes)), append(rates, ratesOfPoint(p)...)
			if n := p.Case.Processes; !slices.Contains(nodes[n], p.Case.Nodes) {
				nodes[n] = append(nodes[n], p.Case.Nodes)
			}
			kept = append(kept, p)
		}
	}
	x := Axis{Label: "processes", Log: true, Values: counts}.FitToValues(counts...)
	if slices.ContainsFunc(kept, func(p figures.Point) bool { return p.Case.Nodes > 1 }) {
		x.Label = "processes : nodes"
		x.FormatTick = func(n float64) string {
			return fmt.Sprintf("%d : %s", int(n), units.FormatRanges(slices.Sorted(slices.Values(nodes[int(n)]))))
		}
	}
	y, unit := rateAxis(rates, needsLogAxis(rates))
	slices.SortStableFunc(groups, func(a, b group[key, figures.Point]) int {
		return cmp.Compare(a.key.size, b.key.size)
	})
	var drawn []LinePanel
	var firsts []*figures.Run
	of := map[string]*figures.Run{} // the first run of each curve
	for _, g := range groups {
		if of[g.key.curve] == nil {
			of[g.key.curve] = g.items[0].Run
			firsts = append(firsts, g.items[0].Run)
		}
	}
	differing := figures.DifferingSettings(firsts)
	for _, g := range groups {
		below, first := y.Label, g.items[0].Run
		if slices.ContainsFunc(groups, func(o group[key, figures.Point]) bool { return o.key.curve != g.key.curve }) {
			below = joinNonEmpty(", ", first.TargetText(), accessText(first), "bytes divided by "+figures.WindowMeaning)
		}
		drawn = append(drawn, LinePanel{
			Title: joinNonEmpty(", ", g.items[0].TransferText(), differing[of[g.key.curve]]), Subtitle: below, X: x,
			Y: y,
			Series: seriesPerAPI(apis, g.items, unit,
				func(p figures.Point) float64 { return float64(p.Case.Processes) }),
		})
	}
	return Picture{
		Name: "scaling-" + string(operation), Title: "Scaling of " + string(operation) + "s with processes",
		Caption: "Throughput against the number of processes, for each transfer size or workload: " +
			measuredText(kept) +
			" " + marksCaption,
		Keys: append(distinctLegendKeys(drawn), sampleLegendKeys(kept)...), Panels: toPanels(drawn),
	}
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

// accessText describes how the data of a run were accessed, with all conditions.
func accessText(r *figures.Run) string {
	return strings.Join(append([]string{r.Access()}, r.Conditions()...), ", ")
}
