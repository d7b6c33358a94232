package pattern

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// SelectionKind says what a selection consists of, in the terms of HDF5: no element, the whole dataset, a hyperslab, a
// union of boxes, or points.
type SelectionKind int

// The kinds of selections, in the terms of HDF5.
const (
	None      SelectionKind = iota // no element
	All                            // the whole dataset
	Singular                       // a hyperslab that is one block
	Regular                        // a hyperslab of several blocks
	Irregular                      // a union of boxes
	Points                         // a list of elements in any order
)

// String returns the name of the kind.
func (k SelectionKind) String() string {
	return [...]string{"none", "all", "singular", "regular", "irregular", "points"}[k]
}

// Selection is the set of elements of a dataset that one transfer of one process accesses. The zero value selects
// nothing.
type Selection struct {
	kind     SelectionKind
	dims     []uint64
	element  uint64
	elements uint64
	slab     Hyperslab // Singular, Regular
	boxes    boxList   // Irregular: sorted by their first elements in row-major order
	points   []uint64  // Points: coordinates, one point after another
}

// SelectNothing returns a selection of no element. In all functions that return a Selection, dims is the extent of the
// dataset in elements, slowest dimension first; without dimensions the dataset is a scalar. element is the size of an
// element in bytes. The selection keeps the slices that are passed to these functions; the caller must not change them.
func SelectNothing(dims []uint64, element uint64) (Selection, error) {
	return Selection{kind: None, dims: dims, element: element}, checkSpace(dims, element)
}

// SelectEverything returns a selection of all elements of a dataset.
func SelectEverything(dims []uint64, element uint64) (Selection, error) {
	return Selection{kind: All, dims: dims, element: element, elements: Product(dims)}, checkSpace(dims, element)
}

// SelectHyperslab returns the selection of a regular hyperslab. It returns an error if the hyperslab does not lie
// within the dataset, if its blocks overlap, or if it is empty. Blocks without gaps between them count as one block.
func SelectHyperslab(dims []uint64, element uint64, slab Hyperslab) (Selection, error) {
	s := Selection{kind: Singular, dims: dims, element: element, slab: slab}
	if err := checkArray(dims, element); err != nil {
		return Selection{}, err
	}
	for _, values := range [][]uint64{slab.Start, slab.Stride, slab.Count, slab.Block} {
		if len(values) != len(dims) {
			return Selection{}, fmt.Errorf("hyperslab %v in %d dimensions: give 4 numbers for each", slab, len(dims))
		}
	}
	s.elements = 1
	for d, extent := range dims {
		start, stride, count, block := slab.Start[d], slab.Stride[d], slab.Count[d], slab.Block[d]
		switch {
		case stride == 0 || count == 0 || block == 0:
			return Selection{}, fmt.Errorf("dimension %d: stride %d, count %d and block %d must be at least 1", d,
				stride, count, block)
		case count > 1 && stride < block:
			return Selection{}, fmt.Errorf("dimension %d: blocks of %d elements, %d apart, overlap", d, block, stride)
		case block > extent || start > extent-block || (extent-block-start)/stride < count-1:
			return Selection{}, fmt.Errorf("dimension %d: start %d, stride %d, count %d, block %d is beyond extent %d",
				d, start, stride, count, block, extent)
		}
		s.elements *= count * block
		if blocks, _ := slab.mergedBlocks(d); blocks > 1 {
			s.kind = Regular
		}
	}
	return s, nil
}

