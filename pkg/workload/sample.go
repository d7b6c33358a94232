package workload

import (
	"fmt"
	"math/bits"

	"h5perf/pkg/pattern"
)

// sample is rule Random: the rows of a process follow each other in a shuffled order, which is a Permutation.
type sample struct {
	space
	first, count uint64 // rows of all processes in the shuffled order
	order        Permutation
}

func (r Rule) sample(s space) (parts, error) {
	rows := s.dims[0]
	if r.First > rows {
		return nil, fmt.Errorf("first row %d in the shuffled order of %d: give a number up to them", r.First, rows)
	}
	count := rows - r.First
	if r.Count > 0 {
		over, all := bits.Mul64(r.Count, s.ranks)
		if over != 0 || all > count {
			return nil, fmt.Errorf("%d rows for each of %d processes, from row %d of %d in the shuffled order: there "+
				"are too few; give a smaller count, or 0 to deal what there is", r.Count, s.ranks, r.First, rows)
		}
		count = all
	}
	return sample{s, r.First, count, NewPermutation(rows, r.Seed)}, listed("rows", count, s.ranks)
}

func (m sample) selection(rank uint64) (pattern.Selection, error) {
	var bands []uint64
	for _, row := range m.order.part(m.first, m.count, rank, m.ranks) {
		bands = append(bands, row, row+1)
	}
	return m.bands(0, bands)
}

func (m sample) allElements() uint64 { return m.count * m.rest(0) }
