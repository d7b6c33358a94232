// This file has the rules by which processes divide a dataset: each process computes its own part from its number.
//
// The cost of a part does not depend on the number of processes, or with its logarithm, and is proportional to the
// boxes that the part has. Rules that draw numbers do so by counters, from a seed: all processes, on all machines,
// get the same numbers, and none needs those of another.
//
// A row is what has the same coordinate in the first dimension. In a dataset of one dimension it is an element.

package workload

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"h5perf/pkg/pattern"
	"h5perf/pkg/usage"
)

// RuleName is the name of a rule.
type RuleName string

// The rules. But for All and None, no element belongs to two processes.
const (
	BlockRule    RuleName = "block"    // a grid of blocks in all dimensions, as even as possible
	SlabRule     RuleName = "slab"     // consecutive rows, as even as possible
	ConcatRule   RuleName = "concat"   // consecutive rows, as many for each process as Counts says
	CyclicRule   RuleName = "cyclic"   // blocks along a dimension, dealt in turn
	MapRule      RuleName = "map"      // runs of random lengths along a dimension, dealt at random
	SliceRule    RuleName = "slice"    // what has the same index in one dimension; processes share the first other one
	FrameRule    RuleName = "frame"    // the border of two dimensions; each process has what is in its rows
	CornersRule  RuleName = "corners"  // two opposite corners of two dimensions; processes share their rows
	DiagonalRule RuleName = "diagonal" // blocks along the diagonal of two dimensions; each process has consecutive ones
	AllRule      RuleName = "all"      // everything, for each process
	RootRule     RuleName = "root"     // everything, for process 0
	NoneRule     RuleName = "none"     // nothing
	RandomRule   RuleName = "random"   // rows at random: samples in training
	StridedRule  RuleName = "strided"  // blocks of rows, some rows apart, from the start of the part as of Slab
)

// RuleNames returns all names.
func RuleNames() []RuleName {
	return []RuleName{
		BlockRule, SlabRule, ConcatRule, CyclicRule, MapRule, SliceRule, FrameRule, CornersRule, DiagonalRule, AllRule,
		RootRule, NoneRule, RandomRule, StridedRule,
	}
}

// Words returns, in a clause, what ranks have of a dataset.
func (n RuleName) Words() string {
	return map[RuleName]string{
		BlockRule:    "each rank has a block of a grid",
		SlabRule:     "each rank has consecutive rows, as many as the others",
		ConcatRule:   "each rank has consecutive rows",
		CyclicRule:   "blocks along a dimension are dealt in turn",
		MapRule:      "short runs along a dimension are dealt at random",
		SliceRule:    "ranks share a slice",
		FrameRule:    "ranks share the border",
		CornersRule:  "ranks share two opposite corners",
		DiagonalRule: "ranks share blocks along the diagonal",
		AllRule:      "each rank has everything",
		RootRule:     "the first rank has everything",
		NoneRule:     "no rank has anything",
		RandomRule:   "rows are dealt at random",
		StridedRule:  "each rank has blocks of rows with gaps between them",
	}[n]
}

// Counts is how rule Concat gets the number of rows of each process.
type Counts string

// The ways to get numbers of rows.
const (
	Equal  Counts = "equal"  // Count for each process
	Modulo Counts = "modulo" // Base + number of the process modulo Modulus
	Normal Counts = "normal" // normally distributed: Mean, Deviation, Seed
	List   Counts = "list"   // Each, from its start again when it ends
	Shared Counts = "shared" // Count for all processes together, as evenly as possible: the first ones have one more
)

// AllCounts returns all ways.
func AllCounts() []Counts { return []Counts{Equal, Modulo, Normal, List, Shared} }

// Rule is a rule with its parameters. Parameters that a rule does not use must be zero.
type Rule struct {
	Name   RuleName
	Grid   []uint64 // Block: number of blocks in each of the last dimensions; 0: chosen. Empty: all are chosen
	Counts Counts   // Concat
	// Concat, equal: rows of each process; shared: of all. Random: of each; 0: all are dealt. Strided: blocks of each
	Count     uint64
	Base      uint64   // Concat, modulo: rows
	Modulus   uint64   // Concat, modulo
	Mean      float64  // Concat, normal: rows; 0: all rows are dealt
	Deviation float64  // Concat, normal: rows, as standard deviation
	Each      []uint64 // Concat, list: rows of processes 0, 1, ...
	Unit      uint64   // Concat: counts are of units of so many rows; 0: of rows
	Piece     uint64   // Concat: only the unit of this number of each process, counted from 1; 0: all of them
	Dim       int      // Cyclic, Map, Slice: the dimension, from 0; negative: from the end, the last one is -1
	Index     uint64   // Slice: of the elements, from 0
	Length    uint64   // in elements. Cyclic, Strided: of a block. Map: mean of the runs
	Stride    uint64   // Strided: rows from the start of a block to that of the next one
	Width     uint64   // in elements, in both dimensions. Frame: of the border. Corners, Diagonal: of a corner or block
	Anti      bool     // Corners: those at the end of the first row and at the start of the last one
	First     uint64   // Random: number of the first row in the shuffled order
	Seed      uint64   // Concat, normal; Map; Random
	// Block, Slab: of each so many processes, the first one leaves its part to the next one, if there is one; 0: none.
	Idle uint64
	// Any rule: the record that is divided, as a dataset of its own. A record is what has the same index in the first
	// dimension, or with several indices the same ones in as many dimensions. Empty: the whole dataset is divided.
	Record []uint64
	// Any rule: only the first so many processes share the dataset, the others have nothing. 0: all of them do.
	Ranks uint64
}