// SelectBoxes returns the selection of all elements of some boxes. Box i begins at the coordinates start[i*len(dims):]
// and has the extent extent[i*len(dims):]. The order of the boxes has no meaning. SelectBoxes returns an error if a box
// is empty, does not lie within the dataset, or overlaps another box. Without boxes the result is the selection of
// nothing; with one box its kind is Singular.
//
// For n boxes, it takes O(n log n) time to sort them, plus the time of Selection.Runs.
func SelectBoxes(dims []uint64, element uint64, start, extent []uint64) (Selection, error) {
	if err := checkArray(dims, element); err != nil {
		return Selection{}, err
	}
	if len(start)%len(dims) != 0 || len(start) != len(extent) {
		return Selection{}, fmt.Errorf("boxes in %d dimensions: %d coordinates and %d extents", len(dims), len(start),
			len(extent))
	}
	b := boxList{rank: len(dims), start: start, extent: extent}
	s := Selection{kind: Irregular, dims: dims, element: element}
	for i := range b.numBoxes() {
		from, shape := b.boxAt(i)
		for d := range dims {
			if shape[d] == 0 || shape[d] > dims[d] || from[d] > dims[d]-shape[d] {
				return Selection{}, fmt.Errorf("box of extent %v at %v is empty, or beyond the dataset's extent %v",
					shape, from, dims)
			}
		}
		s.elements += Product(shape) // can overflow only if boxes overlap
	}
	switch b.numBoxes() {
	case 0:
		return SelectNothing(dims, element)
	case 1:
		ones := slices.Repeat([]uint64{1}, len(dims))
		return SelectHyperslab(dims, element, Hyperslab{Start: start, Stride: extent, Count: ones, Block: extent})
	}
	s.boxes = b.sortedByStart()
	if i, j, found := s.findOverlap(); found {
		from, shape := s.boxes.boxAt(i)
		other, otherShape := s.boxes.boxAt(j)
		return Selection{}, fmt.Errorf("box of extent %v at %v overlaps the one of extent %v at %v", shape, from,
			otherShape, other)
	}
	return s, nil
}

// SelectPoints returns a selection of points, in their order. Point i has the coordinates coordinates[i*len(dims):]. A
// point may occur more than once. SelectPoints returns an error if a point does not lie within the dataset. Without
// points the result is the selection of nothing.
func SelectPoints(dims []uint64, element uint64, coordinates []uint64) (Selection, error) {
	if err := checkArray(dims, element); err != nil {
		return Selection{}, err
	}
	if len(coordinates)%len(dims) != 0 {
		return Selection{}, fmt.Errorf("points in %d dimensions: %d coordinates", len(dims), len(coordinates))
	}
	for i, c := range coordinates {
		if d := i % len(dims); c >= dims[d] {
			return Selection{}, fmt.Errorf("point %v is beyond the extent %v of the dataset",
				coordinates[i-d:i-d+len(dims)], dims)
		}
	}
	if len(coordinates) == 0 {
		return SelectNothing(dims, element)
	}
	return Selection{
		kind: Points, dims: dims, element: element, elements: uint64(len(coordinates) / len(dims)),
		points: coordinates,
	}, nil
}

// checkSpace returns an error if a dataset of this extent is impossible: it has too many dimensions, elements of 0
// bytes, or 2^64 bytes or more.
func checkSpace(dims []uint64, element uint64) error {
	if len(dims) > MaxDims {
		return fmt.Errorf("%d dimensions: there can be %d at most", len(dims), MaxDims)
	}
	if element == 0 {
		return errors.New("elements of 0 bytes: give the size of an element")
	}
	if slices.Contains(dims, 0) {
		return nil
	}
	size := element
	for _, extent := range dims {
		over, low := bits.Mul64(size, extent)
		if over != 0 {
			return fmt.Errorf("extent %v of elements of %d bytes: a dataset has less than 2^64 bytes", dims, element)
		}
		size = low
	}
	return nil
}

// checkArray returns the same errors as checkSpace, and an error for a scalar, which has no hyperslabs, boxes or
// points.
func checkArray(dims []uint64, element uint64) error {
	if len(dims) == 0 {
		return errors.New("a scalar has no hyperslabs and points: select all or nothing")
	}
	return checkSpace(dims, element)
}

// Kind returns the kind of the selection.
func (s Selection) Kind() SelectionKind { return s.kind }

// Dims returns the extent of the dataset in elements, slowest dimension first.
func (s Selection) Dims() []uint64 { return s.dims }

// ElementBytes returns the size of an element in bytes.
func (s Selection) ElementBytes() uint64 { return s.element }

// NumElements returns the number of elements that are selected.
func (s Selection) NumElements() uint64 { return s.elements }

// Bytes returns the number of bytes that are selected.
func (s Selection) Bytes() uint64 { return s.elements * s.element }

// Slab returns the hyperslab of a selection of kind Singular or Regular.
func (s Selection) Slab() Hyperslab { return s.slab }

// Boxes returns the starts and the extents of the boxes of a selection of kind Irregular, one box after another. The
// boxes are sorted by their first elements in row-major order.
func (s Selection) Boxes() (start, extent []uint64) { return s.boxes.start, s.boxes.extent }

// Coordinates returns the coordinates of a selection of kind Points, one point after another.
func (s Selection) Coordinates() []uint64 { return s.points }

