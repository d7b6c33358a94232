package workload

import (
	"fmt"
	"math/bits"

	"h5perf/pkg/pattern"
)

// randomParts implements rule Random. The rows of a process are consecutive in a shuffled order, which is a
// Permutation.
func (r Rule) randomParts(s sharedDataset) (rankParts, error) {
	rows := s.dims[0]
	if r.First > rows {
		return rankParts{},
			fmt.Errorf("first row %d in the shuffled order of %d: give a number up to them", r.First, rows)
	}
	count := rows - r.First
	if r.Count > 0 {
		over, all := bits.Mul64(r.Count, s.ranks)
		if over != 0 || all > count {
			return rankParts{},
				fmt.Errorf("%d rows for each of %d processes, from row %d of %d in the shuffled order: "+
					"there are too few; give a smaller count, or 0 to deal what there is", r.Count, s.ranks, r.First,
					rows)
		}
		count = all
	}
	order := NewPermutation(rows, r.Seed)
	return rankParts{count * s.elementsPerIndex(0), func(rank uint64) (pattern.Selection, error) {
		var bands []uint64
		for _, row := range order.numbersOfRank(r.First, count, rank, s.ranks) {
			bands = append(bands, row, row+1)
		}
		return s.selectBands(0, bands...)
	}}, checkRunsPerRank("rows", count, s.ranks)
}
