package pattern

import "slices"

// BoxPattern is the access pattern of h5perf_serial. One process visits a dataset of any number of dimensions, box by
// box. Each box has the shape of the transfer buffer. Elements are bytes.
type BoxPattern struct {
	Dims   []uint64 // extent of the dataset, slowest dimension first
	Buffer []uint64 // extent of the transfer buffer; divides Dims in each dimension
	Order  []int    // the dimensions, counted from 0: the first one varies fastest
}

// Sequence returns the boxes in order, one transfer each. One POSIX call moves the longest part of a box that is
// contiguous in a row-major file.
func (b BoxPattern) Sequence() Sequence {
	rank := len(b.Dims)
	s := Sequence{Element: 1, Dims: b.Dims, Slab: Hyperslab{
		Start: make([]uint64, rank), Stride: b.Buffer, Count: slices.Repeat([]uint64{1}, rank), Block: b.Buffer,
	}}
	s.CallShape = s.Slab.contiguousExtent(b.Dims)
	for _, d := range slices.Backward(b.Order) { // the last dimension is the outermost loop
		s.Loops = append(s.Loops, Loop{Dim: d, Count: b.Dims[d] / b.Buffer[d], Step: b.Buffer[d]})
	}
	return s
}
