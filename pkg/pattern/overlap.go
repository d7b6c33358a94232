package pattern

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

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

// low and high return the first element of a box in a dimension, and the one after its last.
func (b boxes) low(i, d int) uint64  { return b.start[i*b.rank+d] }
func (b boxes) high(i, d int) uint64 { return b.start[i*b.rank+d] + b.extent[i*b.rank+d] }

// numbers returns 0 to count - 1.
func (b boxes) numbers() []int {
	n := make([]int, b.count())
	for i := range n {
		n[i] = i
	}
	return n
}

// leading returns the number of dimensions before the first one in which not all boxes have the same start and extent.
// One dimension is always left.
func (b boxes) leading() int {
	from, shape := b.at(0)
	lead := b.rank - 1
	for i := 1; i < b.count() && lead > 0; i++ {
		other, otherShape := b.at(i)
		for !slices.Equal(other[:lead], from[:lead]) || !slices.Equal(otherShape[:lead], shape[:lead]) {
			lead--
		}
	}
	return lead
}

// sorted returns the boxes by their starts in row-major order.
func (b boxes) sorted() boxes {
	order := b.numbers()
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

// overlap returns two boxes that have an element in common, and whether there are such.
//
// It is the streamed segment tree of A. Zomorodian, H. Edelsbrunner, Fast software for box intersections, 2000, which
// stops at the first pair. Dimensions in which all boxes have the same start and extent are left out.
func (b boxes) overlap() (i, j int, found bool) {
	if b.count() < 2 {
		return 0, 0, false
	}
	var dims []int
	for d := range b.rank {
		for i := 1; i < b.count(); i++ {
			if b.low(i, d) != b.low(0, d) || b.high(i, d) != b.high(0, d) {
				dims = append(dims, d)
				break
			}
		}
	}
	if len(dims) == 0 {
		return 0, 1, true
	}
	return b.within(b.numbers(), b.numbers(), dims)
}

// few is a number of boxes that are compared with each other one by one.
const few = 8

// within searches for an interval and a point: boxes that overlap in all dims, of which the point begins within the
// interval, in the first one of dims. Pairs of a box with itself do not count. It sorts the points.
func (b boxes) within(intervals, points, dims []int) (i, j int, found bool) {
	if len(intervals) <= few || len(points) <= few {
		return b.pairwise(intervals, points)
	}
	d := dims[0]
	slices.SortFunc(points, func(i, j int) int { return cmp.Compare(b.low(i, d), b.low(j, d)) })
	if len(dims) > 1 {
		return b.segment(intervals, points, dims, 0, math.MaxUint64)
	}
	for _, i := range intervals {
		first := b.first(points, d, b.low(i, d))
		for _, j := range points[first:min(first+2, len(points))] { // one of them may be i
			if j != i && b.low(j, d) < b.high(i, d) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// first returns the number of the first one of sorted points that begins at low or after it.
func (b boxes) first(points []int, d int, low uint64) int {
	return sort.Search(len(points), func(k int) bool { return b.low(points[k], d) >= low })
}

// pairwise compares each interval with each point.
func (b boxes) pairwise(intervals, points []int) (i, j int, found bool) {
	for _, i := range intervals {
		for _, j := range points {
			apart := i == j
			for d := 0; d < b.rank && !apart; d++ {
				apart = b.high(i, d) <= b.low(j, d) || b.high(j, d) <= b.low(i, d)
			}
			if !apart {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// segment is a node of the segment tree: within, for sorted points that begin from low to before high, and intervals
// that reach into this segment.
func (b boxes) segment(intervals, points, dims []int, low, high uint64) (i, j int, found bool) {
	if len(intervals) <= few || len(points) <= few {
		return b.pairwise(intervals, points)
	}
	d := dims[0]
	least, most := b.low(points[0], d), b.low(points[len(points)-1], d)
	if least == most { // a point is all that is left of the segment
		low, high = least, least+1
	}
	var spanning, others []int
	for _, i := range intervals {
		switch {
		case b.low(i, d) <= low && b.high(i, d) >= high:
			spanning = append(spanning, i)
		case b.low(i, d) < high && b.high(i, d) > low:
			others = append(others, i)
		}
	}
	// These overlap in this dimension.
	if i, j, found = b.within(spanning, slices.Clone(points), dims[1:]); found {
		return i, j, found
	}
	if i, j, found = b.within(points, spanning, dims[1:]); found || least == most {
		return i, j, found
	}
	middle := b.low(points[len(points)/2], d)
	if middle == least {
		middle++
	}
	cut := b.first(points, d, middle)
	middle = b.low(points[cut], d)
	var left, right []int
	for _, i := range others {
		if b.low(i, d) < middle {
			left = append(left, i)
		}
		if b.high(i, d) > middle {
			right = append(right, i)
		}
	}
	if i, j, found = b.segment(left, points[:cut], dims, low, middle); found {
		return i, j, found
	}
	return b.segment(right, points[cut:], dims, middle, high)
}
