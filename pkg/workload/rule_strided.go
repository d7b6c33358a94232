package workload

import (
	"errors"
	"fmt"

	"h5perf/pkg/pattern"
)

// stridedParts implements rule Strided. Each process has the consecutive rows of rule Slab, and selects blocks from the
// first of these rows on.
func (r Rule) stridedParts(s sharedDataset) (rankParts, error) {
	stride := max(r.Stride, r.Length)
	least := s.dims[0] / s.ranks // least number of rows of a process
	switch {
	case r.Count == 0 || r.Length == 0:
		return rankParts{}, errors.New("no blocks, or blocks of no rows: give a count and a length from 1 on")
	case r.Count > 1 && r.Stride < r.Length:
		return rankParts{}, fmt.Errorf("blocks of %d rows, %d apart, overlap: give a larger stride", r.Length, r.Stride)
	case r.Length > least || (least-r.Length)/stride < r.Count-1:
		return rankParts{},
			fmt.Errorf("%d blocks of %d rows, %d apart, are more than the %d rows that a process has of %d",
				r.Count, r.Length, r.Stride, least, s.dims[0])
	}
	return rankParts{
		s.ranks * r.Count * r.Length * s.elementsPerIndex(0),
		func(rank uint64) (pattern.Selection, error) {
			first, _ := EvenShare(s.dims[0], rank, s.ranks)
			return s.selectRegularBands(0, first, stride, r.Count, r.Length)
		},
	}, nil
}
