package pattern

// Box is the access pattern of h5perf_serial. One process visits a dataset of any number of dimensions, box
// by box; each box has the shape of the transfer buffer. Elements are bytes.
type Box struct {
	Dims   []uint64 // extent of the dataset, slowest dimension of the file first
	Buffer []uint64 // extent of the transfer buffer; divides Dims in each dimension
	Order  []int    // the dimensions, counted from 0, in the order in which they advance: the first one varies fastest
}

// Sequence returns the boxes in order. One POSIX call moves the longest part of a box that is contiguous in
// a row-major file: all fastest dimensions that the box covers completely, and its extent in the next
// slower dimension.
func (b Box) Sequence() Sequence {
	rank := len(b.Dims)
	s := Sequence{Element: 1, Dims: b.Dims, Call: make([]uint64, rank), Slab: Hyperslab{
		Start: make([]uint64, rank), Stride: b.Buffer, Count: make([]uint64, rank), Block: b.Buffer,
	}}
	whole := true // the box covers all faster dimensions completely
	for d := rank - 1; d >= 0; d-- {
		s.Slab.Count[d], s.Call[d] = 1, 1
		if whole {
			s.Call[d] = b.Buffer[d]
		}
		whole = whole && b.Buffer[d] == b.Dims[d]
		walked := b.Order[d] // the last one is the outermost loop
		s.Loops = append(s.Loops, Loop{Dim: walked, Count: b.Dims[walked] / b.Buffer[walked], Step: b.Buffer[walked]})
	}
	return s
}
