package workload

import (
	"fmt"

	"h5perf/pkg/pattern"
)

// few is a rule for the first ones of the processes. The others have nothing.
type few struct {
	parts
	space
	some uint64
}

// few returns the parts of a dataset that the first Ranks processes share.
func (r Rule) few(dims []uint64, element, ranks uint64) (parts, error) {
	some := r.Ranks
	if some > ranks {
		return nil, fmt.Errorf("the first %d of %d processes: give a number from 1 to %d", some, ranks, ranks)
	}
	r.Ranks = 0
	p, err := r.parts(dims, element, some)
	return few{p, space{dims, element, ranks}, some}, err
}

func (f few) selection(rank uint64) (pattern.Selection, error) {
	if rank >= f.some {
		return pattern.Nothing(f.dims, f.element)
	}
	return f.parts.selection(rank)
}

func (f few) load() Load {
	l := f.parts.load()
	if f.some < f.ranks {
		l.Least = 0
	}
	return l
}
