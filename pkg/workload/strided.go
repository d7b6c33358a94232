package workload

import (
	"errors"
	"fmt"

	"h5perf/pkg/pattern"
)

// strided is rule Strided. Each process has consecutive rows, as of rule Slab, and selects blocks from the first one of
// them on.
type strided struct {
	space
	count, length, stride uint64
}

func (r Rule) strided(s space) (parts, error) {
	stride := max(r.Stride, r.Length)
	least := s.dims[0] / s.ranks // rows of a process
	switch {
	case r.Count == 0 || r.Length == 0:
		return nil, errors.New("no blocks, or blocks of no rows: give a count and a length from 1 on")
	case r.Count > 1 && r.Stride < r.Length:
		return nil, fmt.Errorf("blocks of %d rows, %d apart, overlap: give a larger stride", r.Length, r.Stride)
	case r.Length > least || (least-r.Length)/stride < r.Count-1:
		return nil, fmt.Errorf("%d blocks of %d rows, %d apart, are more than the %d rows that a process has of %d",
			r.Count, r.Length, r.Stride, least, s.dims[0])
	}
	return strided{s, r.Count, r.Length, stride}, nil
}

func (x strided) selection(rank uint64) (pattern.Selection, error) {
	if x.elements() == 0 {
		return pattern.Nothing(x.dims, x.element)
	}
	first, _ := Share(x.dims[0], rank, x.ranks)
	return x.regularBands(0, first, x.stride, x.count, x.length)
}

func (x strided) allElements() uint64 { return x.ranks * x.count * x.length * x.rest(0) }
