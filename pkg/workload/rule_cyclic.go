package workload

import (
	"errors"

	"h5perf/pkg/pattern"
)

// cyclicParts implements rule Cyclic. The last block may be shorter than the others.
func (r Rule) cyclicParts(s sharedDataset) (rankParts, error) {
	d, err := r.dimension(s)
	if err != nil {
		return rankParts{}, err
	}
	if r.Length == 0 {
		return rankParts{}, errors.New("blocks of length 0: give a length from 1 on")
	}
	whole := s.dims[d]
	blocks := whole / r.Length
	if whole%r.Length > 0 {
		blocks++
	}
	return rankParts{s.numElements(), func(rank uint64) (pattern.Selection, error) {
		from, step := rank*r.Length, s.ranks*r.Length
		switch {
		case rank >= blocks:
			return pattern.SelectNothing(s.dims, s.elementBytes)
		case s.ranks == 1:
			return s.selectBands(d, 0, whole)
		}
		n := (blocks-1-rank)/s.ranks + 1
		if n > 1 && (rank != (blocks-1)%s.ranks || whole%r.Length == 0) {
			return s.selectRegularBands(d, from, step, n, r.Length)
		}
		var ends []uint64
		for i := range n {
			ends = append(ends, from+i*step, min(from+i*step+r.Length, whole))
		}
		return s.selectBands(d, ends...)
	}}, nil
}
