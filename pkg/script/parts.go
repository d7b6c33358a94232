package script

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// part is what a rank has of a dataset: by a rule, or by hyperslabs or points. Nothing changes it.
type part struct {
	value
	rule   workload.Rule
	slabs  []pattern.Hyperslab
	points []uint64
	listed bool // by hyperslabs or points
	known  string
}

// key returns what is the same for parts that are the same.
func (p *part) key() string {
	if p.known != "" {
		return p.known
	}
	r, b := &p.rule, append([]byte(p.rule.Name), 0)
	b = appendNumbers(b, r.Count, r.Base, r.Modulus, math.Float64bits(r.Mean), math.Float64bits(r.Deviation), r.Unit,
		r.Piece, uint64(r.Dim), r.Index, r.Length, r.Stride, r.Width, r.First, r.Seed, r.Idle, r.Ranks)
	b = strconv.AppendBool(append(b, r.Counts...), r.Anti)
	b = appendNumbers(appendNumbers(appendNumbers(b, r.Grid...), r.Each...), r.Record...)
	for i := range p.slabs {
		s := &p.slabs[i]
		b = appendNumbers(appendNumbers(b, s.Start...), s.Stride...)
		b = appendNumbers(appendNumbers(b, s.Count...), s.Block...)
	}
	p.known = string(appendNumbers(b, p.points...))
	return p.known
}

// appendNumbers appends a list, with its length.
func appendNumbers(b []byte, all ...uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, n := range all {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// partArgument is an argument with a part: what a rule returned, or a list of hyperslabs.
type partArgument struct{ *part }

func (p *partArgument) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case *part:
		p.part = v
		return nil
	case *starlark.List:
		p.part = &part{listed: true}
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

// ruleParameters are the parameters of rules beside record and ranks, with ! those that must be given.
var ruleParameters = map[workload.RuleName]string{
	workload.BlockRule: "grid idle", workload.SlabRule: "idle",
	workload.ConcatRule: "count base modulus mean deviation each shared unit piece seed",
	workload.CyclicRule: "dim length!", workload.MapRule: "dim length! seed", workload.SliceRule: "dim! index!",
	workload.FrameRule: "width!", workload.CornersRule: "width! anti", workload.DiagonalRule: "width!",
	workload.AllRule: "", workload.NoneRule: "", workload.RandomRule: "count first seed",
	workload.StridedRule: "count! length! stride",
}

// ruleFunction returns a rule as a function of scripts, which returns a part.
func ruleFunction(name workload.RuleName) builtin {
	parameters := strings.Fields(ruleParameters[name] + " record ranks")
	return func(c call) (starlark.Value, error) {
		c.thread.Steps += stepsOfSearch
		p := &part{value: value{"part"}, rule: workload.Rule{Name: name}}
		if len(c.args) > 0 {
			return nil, fmt.Errorf("%s: give parameters by their names, such as %s(ranks = 4)", c.name, c.name)
		}
		given := func(name string) bool {
			return slices.ContainsFunc(c.kwargs, func(kv starlark.Tuple) bool { return kv[0] == starlark.String(name) })
		}
		var pairs []any
		for _, parameter := range parameters {
			word := strings.TrimSuffix(parameter, "!")
			if word != parameter || given(word) {
				pairs = append(pairs, word, fieldOf(&p.rule, word))
			}
		}
		if err := c.unpack(pairs...); err != nil {
			return nil, err
		}
		if given("piece") {
			p.rule.Piece++ // rules count from 1
		}
		if given("ranks") && p.rule.Ranks == 0 {
			return nil, fmt.Errorf("%s: a dataset is divided among 0 ranks: give a number from 1 on", c.name)
		}
		if name == workload.ConcatRule {
			return p, setCounts(&p.rule, given)
		}
		return p, nil
	}
}

// fieldOf returns where a rule has a parameter.
func fieldOf(r *workload.Rule, parameter string) any {
	if parameter == "shared" {
		return (*amount)(&r.Count)
	}
	field := strings.ToUpper(parameter[:1]) + parameter[1:]
	switch f := reflect.ValueOf(r).Elem().FieldByName(field).Addr().Interface().(type) {
	case *uint64:
		return (*amount)(f)
	case *[]uint64:
		return (*extent)(f)
	case *float64:
		return (*decimal)(f)
	default:
		return f
	}
}

// setCounts sets how rule concat gets the numbers of rows: by the parameter that is given.
func setCounts(r *workload.Rule, given func(string) bool) error {
	for name, counts := range map[string]workload.Counts{
		"count": workload.Equal, "modulus": workload.Modulo, "deviation": workload.Normal, "each": workload.List,
		"shared": workload.Shared,
	} {
		if !given(name) {
			continue
		}
		if r.Counts != "" {
			return errors.New("concat: give one of count, modulus, deviation, each and shared")
		}
		r.Counts = counts
	}
	if r.Counts == "" {
		return errors.New("concat: give the numbers of rows: count, or base and modulus, deviation, each or shared")
	}
	return nil
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

// repeats reports whether points in a dataset of so many dimensions have an element twice.
func (p *part) repeats(dims int) bool {
	if dims == 0 || len(p.points) == 0 {
		return false
	}
	all := slices.SortedFunc(slices.Chunk(p.points, dims), slices.Compare[[]uint64])
	return len(slices.CompactFunc(all, slices.Equal[[]uint64])) < len(p.points)/dims
}
