package pattern

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// MemoryKind is a kind of memory.
type MemoryKind int

// The kinds of memory.
const (
	Dense   MemoryKind = iota // elements follow each other without gaps
	Ghost                     // the block of a process with margins
	Member                    // a member of each structure of an array
	Strided                   // every n-th element
)

// MemoryForm says where in memory the elements of a selection are. The zero value is Dense.
type MemoryForm struct {
	Kind   MemoryKind
	Cells  uint64 // Ghost: elements on both sides in each dimension
	Last   int    // Ghost: only the last so many dimensions have margins; 0: all have
	Offset uint64 // Member: of the member in its structure, in bytes
	Size   uint64 // Member: of a structure, in bytes
	Every  uint64 // Strided: n
}

// memoryLayout is a MemoryForm for one selection.
type memoryLayout struct {
	bytes         uint64   // size of the memory
	base          uint64   // offset of the first element
	elementStride uint64   // distance of elements within a row
	rowElements   uint64   // elements of a row: in the next one the distance is another
	shape         []uint64 // of the rows: their number in each dimension
	pitch         []uint64 // distance of rows in each dimension
}

// newMemoryLayout returns where the elements of a selection are.
func (f MemoryForm) newMemoryLayout(s Selection) (memoryLayout, error) {
	l := memoryLayout{elementStride: s.element, rowElements: s.elements}
	each := s.element // bytes of memory for each element
	switch f.Kind {
	case Dense:
	case Ghost:
		return f.newGhostLayout(s)
	case Member:
		if f.Size < s.element || f.Offset > f.Size-s.element {
			return l, fmt.Errorf("a member of %d bytes at offset %d is beyond a structure of %d bytes", s.element,
				f.Offset, f.Size)
		}
		l.base, l.elementStride, each = f.Offset, f.Size, f.Size
	case Strided:
		over, step := bits.Mul64(f.Every, s.element)
		if f.Every == 0 || over != 0 {
			return l,
				fmt.Errorf("every %d-th element of %d bytes in memory: give a number from 1 on that memory can hold",
					f.Every, s.element)
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

// newGhostLayout returns where the elements are in memory with margins.
func (f MemoryForm) newGhostLayout(s Selection) (memoryLayout, error) {
	shape, ok := s.BufferShape()
	switch {
	case s.elements == 0:
		return memoryLayout{elementStride: s.element, rowElements: 1}, nil
	case !ok:
		return memoryLayout{},
			fmt.Errorf("memory with ghost cells for a selection of kind %v: only a hyperslab has the "+
				"shape of a block", s.kind)
	case f.Last < 0 || f.Last > len(shape):
		return memoryLayout{},
			fmt.Errorf("ghost cells in the last %d of %d dimensions: give a number from 0 to %d", f.Last,
				len(shape), len(shape))
	case len(shape) == 0 || f.Cells == 0:
		return MemoryForm{}.newMemoryLayout(s)
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
		margin := f.Cells
		if f.Last > 0 && d < rank-f.Last {
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

// memoryOffset returns the offset in memory of element k of the selection.
func (l memoryLayout) memoryOffset(k uint64) uint64 {
	return l.base + k%l.rowElements*l.elementStride + offsetInBox(k/l.rowElements, l.shape, l.pitch)
}

// MemoryBytes returns the size in bytes of the memory of a selection, with gaps and margins. It is an error if the
// selection has no such form: only kinds All, Singular and Regular, and selections of nothing, can have ghost cells.
func (f MemoryForm) MemoryBytes(s Selection) (uint64, error) {
	l, err := f.newMemoryLayout(s)
	return l.bytes, err
}

// Piece is a part of a transfer that is contiguous in the file and in memory. Offsets are relative to the dataset and
// to the beginning of the memory. All are in bytes.
type Piece struct {
	File, Memory, Bytes uint64
}

// Pieces returns the pieces of a selection in the order of the selection: the longest that there are. It has the
// errors of MemoryForm.MemoryBytes. The cost is O(1) for a piece, beside that of Selection.Runs.
func Pieces(s Selection, f MemoryForm) (iter.Seq[Piece], error) {
	l, err := f.newMemoryLayout(s)
	if err != nil {
		return nil, err
	}
	longest := l.rowElements // elements without a gap in memory
	if l.elementStride != s.element {
		longest = 1
	}
	return func(yield func(Piece) bool) {
		k := uint64(0) // elements before
		for offset, bytes := range s.Runs() {
			for bytes > 0 {
				n := min(bytes, (longest-k%longest)*s.element)
				if !yield(Piece{File: offset, Memory: l.memoryOffset(k), Bytes: n}) {
					return
				}
				offset, bytes, k = offset+n, bytes-n, k+n/s.element
			}
		}
	}, nil
}
