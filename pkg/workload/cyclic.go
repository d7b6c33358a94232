package workload

import (
	"errors"

	"h5perf/pkg/pattern"
)

// turns is rule Cyclic.
type turns struct {
	space
	dim    int
	length uint64
	blocks uint64 // all, the last one maybe shorter
}

func (r Rule) turns(s space) (parts, error) {
	d, err := r.dim(s)
	if err != nil {
		return nil, err
	}
	if r.Length == 0 {
		return nil, errors.New("blocks of length 0: give a length from 1 on")
	}
	blocks := s.dims[d] / r.Length
	if s.dims[d]%r.Length > 0 {
		blocks++
	}
	return turns{s, d, r.Length, blocks}, nil
}

// of returns the number of blocks of a process.
func (t turns) of(rank uint64) uint64 {
	if rank >= t.blocks {
		return 0
	}
	return (t.blocks-1-rank)/t.ranks + 1
}

func (t turns) selection(rank uint64) (pattern.Selection, error) {
	n, whole := t.of(rank), t.dims[t.dim]
	from := rank * t.length
	switch {
	case n == 0 || t.elements() == 0:
		return pattern.Nothing(t.dims, t.element)
	case t.ranks == 1:
		return t.band(t.dim, 0, whole)
	case n == 1:
		return t.band(t.dim, from, from+min(t.length, whole-from))
	case rank == (t.blocks-1)%t.ranks && whole%t.length > 0: // not regular
		var ends []uint64
		for range n {
			ends = append(ends, from, from+min(t.length, whole-from))
			from += t.ranks * t.length
		}
		return t.bands(t.dim, ends)
	}
	return t.regularBands(t.dim, from, t.ranks*t.length, n, t.length)
}

func (t turns) allElements() uint64 { return t.elements() }