// parts is a rule that is valid for a dataset and a number of processes.
type parts interface {
	selection(rank uint64) (pattern.Selection, error)
	load() Load
}

// space is a dataset and the processes that share it.
type space struct {
	dims    []uint64
	element uint64
	ranks   uint64
}

// Check returns an error if the rule cannot be applied to a dataset of extent dims, in elements of so many bytes, and
// this number of processes.
func (r Rule) Check(dims []uint64, element, ranks uint64) error {
	_, err := r.parts(dims, element, ranks)
	return err
}

// Selection returns the part of one of the processes. It has the errors of Check.
func (r Rule) Selection(dims []uint64, element, rank, ranks uint64) (pattern.Selection, error) {
	p, err := r.parts(dims, element, ranks)
	if err != nil {
		return pattern.Selection{}, err
	}
	if rank >= ranks {
		return pattern.Selection{}, fmt.Errorf("process %d of %d: they count from 0", rank, ranks)
	}
	return p.selection(rank)
}

// Load returns the load of all processes together. It has the errors of Check. The cost does not depend on the number
// of processes.
func (r Rule) Load(dims []uint64, element, ranks uint64) (Load, error) {
	p, err := r.parts(dims, element, ranks)
	if err != nil {
		return Load{}, err
	}
	l := p.load()
	l.Bytes, l.Least, l.Most = l.Bytes*element, l.Least*element, l.Most*element
	return l, nil
}

// Extent returns the extent of the dataset that the rule fills: dims, where for Concat the sum of the counts replaces
// the first one.
func (r Rule) Extent(dims []uint64, ranks uint64) ([]uint64, error) {
	dims = slices.Clone(dims)
	if r.Name != ConcatRule || r.Counts == Normal && r.Mean == 0 {
		return dims, nil
	}
	if len(dims) == 0 {
		return nil, errScalar
	}
	if r.Ranks > 0 {
		ranks = r.Ranks
	}
	c, err := r.units(ranks, 0)
	if err != nil {
		return nil, err
	}
	dims[0] = c.total()
	return dims, nil
}

var errScalar = errors.New("a scalar cannot be divided: take rule all, root or none")

// parts checks the rule.
func (r Rule) parts(dims []uint64, element, ranks uint64) (parts, error) {
	if ranks == 0 {
		return nil, errors.New("0 processes: there must be one")
	}
	if err := r.unused(); err != nil {
		return nil, err
	}
	if r.Ranks > 0 {
		return r.few(dims, element, ranks)
	}
	if len(r.Record) > 0 {
		return r.record(dims, element, ranks)
	}
	whole, err := pattern.Everything(dims, element)
	if err != nil {
		return nil, err
	}
	s := space{dims, element, ranks}
	switch {
	case r.Name == AllRule:
		if over, bytes := bits.Mul64(whole.Bytes(), ranks); over != 0 {
			return nil, fmt.Errorf("%d bytes for each of %d processes: all together must be less than 2^64", bytes,
				ranks)
		}
		return everything{s, whole, ranks}, nil
	case r.Name == RootRule:
		return everything{s, whole, 1}, nil
	case r.Name == NoneRule:
		return everything{s, whole, 0}, nil
	case len(dims) == 0:
		return nil, errScalar
	}
	var p parts
	switch r.Name {
	case BlockRule:
		p, err = r.divided(s)
	case SlabRule:
		r.Grid = slices.Repeat([]uint64{1}, len(dims))
		r.Grid[0] = ranks
		p, err = r.divided(s)
	case ConcatRule:
		p, err = r.rows(s)
	case CyclicRule:
		p, err = r.turns(s)
	case MapRule:
		p, err = r.scatter(s)
	case SliceRule:
		p, err = r.slice(s)
	case FrameRule:
		p, err = r.frame(s)
	case CornersRule:
		p, err = r.corners(s)
	case DiagonalRule:
		p, err = r.diagonal(s)
	case RandomRule:
		p, err = r.sample(s)
	case StridedRule:
		p, err = r.strided(s)
	default:
		return nil, fmt.Errorf("unknown rule %q%s", r.Name, didYouMean(r.Name, RuleNames()))
	}
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	return p, nil
}

// didYouMean returns the end of an error about an unknown word.
func didYouMean[S ~string](given S, known []S) string {
	var words []string
	for _, k := range known {
		words = append(words, string(k))
	}
	if hint := usage.DidYouMean(string(given), words); hint != "" {
		return hint
	}
	return ": give one of " + strings.Join(words, ", ")
}

