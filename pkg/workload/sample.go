package workload

import (
	"fmt"
	"math/bits"

	"h5perf/pkg/pattern"
)

// sample is rule Random: the rows of a process follow each other in a shuffled order, which is a Permutation.
func (r Rule) sample(s space) (parts, error) {
	rows := s.dims[0]
	if r.First > rows {
		return parts{}, fmt.Errorf("first row %d in the shuffled order of %d: give a number up to them", r.First, rows)
	}
	count := rows - r.First
	if r.Count > 0 {
		over, all := bits.Mul64(r.Count, s.ranks)
		if over != 0 || all > count {
			return parts{}, fmt.Errorf("%d rows for each of %d processes, from row %d of %d in the shuffled order: "+
				"there are too few; give a smaller count, or 0 to deal what there is", r.Count, s.ranks, r.First, rows)
		}
		count = all
	}
	order := NewPermutation(rows, r.Seed)
	return parts{count * s.rest(0), func(rank uint64) (pattern.Selection, error) {
		var bands []uint64
		for _, row := range order.part(r.First, count, rank, s.ranks) {
			bands = append(bands, row, row+1)
		}
		return s.bands(0, bands...)
	}}, listed("rows", count, s.ranks)
}
