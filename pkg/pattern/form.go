package pattern

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// FormKind is a kind of memory.
type FormKind int

// The kinds of memory.
const (
	Dense   FormKind = iota // elements follow each other without gaps
	Ghost                   // the block of a process with margins
	Member                  // a member of each structure of an array
	Strided                 // every n-th element
)

// Form says where in memory the elements of a selection are. The zero value is Dense.
type Form struct {
	Kind   FormKind
	Cells  uint64 // Ghost: elements on both sides in each dimension
	Last   int    // Ghost: only the last so many dimensions have margins; 0: all have
	Offset uint64 // Member: of the member in its structure, in bytes
	Size   uint64 // Member: of a structure, in bytes
	Every  uint64 // Strided: n
}

// layout is a Form for one selection.
type layout struct {
	bytes uint64   // size of the memory
	base  uint64   // offset of the first element
	step  uint64   // distance of elements within a row
	row   uint64   // elements of a row: in the next one the distance is another
	shape []uint64 // of the rows: their number in each dimension
	pitch []uint64 // distance of rows in each dimension
}

// layout returns where the elements of a selection are.
func (f Form) layout(s Selection) (layout, error) {
	l := layout{step: s.element, row: s.elements}
	each := s.element // bytes of memory for each element
	switch f.Kind {
	case Dense:
	case Ghost:
		return f.ghost(s)
	case Member:
		if f.Size < s.element || f.Offset > f.Size-s.element {
			return l, fmt.Errorf("a member of %d bytes at offset %d is beyond a structure of %d bytes", s.element,
				f.Offset, f.Size)
		}
		l.base, l.step, each = f.Offset, f.Size, f.Size
	case Strided:
		over, step := bits.Mul64(f.Every, s.element)
		if f.Every == 0 || over != 0 {
			return l,
				fmt.Errorf("every %d-th element of %d bytes in memory: give a number from 1 on that memory can hold",
					f.Every, s.element)
		}
		l.step, each = step, step
	}
	over, bytes := bits.Mul64(s.elements, each)
	if over != 0 {
		return l, errTooLarge
	}
	l.bytes = bytes
	return l, nil
}

var errTooLarge = errors.New("the memory of a transfer has 2^64 bytes or more: select less, or take smaller gaps")

// ghost returns where the elements are in memory with margins.
func (f Form) ghost(s Selection) (layout, error) {
	shape, ok := s.Buffer()
	switch {
	case s.elements == 0:
		return layout{step: s.element, row: 1}, nil
	case !ok:
		return layout{},
			fmt.Errorf("memory with ghost cells for a selection of kind %v: only a hyperslab has the "+
				"shape of a block", s.kind)
	case f.Last < 0 || f.Last > len(shape):
		return layout{}, fmt.Errorf("ghost cells in the last %d of %d dimensions: give a number from 0 to %d", f.Last,
			len(shape), len(shape))
	case len(shape) == 0 || f.Cells == 0:
		return Form{}.layout(s)
	}
	rank := len(shape)
	l := layout{bytes: s.element, step: s.element, row: shape[rank-1], shape: shape[:rank-1], pitch: make([]uint64,
		rank-1)}
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
			return layout{}, errTooLarge
		}
		l.bytes = bytes
	}
	return l, nil
}

// at returns the offset in memory of element k of the selection.
func (l layout) at(k uint64) uint64 {
	return l.base + k%l.row*l.step + place(k/l.row, l.shape, l.pitch)
}

// MemoryBytes returns the size in bytes of the memory of a selection, with gaps and margins. It is an error if the
// selection has no such form: only kinds All, Singular and Regular, and selections of nothing, can have ghost cells.
func (f Form) MemoryBytes(s Selection) (uint64, error) {
	l, err := f.layout(s)
	return l.bytes, err
}

// Piece is a part of a transfer that is contiguous in the file and in memory. Offsets are relative to the dataset and
// to the beginning of the memory. All are in bytes.
type Piece struct {
	File, Memory, Bytes uint64
}

// Pieces returns the pieces of a selection in the order of the selection: the longest that there are. It has the
// errors of Form.MemoryBytes. The cost is O(1) for a piece, beside that of Selection.Runs.
func Pieces(s Selection, f Form) (iter.Seq[Piece], error) {
	l, err := f.layout(s)
	if err != nil {
		return nil, err
	}
	longest := l.row // elements without a gap in memory
	if l.step != s.element {
		longest = 1
	}
	return func(yield func(Piece) bool) {
		k := uint64(0) // elements before
		for offset, bytes := range s.Runs() {
			for bytes > 0 {
				n := min(bytes, (longest-k%longest)*s.element)
				if !yield(Piece{File: offset, Memory: l.at(k), Bytes: n}) {
					return
				}
				offset, bytes, k = offset+n, bytes-n, k+n/s.element
			}
		}
	}, nil
}
