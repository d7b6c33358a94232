package workload

import "h5perf/pkg/pattern"

// everything is rules All, Root and None.
type everything struct {
	space
	whole pattern.Selection
	users uint64 // the first so many processes have everything, the others nothing
}

func (e everything) selection(rank uint64) (pattern.Selection, error) {
	if rank < e.users {
		return e.whole, nil
	}
	return pattern.Nothing(e.dims, e.element)
}

func (e everything) load() Load {
	n := e.whole.Elements()
	l := Load{Bytes: e.users * n, Cover: covers(e.users*n, n)}
	if e.users > 1 && n > 0 {
		l.Cover = CoverRepeated
	}
	l.among(e.ranks, counted(e), 0, e.ranks-1)
	return l
}
