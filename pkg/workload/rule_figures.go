package workload

import (
	"fmt"
	"slices"

	"h5perf/pkg/pattern"
)

// sliceParts implements rule Slice: the elements with one index in one dimension. If the dataset has no other
// dimension, that is one element, and process 0 has it.
func (r Rule) sliceParts(s sharedDataset) (rankParts, error) {
	d, err := r.dimension(s)
	if err != nil {
		return rankParts{}, err
	}
	if r.Index >= s.dims[d] {
		return rankParts{},
			fmt.Errorf("index %d in dimension %d of extent %d: give a number below the extent", r.Index, d,
				s.dims[d])
	}
	shared := 0
	if d == 0 {
		shared = 1
	}
	return rankParts{s.elementsPerIndex(d), func(rank uint64) (pattern.Selection, error) {
		start, extent := make([]uint64, len(s.dims)), slices.Clone(s.dims)
		start[d], extent[d] = r.Index, 1
		if shared < len(s.dims) {
			from, to := EvenShare(s.dims[shared], rank, s.ranks)
			start[shared], extent[shared] = from, to-from
		} else if rank > 0 {
			extent[d] = 0
		}
		return s.selectBoxes(start, extent)
	}}, nil
}

// checkSquare returns an error unless the dataset has two dimensions, and Width is from 1 to the smaller extent divided
// by parts.
func (r Rule) checkSquare(s sharedDataset, parts uint64) error {
	if len(s.dims) != 2 {
		return fmt.Errorf("it is for 2 dimensions, not for %d", len(s.dims))
	}
	if most := min(s.dims[0], s.dims[1]) / parts; r.Width == 0 || r.Width > most {
		return fmt.Errorf("width %d in %v: give a width from 1 to %d", r.Width, s.dims, most)
	}
	return nil
}

// frameParts implements rule Frame.
func (r Rule) frameParts(s sharedDataset) (rankParts, error) {
	if err := r.checkSquare(s, 2); err != nil {
		return rankParts{}, err
	}
	rows, columns, width := s.dims[0], s.dims[1], r.Width
	return rankParts{s.numElements() - (rows-2*width)*(columns-2*width), func(rank uint64) (pattern.Selection, error) {
		from, to := EvenShare(rows, rank, s.ranks)
		var start, extent []uint64
		for _, side := range []struct{ top, bottom, left, columns uint64 }{
			{0, width, 0, columns},
			{width, rows - width, 0, width},
			{width, rows - width, columns - width, width},
			{rows - width, rows, 0, columns},
		} {
			low, high := min(max(from, side.top), side.bottom), min(max(to, side.top), side.bottom)
			start, extent = append(start, low, side.left), append(extent, high-low, side.columns)
		}
		return s.selectBoxes(start, extent)
	}}, nil
}

// cornerParts implements rule Corners.
func (r Rule) cornerParts(s sharedDataset) (rankParts, error) {
	if err := r.checkSquare(s, 2); err != nil {
		return rankParts{}, err
	}
	width := r.Width
	column, other := uint64(0), s.dims[1]-width
	if r.Anti {
		column, other = other, column
	}
	return rankParts{2 * width * width, func(rank uint64) (pattern.Selection, error) {
		from, to := EvenShare(2*width, rank, s.ranks)
		return s.selectBoxes(
			[]uint64{min(from, width), column, s.dims[0] - 2*width + max(from, width), other},
			[]uint64{min(to, width) - min(from, width), width, max(to, width) - max(from, width), width})
	}}, nil
}

// diagonalParts implements rule Diagonal.
func (r Rule) diagonalParts(s sharedDataset) (rankParts, error) {
	if err := r.checkSquare(s, 1); err != nil {
		return rankParts{}, err
	}
	width, blocks := r.Width, min(s.dims[0], s.dims[1])/r.Width
	return rankParts{blocks * width * width, func(rank uint64) (pattern.Selection, error) {
		from, to := EvenShare(blocks, rank, s.ranks)
		var start, extent []uint64
		for i := from; i < to; i++ {
			start, extent = append(start, i*width, i*width), append(extent, width, width)
		}
		return s.selectBoxes(start, extent)
	}}, nil
}
