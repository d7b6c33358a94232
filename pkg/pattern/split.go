package pattern

import (
	"fmt"
	"slices"
)

// AsPoints returns a selection of kind Points with the same elements, in the order of the runs.
func (s Selection) AsPoints() (Selection, error) {
	rank := len(s.dims)
	points := make([]uint64, 0, s.elements*uint64(rank))
	for at, bytes := range s.Runs() {
		for i := at / s.element; i < (at+bytes)/s.element; i++ {
			points = append(points, coordinatesInBox(i, s.dims)...)
		}
	}
	return SelectPoints(s.dims, s.element, points)
}

// coordinatesInBox returns the coordinates of the element with index i, in row-major order, in a box of this shape.
func coordinatesInBox(i uint64, shape []uint64) []uint64 {
	all := make([]uint64, len(shape))
	for d, side := range slices.Backward(shape) {
		all[d], i = i%side, i/side
	}
	return all
}

// SplitIntoRuns returns one hyperslab for each run of a selection, by ascending offsets. It does not join runs of
// different boxes that follow each other. It returns an error for kinds Regular and Points.
func (s Selection) SplitIntoRuns() ([]Selection, error) {
	runs := s.eachSlabRun
	switch s.kind {
	case All:
		return []Selection{s}, nil
	case Irregular:
		runs = s.eachBoxRun
	case Regular, Points:
		return nil, fmt.Errorf("a selection of kind %v is not divided into runs", s.kind)
	case None, Singular:
	}
	ones := slices.Repeat([]uint64{1}, len(s.dims))
	var all []Selection
	for at, bytes := range runs {
		shape, left := slices.Clone(ones), bytes/s.element
		for d, extent := range slices.Backward(s.dims) {
			shape[d] = min(left, extent)
			left /= shape[d]
		}
		one, err := SelectHyperslab(s.dims, s.element, Hyperslab{
			Start: coordinatesInBox(at/s.element, s.dims), Stride: shape, Count: ones, Block: shape,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
