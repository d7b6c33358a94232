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
			points = append(points, make([]uint64, rank)...)
			rest, point := i, points[len(points)-rank:]
			for d, extent := range slices.Backward(s.dims) {
				point[d], rest = rest%extent, rest/extent
			}
		}
	}
	return PointList(s.dims, s.element, points)
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
		b = boxes{rank: len(s.dims), start: s.slab.Start, extent: make([]uint64, len(s.dims))}
		for d := range b.extent {
			b.extent[d] = s.slab.Count[d] * s.slab.Block[d]
		}
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
			for e := d - 1; e >= 0; e-- {
				from[e], k = from[e]+k%extent[e], k/extent[e]
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
