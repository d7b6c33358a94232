package script

import (
	"crypto/sha256"
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

// partValue is the part of a dataset that a rank transfers, given by a rule, hyperslabs or points. It is immutable,
// except that comparisonKey caches its result.
type partValue struct {
	baseValue
	rule       workload.Rule
	slabs      []byte // the concatenated bytes of the hyperslabs (see slabValue)
	numSlabs   int    // number of hyperslabs
	points     []uint64
	isExplicit bool   // the part is given by hyperslabs or points
	cachedKey  string // cached result of comparisonKey
}

// slabValue is a hyperslab. A script may have a million of them, so appendNumbers encodes start, stride, count and
// block in few bytes.
type slabValue struct {
	baseValue
	bytes string
}

// comparisonKey returns a key that is equal for equal parts.
func (p *partValue) comparisonKey() string {
	if p.cachedKey != "" {
		return p.cachedKey
	}
	r, b := &p.rule, append([]byte(p.rule.Name), 0)
	b = appendNumbers(b, r.Count, r.Base, r.Modulus, math.Float64bits(r.Mean), math.Float64bits(r.Deviation), r.Unit,
		r.Piece, uint64(r.Dim), r.Index, r.Length, r.Stride, r.Width, r.First, r.Seed, r.Idle, r.Ranks)
	b = strconv.AppendBool(append(b, r.Counts...), r.Anti)
	b = appendNumbers(appendNumbers(appendNumbers(b, r.Grid...), r.Each...), r.Record...)
	if p.isExplicit {
		slabs, points := sha256.Sum256(p.slabs), sha256.Sum256(appendNumbers(nil, p.points...))
		b = append(append(b, slabs[:]...), points[:]...)
	}
	p.cachedKey = string(b)
	return p.cachedKey
}

// appendNumbers appends the length of a list and its numbers, as varints.
func appendNumbers(b []byte, all ...uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, n := range all {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// decodeNumbers decodes the first list in b that appendNumbers encoded. It returns the list, in the memory of the
// argument list, and the bytes after it.
func decodeNumbers(b []byte, list []uint64) ([]uint64, []byte) {
	length, size := binary.Uvarint(b)
	list, b = list[:0], b[size:]
	for range length {
		n, size := binary.Uvarint(b)
		list, b = append(list, n), b[size:]
	}
	return list, b
}

// eachHyperslab yields the hyperslabs. Each overwrites the memory of the previous one. In a list, blocks without gaps
// between them are one block: HDF5 would take long to unite many.
func (p *partValue) eachHyperslab(yield func(*pattern.Hyperslab) bool) {
	var h pattern.Hyperslab
	for b := p.slabs; len(b) > 0; {
		for _, list := range []*[]uint64{&h.Start, &h.Stride, &h.Count, &h.Block} {
			*list, b = decodeNumbers(b, *list)
		}
		if p.numSlabs > 1 {
			mergeAdjacentBlocks(&h)
		}
		if !yield(&h) {
			return
		}
	}
}

// mergeAdjacentBlocks makes blocks one block in each dimension in which they have no gaps between them.
func mergeAdjacentBlocks(h *pattern.Hyperslab) {
	for d, count := range h.Count {
		if h.Stride[d] == h.Block[d] && saturatingProduct(count, h.Block[d]) < math.MaxUint64 {
			h.Count[d], h.Block[d] = min(count, 1), max(count, 1)*h.Block[d]
			h.Stride[d] = h.Block[d]
		}
	}
}

// partArgument is an argument that is a part: the result of a rule or of points, a hyperslab, or a list of hyperslabs.
type partArgument struct{ *partValue }

func (p *partArgument) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case *partValue:
		p.partValue = v
		return nil
	case slabValue:
		p.partValue = &partValue{isExplicit: true, slabs: []byte(v.bytes), numSlabs: 1}
		return nil
	case *starlark.List:
		p.partValue = &partValue{isExplicit: true, numSlabs: v.Len()}
		for one := range v.Elements() {
			slab, is := one.(slabValue)
			if !is {
				return fmt.Errorf("%s is no hyperslab: a list has hyperslab(start, count)", valueText(one))
			}
			p.slabs = append(p.slabs, slab.bytes...)
		}
		return nil
	}
	return fmt.Errorf("%s is no part of a dataset: give a rule such as block(), or a list of hyperslabs", valueText(v))
}

// ruleParameters lists the parameters of each rule. A ! marks required parameters. All rules also have the parameters
// record and ranks.
var ruleParameters = map[workload.RuleName]string{
	workload.BlockRule: "grid idle", workload.SlabRule: "idle",
	workload.ConcatRule: "count base modulus mean deviation each shared unit piece seed",
	workload.CyclicRule: "dim length!", workload.MapRule: "dim length! seed", workload.SliceRule: "dim! index!",
	workload.FrameRule: "width!", workload.CornersRule: "width! anti", workload.DiagonalRule: "width!",
	workload.AllRule: "", workload.NoneRule: "", workload.RandomRule: "count first seed",
	workload.StridedRule: "count! length! stride",
}

// ruleFunction returns the function of a rule for scripts. The function returns a part.
func ruleFunction(name workload.RuleName) builtinFunc {
	parameters := strings.Fields(ruleParameters[name] + " record ranks")
	return func(c builtinCall) (starlark.Value, error) {
		c.thread.Steps += stepsOfSearch
		p := &partValue{baseValue: baseValue{"part"}, rule: workload.Rule{Name: name}}
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
				pairs = append(pairs, word, parameterField(&p.rule, word))
			}
		}
		if err := c.unpackArgs(pairs...); err != nil {
			return nil, err
		}
		if given("piece") {
			p.rule.Piece++ // rules count from 1
		}
		if given("ranks") && p.rule.Ranks == 0 {
			return nil, fmt.Errorf("%s: a dataset is divided among 0 ranks: give a number from 1 on", c.name)
		}
		if name == workload.ConcatRule {
			err := setCounts(&p.rule, given)
			if err == nil && p.rule.Counts == workload.NormalCounts && p.rule.Mean > 0 &&
				p.rule.Mean+4*p.rule.Deviation < 0.5 {
				err = fmt.Errorf("concat: with a mean of %v and a deviation of %v, no rank has an element: give a "+
					"larger mean, in elements of a rank", p.rule.Mean, p.rule.Deviation)
			}
			return p, err
		}
		return p, nil
	}
}

