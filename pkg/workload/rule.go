// This file defines the rules by which processes divide a dataset. Each process computes its own part from its rank.
//
// The cost of a part is proportional to the number of its boxes. It does not depend on the number of processes, or only
// with its logarithm. Rules that draw random numbers use counters and a seed: all processes, on all machines, get the
// same numbers, and no process needs those of another.
//
// A row is all elements with the same coordinate in the first dimension. In a dataset of one dimension it is an
// element.

package workload

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"h5perf/pkg/pattern"
)

// RuleName is the name of a rule.
type RuleName string

// The rules. Except in All, no element belongs to two processes.
const (
	BlockRule    RuleName = "block"    // a grid of blocks in all dimensions, as even as possible
	SlabRule     RuleName = "slab"     // consecutive rows, as even as possible
	ConcatRule   RuleName = "concat"   // consecutive rows; Counts says how many for each process
	CyclicRule   RuleName = "cyclic"   // blocks along a dimension, dealt in turn
	MapRule      RuleName = "map"      // runs of random lengths along a dimension, dealt at random
	SliceRule    RuleName = "slice"    // elements with one index in one dimension; processes share the first other one
	FrameRule    RuleName = "frame"    // the border in two dimensions; each process has what is in its rows
	CornersRule  RuleName = "corners"  // two opposite corners in two dimensions; processes share the rows
	DiagonalRule RuleName = "diagonal" // blocks along the diagonal in two dimensions; each process has consecutive ones
	AllRule      RuleName = "all"      // everything, for each process
	NoneRule     RuleName = "none"     // nothing
	RandomRule   RuleName = "random"   // random rows, as samples in training
	StridedRule  RuleName = "strided"  // blocks of rows at a stride, from the start of the process's rows in Slab
)

// CountMethod is the method by which rule Concat determines the number of rows of each process.
type CountMethod string

// The ways to count rows.
const (
	EqualCounts  CountMethod = "equal"  // Count for each process
	ModuloCounts CountMethod = "modulo" // Base + number of the process modulo Modulus
	NormalCounts CountMethod = "normal" // normally distributed: Mean, Deviation, Seed
	ListCounts   CountMethod = "list"   // Each, repeated from its start when it ends
	// SharedCounts divides Count among all as evenly as possible: the first processes have one more.
	SharedCounts CountMethod = "shared"
)

// Rule is a rule with its parameters. Parameters that a rule does not use must be zero.
type Rule struct {
	Name   RuleName
	Grid   []uint64    // Block: number of blocks in each of the last dimensions; 0: chosen. Empty: all are chosen
	Counts CountMethod // Concat
	// Concat, equal: rows of each process; shared: rows of all processes. Random: rows of each process; 0: all rows are
	// dealt. Strided: blocks of each process
	Count     uint64
	Base      uint64   // Concat, modulo: rows
	Modulus   uint64   // Concat, modulo
	Mean      float64  // Concat, normal: rows; 0: all rows are dealt
	Deviation float64  // Concat, normal: rows, as standard deviation
	Each      []uint64 // Concat, list: rows of processes 0, 1, ...
	Unit      uint64   // Concat: counts are of units of so many rows; 0: of rows
	Piece     uint64   // Concat: only the unit with this number in each process, from 1; 0: all units
	Dim       int      // Cyclic, Map, Slice: the dimension, from 0; negative: from the end, the last one is -1
	Index     uint64   // Slice: index of the elements in the dimension, from 0
	Length    uint64   // in elements. Cyclic, Strided: length of a block. Map: mean length of runs
	Stride    uint64   // Strided: rows from the start of a block to that of the next one
	// in elements, in both dimensions. Frame: of the border. Corners, Diagonal: of a corner or block
	Width uint64
	Anti  bool   // Corners: the corners at the end of the first row and at the start of the last row
	First uint64 // Random: position of the first row in the shuffled order
	Seed  uint64 // Concat, normal; Map; Random
	// Block, Slab: of each group of so many processes, the first one leaves its part to the next process, if there is
	// one; 0: no process does.
	Idle uint64
	// Any rule: the record that is divided, like a dataset of its own. With one index, a record is all elements with
	// this index in the first dimension; with several, all elements with these indices in as many dimensions. Empty:
	// the whole dataset is divided.
	Record []uint64
	// Any rule: only the first so many processes share the dataset, and the others have nothing. 0: all share it.
	Ranks uint64
}

