package pattern

// Box is the access pattern of the serial tool: one process walks over a dataset of any number of dimensions, one box of
// the shape of the transfer buffer after the other. Elements are bytes.
type Box struct {
	Dims   []uint64 // extent of the dataset, slowest dimension of the file first
	Buffer []uint64 // extent of the transfer buffer, which divides that of the dataset in each dimension
	Order  []int    // the dimensions, from 0, the one along which the walk goes first in front
}

// Sequence is the boxes in order. One POSIX call moves the longest run of a box that is contiguous in a row-major file: the
// dimensions that the box covers whole, and its extent in the next slower one.
func (b Box) Sequence() Sequence {
	rank := len(b.Dims)
	s := Sequence{Element: 1, Dims: b.Dims, Call: make([]uint64, rank), Slab: Hyperslab{
		Start: make([]uint64, rank), Stride: b.Buffer, Count: make([]uint64, rank), Block: b.Buffer,
	}}
	whole := true // all faster dimensions are
	for d := rank - 1; d >= 0; d-- {
		s.Slab.Count[d], s.Call[d] = 1, 1
		if whole {
			s.Call[d] = b.Buffer[d]
		}
		whole = whole && b.Buffer[d] == b.Dims[d]
		walked := b.Order[d] // the last is the outermost loop
		s.Loops = append(s.Loops, Loop{Dim: walked, Count: b.Dims[walked] / b.Buffer[walked], Step: b.Buffer[walked]})
	}
	return s
}
