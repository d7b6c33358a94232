package pattern

import "slices"

// boxList holds boxes in a dataset of rank dimensions. The first element of box i has the rank coordinates from
// start[i*rank] on, and the extent of box i is in the rank numbers from extent[i*rank] on.
type boxList struct {
	rank          int
	start, extent []uint64
}

func (b boxList) numBoxes() int {
	if b.rank == 0 {
		return 0
	}
	return len(b.start) / b.rank
}

// boxAt returns the start and the extent of box i.
func (b boxList) boxAt(i int) (start, extent []uint64) {
	return b.start[i*b.rank : (i+1)*b.rank], b.extent[i*b.rank : (i+1)*b.rank]
}

// sortedByStart returns the boxes, sorted by their starts in row-major order.
func (b boxList) sortedByStart() boxList {
	order := make([]int, b.numBoxes())
	for i := range order {
		order[i] = i
	}
	byStart := func(i, j int) int {
		from, _ := b.boxAt(i)
		other, _ := b.boxAt(j)
		return slices.Compare(from, other)
	}
	if slices.IsSortedFunc(order, byStart) {
		return b
	}
	slices.SortFunc(order, byStart)
	s := boxList{b.rank, make([]uint64, 0, len(b.start)), make([]uint64, 0, len(b.extent))}
	for _, i := range order {
		from, shape := b.boxAt(i)
		s.start, s.extent = append(s.start, from...), append(s.extent, shape...)
	}
	return s
}
