package pattern

import (
	"fmt"
	"slices"
)

// AsPoints returns the same elements as a list of points, in the order of the runs.
func (s Selection) AsPoints() (Selection, error) {
	rank := len(s.dims)
	points := make([]uint64, 0, s.elements*uint64(rank))
	for at, bytes := range s.Runs() {
		for i := at / s.element; i < (at+bytes)/s.element; i++ {
			points = append(points, coordinates(i, s.dims)...)
		}
	}
	return PointList(s.dims, s.element, points)
}

// coordinates returns those of place i in row-major order of a box of this shape.
func coordinates(i uint64, shape []uint64) []uint64 {
	all := make([]uint64, len(shape))
	for d, side := range slices.Backward(shape) {
		all[d], i = i%side, i/side
	}
	return all
}

// Pieces returns the hyperslabs of a selection that are one run each, by their offsets. Runs of different boxes that
// follow each other are several. It is an error for kinds Regular and Points.
func (s Selection) Pieces() ([]Selection, error) {
	b := s.boxes
	switch s.kind {
	case None:
		return nil, nil
	case All:
		return []Selection{s}, nil
	case Singular:
		extent, _ := s.Buffer()
		b = boxes{rank: len(s.dims), start: s.slab.Start, extent: extent}
	case Irregular:
	default:
		return nil, fmt.Errorf("a selection of kind %v is not divided into runs", s.kind)
	}
	ones := slices.Repeat([]uint64{1}, len(s.dims))
	var all []Selection
	for i := range b.count() {
		start, extent := b.at(i)
		d := len(extent) - 1 // fastest dimension that the box does not cover completely
		for d > 0 && extent[d] == s.dims[d] {
			d--
		}
		for k := range product(extent[:d]) {
			from, shape := slices.Clone(start), slices.Concat(ones[:d], extent[d:])
			for e, index := range coordinates(k, extent[:d]) {
				from[e] += index
			}
			one, err := Select(s.dims, s.element, Hyperslab{Start: from, Stride: shape, Count: ones, Block: shape})
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(x, y Selection) int { return slices.Compare(x.slab.Start, y.slab.Start) })
	return all, nil
}
