package star

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// part is what a rank has of a dataset: by a rule, or by hyperslabs or points.
type part struct {
	value
	rule   workload.Rule
	slabs  []pattern.Hyperslab
	points []uint64
	listed bool // by hyperslabs or points
}

// key is the same for parts that are the same.
func (p *part) key() string {
	if !p.listed {
		return fmt.Sprint(p.rule)
	}
	return fmt.Sprint(p.slabs, p.points)
}

// Unpack makes a part of what a rule returned, or of a list of hyperslabs.
func (p *part) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case *part:
		*p = *v
		return nil
	case *starlark.List:
		p.listed = true
		for one := range v.Elements() {
			slab, is := one.(*part)
			if !is || len(slab.slabs) != 1 {
				return fmt.Errorf("%s is no hyperslab: a list has hyperslab(start, count)", shown(one))
			}
			p.slabs = append(p.slabs, slab.slabs[0])
		}
		return nil
	}
	return fmt.Errorf("%s is no part of a dataset: give a rule such as block(), or a list of hyperslabs", shown(v))
}

// rule is a rule by which ranks divide a dataset, as a function of scripts.
type rule struct {
	name   workload.RuleName
	params string // that it has beside record and ranks, with ! those that must be given
}

var rules = map[string]rule{
	"block": {name: workload.BlockRule, params: "grid idle"}, "slab": {name: workload.SlabRule, params: "idle"},
	"concat": {name: workload.ConcatRule, params: "count base modulus mean deviation each shared unit piece seed"},
	"cyclic": {name: workload.CyclicRule, params: "dim length!"},
	"map":    {name: workload.MapRule, params: "dim length! seed"},
	"slice":  {name: workload.SliceRule, params: "dim! index!"}, "frame": {name: workload.FrameRule, params: "width!"},
	"corners":  {name: workload.CornersRule, params: "width! anti"},
	"diagonal": {name: workload.DiagonalRule, params: "width!"}, "everything": {name: workload.AllRule},
	"nothing": {name: workload.NoneRule}, "random": {name: workload.RandomRule, params: "count first seed"},
	"strided": {name: workload.StridedRule, params: "count! length! stride"},
}

// part returns the part of the rule.
func (x rule) part(c call) (starlark.Value, error) {
	p := &part{value: value{"part"}, rule: workload.Rule{Name: x.name}}
	r := &p.rule
	var shared, piece starlark.Value
	var mean, deviation uint64
	places := map[string]any{
		"grid": (*extent)(&r.Grid), "idle": &r.Idle, "count": &r.Count, "base": &r.Base, "modulus": &r.Modulus,
		"mean": &mean, "deviation": &deviation, "each": (*extent)(&r.Each), "shared": &shared, "unit": &r.Unit,
		"piece": &piece, "seed": &r.Seed, "dim": &r.Dim, "length": &r.Length, "index": &r.Index, "width": &r.Width,
		"anti": &r.Anti, "first": &r.First, "stride": &r.Stride, "record": (*extent)(&r.Record), "ranks": &r.Ranks,
	}
	var pairs []any
	for _, name := range append(strings.Fields(x.params), "record", "ranks") {
		needed := strings.TrimSuffix(name, "!")
		if needed == name {
			name += "?"
		} else {
			name = needed
		}
		pairs = append(pairs, name, places[needed])
	}
	if len(c.args) > 0 {
		return nil, errors.New(c.name + ": give parameters by their names, such as " + c.name + "(ranks = 4)")
	}
	if err := c.unpack(pairs...); err != nil {
		return nil, err
	}
	r.Mean, r.Deviation = float64(mean), float64(deviation)
	if piece != nil {
		n, err := whole(piece)
		if r.Piece = n + 1; err != nil { // rules count from 1
			return nil, fmt.Errorf("concat: the piece %w", err)
		}
	}
	given := func(name string) bool {
		return slices.ContainsFunc(c.kwargs, func(kv starlark.Tuple) bool { return kv[0] == starlark.String(name) })
	}
	if given("ranks") && r.Ranks == 0 {
		return nil, fmt.Errorf("%s: a dataset is divided among 0 ranks: give a number from 1 on", c.name)
	}
	if x.name == workload.ConcatRule {
		for name, counts := range map[string]workload.Counts{
			"count": workload.Equal, "modulus": workload.Modulo, "deviation": workload.Normal, "each": workload.List,
			"shared": workload.Shared,
		} {
			switch {
			case !given(name):
			case r.Counts != "":
				return nil, errors.New("concat: give one of count, modulus, deviation, each and shared")
			default:
				r.Counts = counts
			}
		}
		if r.Counts == "" {
			return nil, errors.New("concat: give the numbers of rows: count, or base and modulus, deviation, each or " +
				"shared")
		}
		if shared != nil {
			n, err := whole(shared)
			if r.Count = n; err != nil {
				return nil, fmt.Errorf("concat: shared: %w", err)
			}
		}
	}
	return p, nil
}