// rankParts holds the parts of a dataset that a rule assigns to processes.
type rankParts struct {
	elements    uint64 // number of elements of all processes together
	selectionOf func(rank uint64) (pattern.Selection, error)
}

// sharedDataset is a dataset and the processes that share it.
type sharedDataset struct {
	dims         []uint64
	elementBytes uint64
	ranks        uint64
}

// Selection returns the part of the dataset that the rule assigns to a process. dims is the extent of the dataset, and
// element the size of an element in bytes. It returns an error if the rule cannot be applied to the dataset and this
// number of processes.
func (r Rule) Selection(dims []uint64, element, rank, ranks uint64) (pattern.Selection, error) {
	p, err := r.partsOfDataset(dims, element, ranks)
	switch {
	case err != nil:
		return pattern.Selection{}, err
	case rank >= ranks:
		return pattern.Selection{}, fmt.Errorf("process %d of %d: they count from 0", rank, ranks)
	case r.Ranks > 0 && rank >= r.Ranks:
		return pattern.SelectNothing(dims, element)
	}
	s, err := p.selectionOf(rank)
	for d, index := range slices.Backward(r.Record) {
		if err == nil {
			s, err = s.ExpandToRecords(dims[d], index)
		}
	}
	return s, err
}

// TotalBytes returns the size of the parts of all processes together, in bytes. It returns an error if the rule cannot
// be applied, as Selection does. The cost does not depend on the number of processes.
func (r Rule) TotalBytes(dims []uint64, element, ranks uint64) (uint64, error) {
	p, err := r.partsOfDataset(dims, element, ranks)
	if err != nil {
		return 0, err
	}
	return p.elements * element, nil
}