// unused returns an error if a parameter is set that the rule does not use.
func (r Rule) unused() error {
	concat := r.Name == ConcatRule
	if !slices.Contains(RuleNames(), r.Name) || concat && !slices.Contains(AllCounts(), r.Counts) {
		return nil // another error tells
	}
	for _, p := range []struct {
		name      string
		set, used bool
	}{
		{"grid", len(r.Grid) > 0, r.Name == BlockRule},
		{"counts", r.Counts != "", concat},
		{"count", r.Count != 0, concat && (r.Counts == Equal || r.Counts == Shared) || r.Name == RandomRule ||
			r.Name == StridedRule},
		{"unit", r.Unit != 0, concat},
		{"piece", r.Piece != 0, concat && r.Counts != Normal},
		{"base", r.Base != 0, concat && r.Counts == Modulo},
		{"modulus", r.Modulus != 0, concat && r.Counts == Modulo},
		{"mean", r.Mean != 0, concat && r.Counts == Normal},
		{"deviation", r.Deviation != 0, concat && r.Counts == Normal},
		{"each", len(r.Each) > 0, concat && r.Counts == List},
		{"dim", r.Dim != 0, r.Name == CyclicRule || r.Name == MapRule || r.Name == SliceRule},
		{"index", r.Index != 0, r.Name == SliceRule},
		{"length", r.Length != 0, r.Name == CyclicRule || r.Name == MapRule || r.Name == StridedRule},
		{"stride", r.Stride != 0, r.Name == StridedRule},
		{"idle", r.Idle != 0, r.Name == BlockRule || r.Name == SlabRule},
		{"width", r.Width != 0, r.Name == FrameRule || r.Name == CornersRule || r.Name == DiagonalRule},
		{"anti", r.Anti, r.Name == CornersRule},
		{"first", r.First != 0, r.Name == RandomRule},
		{"seed", r.Seed != 0, concat && r.Counts == Normal || r.Name == MapRule || r.Name == RandomRule},
	} {
		if !p.set || p.used {
			continue
		}
		if concat {
			return fmt.Errorf("rule concat with %s counts does not use %s: leave it out", r.Counts, p.name)
		}
		return fmt.Errorf("rule %s does not use %s: leave it out", r.Name, p.name)
	}
	return nil
}

// dim returns the dimension of the rule, counted from 0.
func (r Rule) dim(s space) (int, error) {
	d := r.Dim
	if d < 0 {
		d += len(s.dims)
	}
	if d < 0 || d >= len(s.dims) {
		return 0, fmt.Errorf("dimension %d of %d: give a number from %d to %d", r.Dim, len(s.dims), -len(s.dims),
			len(s.dims)-1)
	}
	return d, nil
}

// elements returns the number of elements of the dataset.
func (s space) elements() uint64 { return product(s.dims) }

// rest returns the number of elements that have the same coordinate in a dimension.
func (s space) rest(d int) uint64 { return product(s.dims[:d]) * product(s.dims[d+1:]) }

// box returns the selection of one box, of nothing if it is empty.
func (s space) box(start, extent []uint64) (pattern.Selection, error) {
	if slices.Contains(extent, 0) {
		return pattern.Nothing(s.dims, s.element)
	}
	return pattern.Union(s.dims, s.element, start, extent)
}

// band returns the selection of all elements from one coordinate to before another in a dimension.
func (s space) band(d int, from, to uint64) (pattern.Selection, error) {
	start, extent := make([]uint64, len(s.dims)), slices.Clone(s.dims)
	start[d], extent[d] = from, to-from
	return s.box(start, extent)
}

// bands returns the selection of several bands: from and to alternate, in ascending order.
func (s space) bands(d int, ends []uint64) (pattern.Selection, error) {
	if s.elements() == 0 {
		return pattern.Nothing(s.dims, s.element)
	}
	rank := len(s.dims)
	start, extent := make([]uint64, len(ends)/2*rank), make([]uint64, 0, len(ends)/2*rank)
	for i := range len(ends) / 2 {
		extent = append(extent, s.dims...)
		start[i*rank+d], extent[i*rank+d] = ends[2*i], ends[2*i+1]-ends[2*i]
	}
	return pattern.Union(s.dims, s.element, start, extent)
}

// Share returns the part of one of several processes in n things, as even as possible: where it begins, and where the
// next one begins. The first processes have one more.
func Share(n, rank, ranks uint64) (from, to uint64) {
	each, more := n/ranks, n%ranks
	from = rank*each + min(rank, more)
	to = from + each
	if rank < more {
		to++
	}
	return from, to
}

// Holder returns the process that has thing i of n.
func Holder(i, n, ranks uint64) uint64 {
	each, more := n/ranks, n%ranks
	if i < more*(each+1) {
		return i / (each + 1)
	}
	return more + (i-more*(each+1))/each
}

// product returns the product of the numbers, 1 if there are none.
func product(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}