// hyperslab returns a regular hyperslab: count blocks in each dimension, stride elements apart.
func hyperslab(c call) (starlark.Value, error) {
	var start, count, stride, block extent
	if err := c.unpack("start", &start, "count", &count, "stride?", &stride, "block?", &block); err != nil {
		return nil, err
	}
	ones := slices.Repeat(extent{1}, len(start))
	if block == nil {
		block = ones
	}
	if stride == nil {
		stride = block
	}
	for _, e := range []extent{start, count, stride, block} {
		if len(e) != len(start) || slices.Contains(e, 0) && !slices.Equal(e, start) || e.bounded("hyperslab") != nil {
			return nil, fmt.Errorf("hyperslab: start %v, stride %v, count %v and block %v must have as many "+
				"numbers, but for start from 1 on", start, stride, count, block)
		}
	}
	slab := pattern.Hyperslab{Start: start, Stride: stride, Count: count, Block: block}
	return &part{value: value{"part"}, slabs: []pattern.Hyperslab{slab}, listed: true}, nil
}

// points returns a list of elements, in their order.
func points(c call) (starlark.Value, error) {
	var list *starlark.List
	if err := c.unpack("coordinates", &list); err != nil {
		return nil, err
	}
	p := &part{value: value{"part"}, listed: true, points: []uint64{}}
	for v := range list.Elements() {
		var at extent
		if err := at.Unpack(v); err != nil {
			return nil, err
		}
		p.points = append(p.points, at...)
	}
	return p, nil
}

// selection returns the part of one of the ranks that share a dataset.
func (p *part) selection(dims []uint64, element, rank, ranks uint64) (pattern.Selection, error) {
	switch {
	case !p.listed:
		return p.rule.Selection(dims, element, rank, ranks)
	case p.points != nil:
		return pattern.PointList(dims, element, p.points)
	case len(p.slabs) == 1:
		return pattern.Select(dims, element, p.slabs[0])
	}
	var start, extent []uint64
	for _, slab := range p.slabs {
		if len(slab.Start) != len(dims) {
			return pattern.Selection{}, fmt.Errorf("a hyperslab of %d dimensions in a dataset of %d", len(slab.Start),
				len(dims))
		}
		blocks := uint64(1)
		for _, n := range slab.Count {
			if blocks = product(blocks, n); blocks > mostElements {
				return pattern.Selection{}, fmt.Errorf("a hyperslab of more than %d blocks in a list, the limit",
					mostElements)
			}
		}
		for k := range blocks {
			at := slices.Clone(slab.Start)
			for d, n := range slices.Backward(slab.Count) {
				at[d], k = at[d]+k%n*slab.Stride[d], k/n
			}
			start, extent = append(start, at...), append(extent, slab.Block...)
		}
	}
	return pattern.Union(dims, element, start, extent)
}