// parameterField returns a pointer to the field of a rule that holds a parameter.
func parameterField(r *workload.Rule, parameter string) any {
	if parameter == "shared" {
		return (*numberArgument)(&r.Count)
	}
	field := strings.ToUpper(parameter[:1]) + parameter[1:]
	switch f := reflect.ValueOf(r).Elem().FieldByName(field).Addr().Interface().(type) {
	case *uint64:
		return (*numberArgument)(f)
	case *[]uint64:
		return (*extentArgument)(f)
	case *float64:
		return (*decimalArgument)(f)
	default:
		return f
	}
}

// setCounts sets how the rule concat determines the number of rows of each rank. That depends on which parameter is
// given. It returns an error unless exactly one is given.
func setCounts(r *workload.Rule, given func(string) bool) error {
	for name, counts := range map[string]workload.CountMethod{
		"count": workload.EqualCounts, "modulus": workload.ModuloCounts, "deviation": workload.NormalCounts,
		"each":   workload.ListCounts,
		"shared": workload.SharedCounts,
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

// newHyperslab implements hyperslab: it returns a regular hyperslab. Each dimension has count blocks, whose starts are
// stride elements apart.
func newHyperslab(c builtinCall) (starlark.Value, error) {
	var start, count, stride, block extentArgument
	if err := c.unpackArgs("start", &start, "count", &count, "stride?", &stride, "block?", &block); err != nil {
		return nil, err
	}
	ones := slices.Repeat(extentArgument{1}, len(start))
	if block == nil {
		block = ones
	}
	if stride == nil {
		stride = block
	}
	for _, e := range []extentArgument{start, count, stride, block} {
		if len(e) != len(start) || slices.Contains(e, 0) && !slices.Equal(e, start) ||
			e.checkBounded("hyperslab") != nil {
			return nil, fmt.Errorf("hyperslab: start %v, stride %v, count %v and block %v must have as many "+
				"numbers, but for start from 1 on", start, stride, count, block)
		}
	}
	b := appendNumbers(appendNumbers(make([]byte, 0, 64), start...), stride...)
	return slabValue{baseValue{"part"}, string(appendNumbers(appendNumbers(b, count...), block...))}, nil
}

// newPointList implements points: it returns a part that selects single elements in the given order.
func newPointList(c builtinCall) (starlark.Value, error) {
	var list *starlark.List
	if err := c.unpackArgs("coordinates", &list); err != nil {
		return nil, err
	}
	p := &partValue{baseValue: baseValue{"part"}, isExplicit: true, points: []uint64{}}
	for v := range list.Elements() {
		var at extentArgument
		if err := at.Unpack(v); err != nil {
			return nil, err
		}
		p.points = append(p.points, at...)
	}
	return p, nil
}

// selectionOfRank returns the selection of one of the ranks that share a dataset. element is the size of an element in
// bytes.
func (p *partValue) selectionOfRank(dims []uint64, element, rank, ranks uint64) (pattern.Selection, error) {
	switch {
	case !p.isExplicit:
		return p.rule.Selection(dims, element, rank, ranks)
	case p.points != nil:
		return pattern.SelectPoints(dims, element, p.points)
	}
	boxes, err := p.numListedBlocks(len(dims))
	if err != nil {
		return pattern.Selection{}, err
	}
	if p.numSlabs == 1 {
		for slab := range p.eachHyperslab {
			return pattern.SelectHyperslab(dims, element, *slab)
		}
	}
	start, extent := make([]uint64, 0, boxes*uint64(len(dims))), make([]uint64, 0, boxes*uint64(len(dims)))
	for slab := range p.eachHyperslab {
		for k := range blocksOfSlab(slab) {
			start, extent = append(start, slab.Start...), append(extent, slab.Block...)
			at := start[len(start)-len(dims):]
			for d, n := range slices.Backward(slab.Count) {
				at[d], k = at[d]+k%n*slab.Stride[d], k/n
			}
		}
	}
	all, err := pattern.SelectBoxes(dims, element, start, extent)
	if err != nil && p.numSlabs > 1 {
		err = fmt.Errorf("hyperslabs of the list: %w: let them lie within the dataset, and each element be in one of "+
			"them only", err)
	}
	return all, err
}

// blocksOfSlab returns the number of blocks of a hyperslab.
func blocksOfSlab(slab *pattern.Hyperslab) uint64 {
	blocks := uint64(1)
	for _, n := range slab.Count {
		blocks = saturatingProduct(blocks, n)
	}
	return blocks
}

// numListedBlocks returns the number of blocks that selectionOfRank has to list: the blocks of all hyperslabs in the
// list. It returns 1 for a single hyperslab, which needs no list. dims is the number of dimensions of the dataset.
func (p *partValue) numListedBlocks(dims int) (all uint64, err error) {
	for slab := range p.eachHyperslab {
		if len(slab.Start) != dims {
			return 0, fmt.Errorf("a hyperslab has %d dimensions, but the dataset has %d: give it as many numbers in "+
				"start and count as the dataset has dimensions", len(slab.Start), dims)
		}
		if p.numSlabs == 1 { // its blocks are not listed
			return 1, nil
		}
		blocks := blocksOfSlab(slab)
		if blocks > maxElements {
			return 0, fmt.Errorf("a hyperslab of more than %d blocks in a list, the limit", maxElements)
		}
		if all += blocks; saturatingProduct(all, uint64(dims)) > maxSelected { // each has a start
			return 0, errTooManySelected
		}
	}
	return all, nil
}

// hasRepeatedPoint reports whether the points of the part select an element twice. dims is the number of dimensions of
// the dataset.
func (p *partValue) hasRepeatedPoint(dims int) bool {
	if dims == 0 || len(p.points) == 0 {
		return false
	}
	all := slices.SortedFunc(slices.Chunk(p.points, dims), slices.Compare[[]uint64])
	return len(slices.CompactFunc(all, slices.Equal[[]uint64])) < len(p.points)/dims
}