// BufferShape returns the shape of the transfer buffer, in elements, of a selection of kind All, Singular or Regular.
// For other kinds, which have no shape, it returns false.
func (s Selection) BufferShape() ([]uint64, bool) {
	q, ok := s.Sequence()
	return q.BufferShape(), ok
}

// Sequence returns a selection of kind All, Singular or Regular as a sequence of one transfer. For other kinds, and for
// a dataset without elements, it returns false. One POSIX call moves the longest part of a block that is contiguous in
// a row-major file.
func (s Selection) Sequence() (Sequence, bool) {
	rank := len(s.dims)
	slab := s.slab
	switch s.kind {
	case All:
		if s.elements == 0 {
			return Sequence{}, false
		}
		ones := slices.Repeat([]uint64{1}, rank)
		slab = Hyperslab{Start: make([]uint64, rank), Stride: s.dims, Count: ones, Block: s.dims}
	case Singular, Regular:
	default:
		return Sequence{}, false
	}
	return Sequence{Dims: s.dims, Element: s.element, Slab: slab, CallShape: slab.contiguousExtent(s.dims)}, true
}

// contiguousExtent returns the extent of the longest part of a block that is contiguous in a row-major file. It
// includes all fastest dimensions that the block covers completely, and the extent of the block in the next slower
// dimension.
func (h Hyperslab) contiguousExtent(dims []uint64) []uint64 {
	extent := slices.Repeat([]uint64{1}, len(dims))
	for d, side := range slices.Backward(dims) {
		if _, extent[d] = h.mergedBlocks(d); extent[d] < side {
			break
		}
	}
	return extent
}

// Blocks returns the starts and the extents of the blocks, one block after another in row-major order.
func (h Hyperslab) Blocks() (start, extent []uint64) {
	for k := range Product(h.Count) {
		start, extent = append(start, h.Start...), append(extent, h.Block...)
		at := start[len(start)-len(h.Start):]
		for d, n := range coordinatesInBox(k, h.Count) {
			at[d] += n * h.Stride[d]
		}
	}
	return start, extent
}

// mergedBlocks returns the number and the size of the blocks in dimension d. Blocks without gaps between them count as
// one block.
func (h Hyperslab) mergedBlocks(d int) (count, block uint64) {
	if h.Count[d] > 1 && h.Stride[d] == h.Block[d] {
		return 1, h.Count[d] * h.Block[d]
	}
	return h.Count[d], h.Block[d]
}

// InDataset returns the same selection in another dataset, which has the extent dims and elements of the given size in
// bytes. dims may have one more dimension than the selection, with index at. In that dimension, the result selects the
// elements start to start+count-1, or only element start for kind Points.
func (s Selection) InDataset(dims []uint64, element uint64, at int, start, count uint64) (Selection, error) {
	more := func(list []uint64, n uint64) []uint64 {
		if len(dims) == len(s.dims) {
			return list
		}
		return slices.Insert(slices.Clone(list), at, n)
	}
	tuples := func(list []uint64, n uint64) (all []uint64) {
		for one := range slices.Chunk(list, len(s.dims)) {
			all = append(all, more(one, n)...)
		}
		return all
	}
	switch {
	case s.elements == 0:
		return SelectNothing(dims, element)
	case s.kind == Irregular:
		return SelectBoxes(dims, element, tuples(s.boxes.start, start), tuples(s.boxes.extent, count))
	case s.kind == Points:
		return SelectPoints(dims, element, tuples(s.points, start))
	}
	q, _ := s.Sequence() // all other kinds have a sequence
	return SelectHyperslab(dims, element, Hyperslab{
		Start: more(q.Slab.Start, start), Stride: more(q.Slab.Stride, count), Count: more(q.Slab.Count, 1),
		Block: more(q.Slab.Block, count),
	})
}

// ExpandToRecords converts a selection in one record to a selection in a dataset of several records. records is the
// number of records of the dataset, and index tells in which record the elements are selected. A record consists of all
// elements with the same index in the first dimension. ExpandToRecords returns an error if index is not less than
// records.
func (s Selection) ExpandToRecords(records, index uint64) (Selection, error) {
	if index >= records {
		return Selection{}, fmt.Errorf("record %d of a dataset that has %d: they count from 0", index, records)
	}
	return s.InDataset(append([]uint64{records}, s.dims...), s.element, 0, index, 1)
}
