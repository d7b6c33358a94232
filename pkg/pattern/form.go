package pattern

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// MemoryKind says how the elements of a transfer are arranged in memory.
type MemoryKind int

// The arrangements in memory.
const (
	Dense   MemoryKind = iota // elements follow each other without gaps
	Ghost                     // a block with ghost cells around it
	Member                    // one member of each structure in an array
	Strided                   // every n-th element
)

// MemoryArrangement describes how the elements of a selection are arranged in memory: one after another, in every n-th
// element, as members of structures, or with ghost cells around them. The zero value is Dense.
type MemoryArrangement struct {
	Kind           MemoryKind
	GhostCells     uint64 // Ghost: number of ghost elements on each side, in each dimension
	GhostDims      int    // Ghost: only this many last dimensions have ghost cells; 0: all dimensions
	MemberOffset   uint64 // Member: offset of the member in its structure, in bytes
	StructBytes    uint64 // Member: size of a structure in bytes
	StrideElements uint64 // Strided: every n-th element is used; this is n
}

// memoryLayout holds the positions in memory of the elements of one selection, in a MemoryArrangement. Sizes, offsets
// and distances are in bytes.
type memoryLayout struct {
	bytes         uint64   // size of the memory, with gaps
	base          uint64   // offset of the first element
	elementStride uint64   // distance between elements in a row
	rowElements   uint64   // number of elements in a row
	shape         []uint64 // number of rows in each dimension
	pitch         []uint64 // distance between rows in each dimension
}

// newMemoryLayout computes the positions in memory of the elements of a selection.
func (f MemoryArrangement) newMemoryLayout(s Selection) (memoryLayout, error) {
	l := memoryLayout{elementStride: s.element, rowElements: s.elements}
	each := s.element // bytes of memory that an element takes, with its gap
	switch f.Kind {
	case Dense:
	case Ghost:
		return f.newGhostLayout(s)
	case Member:
		if f.StructBytes < s.element || f.MemberOffset > f.StructBytes-s.element {
			return l, fmt.Errorf("a member of %d bytes at offset %d is beyond a structure of %d bytes", s.element,
				f.MemberOffset, f.StructBytes)
		}
		l.base, l.elementStride, each = f.MemberOffset, f.StructBytes, f.StructBytes
	case Strided:
		over, step := bits.Mul64(f.StrideElements, s.element)
		if f.StrideElements == 0 || over != 0 {
			return l,
				fmt.Errorf("every %d-th element of %d bytes in memory: give a number from 1 on that memory can hold",
					f.StrideElements, s.element)
		}
		l.elementStride, each = step, step
	}
	over, bytes := bits.Mul64(s.elements, each)
	if over != 0 {
		return l, errTooLarge
	}
	l.bytes = bytes
	return l, nil
}

var errTooLarge = errors.New("the memory of a transfer has 2^64 bytes or more: select less, or take smaller gaps")

// newGhostLayout does the same as newMemoryLayout, for memory with ghost cells.
func (f MemoryArrangement) newGhostLayout(s Selection) (memoryLayout, error) {
	shape, ok := s.BufferShape()
	switch {
	case s.elements == 0:
		return memoryLayout{elementStride: s.element, rowElements: 1}, nil
	case !ok:
		return memoryLayout{},
			fmt.Errorf("memory with ghost cells for a selection of kind %v: only a hyperslab has the "+
				"shape of a block", s.kind)
	case f.GhostDims < 0 || f.GhostDims > len(shape):
		return memoryLayout{},
			fmt.Errorf("ghost cells in the last %d of %d dimensions: give a number from 0 to %d", f.GhostDims,
				len(shape), len(shape))
	case len(shape) == 0 || f.GhostCells == 0:
		return MemoryArrangement{}.newMemoryLayout(s)
	}
	rank := len(shape)
	l := memoryLayout{
		bytes: s.element, elementStride: s.element, rowElements: shape[rank-1], shape: shape[:rank-1],
		pitch: make([]uint64,
			rank-1),
	}
	for d := rank - 1; d >= 0; d-- {
		if d < rank-1 {
			l.pitch[d] = l.bytes
		}
		margin := f.GhostCells
		if f.GhostDims > 0 && d < rank-f.GhostDims {
			margin = 0
		}
		l.base += margin * l.bytes
		over, bytes := bits.Mul64(l.bytes, shape[d]+2*margin)
		if margin > (math.MaxUint64-shape[d])/2 || over != 0 {
			return memoryLayout{}, errTooLarge
		}
		l.bytes = bytes
	}
	return l, nil
}

// memoryOffset returns the offset in bytes, in memory, of element k of the selection.
func (l memoryLayout) memoryOffset(k uint64) uint64 {
	return l.base + k%l.rowElements*l.elementStride + offsetInBox(k/l.rowElements, l.shape, l.pitch)
}

// MemoryBytes returns the size in bytes of the memory for a selection, including gaps and ghost cells. It returns an
// error if the elements of the selection cannot be arranged in this way. Ghost cells are possible only for selections
// of kind All, Singular or Regular, and for empty selections.
func (f MemoryArrangement) MemoryBytes(s Selection) (uint64, error) {
	l, err := f.newMemoryLayout(s)
	return l.bytes, err
}

// ContiguousPiece is a range of bytes of a transfer that is contiguous both in the file and in memory. File is its
// offset in the dataset, Memory its offset in the memory of the transfer, and Bytes its size. All are in bytes.
type ContiguousPiece struct {
	File, Memory, Bytes uint64
}

// ContiguousPieces divides the elements of a selection into ranges that are contiguous both in the file and in memory,
// each as long as possible, in the order of Selection.Runs. It returns the same errors as
// MemoryArrangement.MemoryBytes. Each piece takes O(1) time, in addition to the time of Selection.Runs.
func ContiguousPieces(s Selection, f MemoryArrangement) (iter.Seq[ContiguousPiece], error) {
	l, err := f.newMemoryLayout(s)
	if err != nil {
		return nil, err
	}
	longest := l.rowElements // number of elements that follow each other in memory without gaps
	if l.elementStride != s.element {
		longest = 1
	}
	return func(yield func(ContiguousPiece) bool) {
		k := uint64(0) // number of elements in the pieces before
		for offset, bytes := range s.Runs() {
			for bytes > 0 {
				n := min(bytes, (longest-k%longest)*s.element)
				if !yield(ContiguousPiece{File: offset, Memory: l.memoryOffset(k), Bytes: n}) {
					return
				}
				offset, bytes, k = offset+n, bytes-n, k+n/s.element
			}
		}
	}, nil
}