// partsOfDataset checks the rule, and returns the parts of the dataset, or of its record if the rule has one.
func (r Rule) partsOfDataset(dims []uint64, element, ranks uint64) (rankParts, error) {
	switch {
	case ranks == 0:
		return rankParts{}, errors.New("0 processes: there must be one")
	case r.Ranks > ranks:
		return rankParts{},
			fmt.Errorf("the first %d of %d processes: give a number from 1 to %d", r.Ranks, ranks, ranks)
	case r.Ranks > 0:
		ranks = r.Ranks
	}
	for _, index := range r.Record {
		if len(dims) < 2 || index >= dims[0] {
			return rankParts{}, fmt.Errorf("record %d of a dataset of extent %v: a dataset with records has two "+
				"dimensions or more, and records count from 0", index, dims)
		}
		dims = dims[1:]
	}
	whole, err := pattern.SelectEverything(dims, element)
	if err != nil {
		return rankParts{}, err
	}
	divide := ruleDivisions[r.Name]
	switch {
	case r.Name == AllRule:
		if over, bytes := bits.Mul64(whole.Bytes(), ranks); over != 0 {
			return rankParts{},
				fmt.Errorf("%d bytes for each of %d processes: all together must be less than 2^64", bytes,
					ranks)
		}
		return rankParts{ranks * whole.NumElements(), func(uint64) (pattern.Selection, error) { return whole, nil }},
			nil
	case r.Name == NoneRule:
		return rankParts{0, func(uint64) (pattern.Selection, error) { return pattern.SelectNothing(dims, element) }},
			nil
	case len(dims) == 0:
		return rankParts{}, errors.New("a scalar cannot be divided: take everything() or nothing()")
	case divide == nil:
		return rankParts{}, fmt.Errorf("rule %s: there is no rule of this name", r.Name)
	}
	p, err := divide(r, sharedDataset{dims, element, ranks})
	if err != nil {
		return rankParts{}, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	return p, nil
}

// ruleDivisions has the function of each rule that divides a dataset with dimensions.
var ruleDivisions = map[RuleName]func(Rule, sharedDataset) (rankParts, error){
	BlockRule: Rule.blockParts, SlabRule: Rule.slabParts, ConcatRule: Rule.concatParts, CyclicRule: Rule.cyclicParts,
	MapRule:   Rule.mapParts,
	SliceRule: Rule.sliceParts, FrameRule: Rule.frameParts, CornersRule: Rule.cornerParts,
	DiagonalRule: Rule.diagonalParts,
	RandomRule:   Rule.randomParts, StridedRule: Rule.stridedParts,
}

// dimension returns Dim, counted from 0.
func (r Rule) dimension(s sharedDataset) (int, error) {
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

func (s sharedDataset) numElements() uint64 { return pattern.Product(s.dims) }

// elementsPerIndex returns the number of elements with the same coordinate in dimension d.
func (s sharedDataset) elementsPerIndex(d int) uint64 {
	return pattern.Product(s.dims[:d]) * pattern.Product(s.dims[d+1:])
}

// selectBoxes returns the selection of boxes, in the format of pattern.SelectBoxes. It removes empty boxes from start
// and extent.
func (s sharedDataset) selectBoxes(start, extent []uint64) (pattern.Selection, error) {
	n, rank := 0, len(s.dims)
	for i := 0; i < len(extent); i += rank {
		if !slices.Contains(extent[i:i+rank], 0) {
			copy(start[n:], start[i:i+rank])
			n += copy(extent[n:], extent[i:i+rank])
		}
	}
	return pattern.SelectBoxes(s.dims, s.elementBytes, start[:n], extent[:n])
}

// selectBands returns the selection of bands in dimension d. ends has two coordinates for each band, in ascending
// order: its first coordinate, and the coordinate after its last one.
func (s sharedDataset) selectBands(d int, ends ...uint64) (pattern.Selection, error) {
	rank := len(s.dims)
	start, extent := make([]uint64, len(ends)/2*rank), slices.Repeat(s.dims, len(ends)/2)
	for i := range len(ends) / 2 {
		start[i*rank+d], extent[i*rank+d] = ends[2*i], ends[2*i+1]-ends[2*i]
	}
	return s.selectBoxes(start, extent)
}

// selectRegularBands returns the selection of count bands in dimension d, each of the given length. The starts of
// neighbouring bands are stride elements apart.
func (s sharedDataset) selectRegularBands(d int, start, stride, count, length uint64) (pattern.Selection, error) {
	if s.numElements() == 0 {
		return pattern.SelectNothing(s.dims, s.elementBytes)
	}
	slab := pattern.Hyperslab{
		Start: make([]uint64, len(s.dims)), Stride: slices.Clone(s.dims),
		Count: slices.Repeat([]uint64{1}, len(s.dims)), Block: slices.Clone(s.dims),
	}
	slab.Start[d], slab.Stride[d], slab.Count[d], slab.Block[d] = start, stride, count, length
	return pattern.SelectHyperslab(s.dims, s.elementBytes, slab)
}

// EvenShare divides n items among ranks processes, as evenly as possible, and returns the items [from, to) of one
// process. If n is not a multiple of ranks, the first processes have one item more.
func EvenShare(n, rank, ranks uint64) (from, to uint64) {
	each, more := n/ranks, n%ranks
	from = rank*each + min(rank, more)
	to = from + each
	if rank < more {
		to++
	}
	return from, to
}

// OwnerRank returns the process that has item i of n after EvenShare.
func OwnerRank(i, n, ranks uint64) uint64 {
	each, more := n/ranks, n%ranks
	if i < more*(each+1) {
		return i / (each + 1)
	}
	return more + (i-more*(each+1))/each
}
