package figures

import (
	"cmp"
	"slices"

	"h5perf/pkg/result"
)

// LayerStack holds the throughputs of all I/O layers, such as POSIX, MPI-IO and HDF5, for one direction in one run,
// with the same number of processes and transfer size.
type LayerStack struct {
	Operation result.Operation
	Layers    []Layer // the lowest first
	Cases     int     // number of cases in which as many layers have throughput, with this case
	Cautioned int     // number of these cases in which more layers have a caution
	Runs      []*Run  // the runs of these cases, each once
	MinRate   float64 // lowest throughput of the top layer in these cases, without the Cautioned ones
}

// Layer is one I/O layer (API) of a stack.
type Layer struct {
	Point                  // without throughput, Missing has the reason
	LowerLayerRatio *Ratio // ratio to the next lower layer; nil if there is none, or if its data came from elsewhere
}

// Top returns the highest layer that has throughput. Every stack that Stacks returns has such a layer.
func (s LayerStack) Top() Layer {
	for _, l := range slices.Backward(s.Layers) {
		if l.Missing == "" {
			return l
		}
	}
	return Layer{}
}

// LayerStacks returns one stack of layers for each direction, with the ratio of each layer to the next lower layer. It
// chooses the stack in which most layers have throughput; if several do, the stack with the fewest cautions (see
// Point.Caution); then the stack with the fastest top layer. A direction without throughput has no stack.
func LayerStacks(points []Point, costs []Ratio) []LayerStack {
	var all []LayerStack
	for _, operation := range result.ValuesOf[result.Operation]() {
		if s, found := bestLayerStack(points, costs, operation); found {
			all = append(all, s)
		}
	}
	return all
}

func bestLayerStack(points []Point, costs []Ratio, operation result.Operation) (best LayerStack, found bool) {
	all := groupIntoLayerStacks(points, operation)
	most := 0
	for _, s := range all {
		most = max(most, s.numLayersWithThroughput())
	}
	if most == 0 {
		return LayerStack{}, false
	}
	all = slices.DeleteFunc(all, func(s LayerStack) bool { return s.numLayersWithThroughput() < most })
	best = slices.MaxFunc(all, func(a, b LayerStack) int {
		return cmp.Or(cmp.Compare(b.numLayersWithCaution(), a.numLayersWithCaution()),
			cmp.Compare(a.Top().Rate.Median, b.Top().Rate.Median))
	})
	best.Cases = len(all)
	best.MinRate = best.Top().Rate.Median
	for _, s := range all {
		if run := s.Top().Run; !slices.Contains(best.Runs, run) {
			best.Runs = append(best.Runs, run)
		}
		if s.numLayersWithCaution() > best.numLayersWithCaution() {
			best.Cautioned++
		} else {
			best.MinRate = min(best.MinRate, s.Top().Rate.Median)
		}
	}
	for i := range best.Layers {
		l := &best.Layers[i]
		for _, r := range costs {
			if r.HasSameCache() && r.Upper.Run == l.Run &&
				r.Upper.pointKeyForAPI(r.Upper.Case.API) == l.pointKeyForAPI(l.Case.API) {
				l.LowerLayerRatio = &r
			}
		}
	}
	return best, true
}

// groupIntoLayerStacks groups the points of an operation: it returns a stack of layers for each number of processes and
// transfer size in each run. The stacks do not have the ratios of their layers yet.
func groupIntoLayerStacks(points []Point, operation result.Operation) (all []LayerStack) {
	type place struct {
		run *Run
		pointKey
	}
	index := map[place]int{}
	for _, p := range points {
		if p.Operation != operation && p.Operation != "" {
			continue
		}
		k := place{p.Run, p.pointKeyForAPI("")}
		k.operation = operation
		i, there := index[k]
		if !there {
			i = len(all)
			index[k] = i
			all = append(all, LayerStack{Operation: operation})
		}
		all[i].Layers = append(all[i].Layers, Layer{Point: p})
	}
	for _, s := range all {
		slices.SortStableFunc(s.Layers, func(a, b Layer) int { return result.CompareAPIs(a.Case.API, b.Case.API) })
	}
	return all
}

// numLayersWithThroughput returns the number of layers that have throughput.
func (s LayerStack) numLayersWithThroughput() int {
	return s.countLayers(func(l Layer) bool { return l.Missing == "" })
}

// numLayersWithCaution returns the number of layers that have throughput and a caution.
func (s LayerStack) numLayersWithCaution() int {
	return s.countLayers(func(l Layer) bool { return l.Missing == "" && l.Caution() != "" })
}

func (s LayerStack) countLayers(is func(Layer) bool) (n int) {
	for _, l := range s.Layers {
		if is(l) {
			n++
		}
	}
	return n
}
