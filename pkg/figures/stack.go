package figures

import (
	"cmp"
	"slices"

	"h5perf/pkg/result"
)

// Stack holds the throughputs of all layers for one direction of one case, which means the same number of processes and
// transfer size in the same run.
type Stack struct {
	Operation result.Operation
	Layers    []Layer // the lowest first
	Cases     int     // number of cases in which as many layers have throughput, with this case
	Cautioned int     // number of these cases in which more layers have a caution
	Runs      []*Run  // the runs of these cases, each once
	MinRate   float64 // lowest throughput of the top layer in these cases, without the Cautioned ones
}

// Layer is one layer of a stack.
type Layer struct {
	Point                  // without throughput, Missing has the reason
	LowerLayerRatio *Ratio // ratio to the next lower layer; nil if there is none, or if its data came from elsewhere
}

// Top returns the highest layer that has throughput. Every stack that Stacks returns has such a layer.
func (s Stack) Top() Layer {
	for _, l := range slices.Backward(s.Layers) {
		if l.Missing == "" {
			return l
		}
	}
	return Layer{}
}

// Stacks returns one stack for each direction of points, with the costs of its layers. It first takes the cases in
// which most layers have throughput, then those of them in which fewest layers have a caution (see Point.Caution), and
// then the one with the fastest top layer. A direction without throughput has no stack.
func Stacks(points []Point, costs []Ratio) []Stack {
	var all []Stack
	for _, operation := range result.ValuesOf[result.Operation]() {
		if s, found := bestStack(points, costs, operation); found {
			all = append(all, s)
		}
	}
	return all
}

func bestStack(points []Point, costs []Ratio, operation result.Operation) (best Stack, found bool) {
	all := stackPerCase(points, operation)
	most := 0
	for _, s := range all {
		most = max(most, s.numFigures())
	}
	if most == 0 {
		return Stack{}, false
	}
	all = slices.DeleteFunc(all, func(s Stack) bool { return s.numFigures() < most })
	best = slices.MaxFunc(all, func(a, b Stack) int {
		return cmp.Or(cmp.Compare(b.numCautions(), a.numCautions()),
			cmp.Compare(a.Top().Rate.Median, b.Top().Rate.Median))
	})
	best.Cases = len(all)
	best.MinRate = best.Top().Rate.Median
	for _, s := range all {
		if run := s.Top().Run; !slices.Contains(best.Runs, run) {
			best.Runs = append(best.Runs, run)
		}
		if s.numCautions() > best.numCautions() {
			best.Cautioned++
		} else {
			best.MinRate = min(best.MinRate, s.Top().Rate.Median)
		}
	}
	for i := range best.Layers {
		l := &best.Layers[i]
		for _, r := range costs {
			if r.HasSameCache() && r.Upper.Run == l.Run &&
				r.Upper.measurementOf(r.Upper.Case.API) == l.measurementOf(l.Case.API) {
				l.LowerLayerRatio = &r
			}
		}
	}
	return best, true
}

// stackPerCase returns a stack for each case, without costs.
func stackPerCase(points []Point, operation result.Operation) (all []Stack) {
	type place struct {
		run *Run
		measurement
	}
	index := map[place]int{}
	for _, p := range points {
		if p.Operation != operation && p.Operation != "" {
			continue
		}
		k := place{p.Run, p.measurementOf("")}
		k.operation = operation
		i, there := index[k]
		if !there {
			i = len(all)
			index[k] = i
			all = append(all, Stack{Operation: operation})
		}
		all[i].Layers = append(all[i].Layers, Layer{Point: p})
	}
	for _, s := range all {
		slices.SortStableFunc(s.Layers, func(a, b Layer) int { return result.CompareAPIs(a.Case.API, b.Case.API) })
	}
	return all
}

// numFigures returns the number of layers that have throughput.
func (s Stack) numFigures() int {
	return s.countLayers(func(l Layer) bool { return l.Missing == "" })
}

// numCautions returns the number of layers that have throughput and a caution.
func (s Stack) numCautions() int {
	return s.countLayers(func(l Layer) bool { return l.Missing == "" && l.Caution() != "" })
}

func (s Stack) countLayers(is func(Layer) bool) (n int) {
	for _, l := range s.Layers {
		if is(l) {
			n++
		}
	}
	return n
}
