package workload

import (
	"errors"

	"h5perf/pkg/pattern"
)

// idle is rule Block or Slab where some processes leave their blocks to others.
type idle struct {
	blocks
	every uint64
}

func (r Rule) idle(b blocks) (parts, error) {
	if r.Idle == 1 {
		return nil, errors.New("one of each 1 processes is idle: give a number from 2 on, or 0 for none")
	}
	return idle{b, r.Idle}, nil
}

func (i idle) selection(rank uint64) (pattern.Selection, error) {
	switch place := rank % i.every; {
	case place == 0 && rank+1 < i.ranks:
		return pattern.Nothing(i.dims, i.element)
	case place != 1:
		return i.blocks.selection(rank)
	}
	start, extent := i.block(rank - 1)
	next, more := i.block(rank)
	switch whole := product(extent); {
	case product(more) == 0:
		return i.box(start, extent)
	case whole == 0:
		return i.box(next, more)
	}
	if d, is := i.joins(start, extent, next, more); is {
		extent[d] += more[d]
		return i.box(start, extent)
	}
	return pattern.Union(i.dims, i.element, append(start, next...), append(extent, more...))
}

// joins reports whether two blocks are one, as they differ in one dimension only, where the second one follows the
// first one.
func (i idle) joins(start, extent, next, more []uint64) (dim int, is bool) {
	dim = -1
	for d := range i.dims {
		switch {
		case start[d] == next[d] && extent[d] == more[d]:
		case dim < 0 && start[d]+extent[d] == next[d]:
			dim = d
		default:
			return 0, false
		}
	}
	return dim, dim >= 0
}

// load follows from that of blocks. No two processes that follow each other have more than the first two: extents do
// not increase from block to block.
func (i idle) load() Load {
	l := i.blocks.load()
	if i.ranks > 1 {
		_, first := i.block(0)
		_, second := i.block(1)
		l.Least, l.Most, l.Runs = 0, product(first)+product(second), 2*l.Runs
	}
	return l
}

// Largest returns a process that has the most, of rules whose parts are hyperslabs.
func (r Rule) Largest(ranks uint64) uint64 {
	if r.Ranks > 0 {
		ranks = min(ranks, r.Ranks)
	}
	if r.Idle > 0 && ranks > 1 {
		return 1
	}
	return 0
}
