package pattern

import "slices"

// boxes are parts of a dataset. Box i begins at start[i*rank:] and has the extent extent[i*rank:].
type boxes struct {
	rank          int
	start, extent []uint64
}

func (b boxes) count() int {
	if b.rank == 0 {
		return 0
	}
	return len(b.start) / b.rank
}

// at returns start and extent of a box.
func (b boxes) at(i int) (start, extent []uint64) {
	return b.start[i*b.rank : (i+1)*b.rank], b.extent[i*b.rank : (i+1)*b.rank]
}

// sorted returns the boxes by their starts in row-major order.
func (b boxes) sorted() boxes {
	order := make([]int, b.count())
	for i := range order {
		order[i] = i
	}
	byStart := func(i, j int) int {
		from, _ := b.at(i)
		other, _ := b.at(j)
		return slices.Compare(from, other)
	}
	if slices.IsSortedFunc(order, byStart) {
		return b
	}
	slices.SortFunc(order, byStart)
	s := boxes{b.rank, make([]uint64, 0, len(b.start)), make([]uint64, 0, len(b.extent))}
	for _, i := range order {
		from, shape := b.at(i)
		s.start, s.extent = append(s.start, from...), append(s.extent, shape...)
	}
	return s
}
