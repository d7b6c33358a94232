package workload

import (
	"fmt"

	"h5perf/pkg/pattern"
)

// slice is rule Slice.
type slice struct {
	space
	dim    int
	index  uint64
	shared int // dimension that processes share, or -1: process 0 has the only element
}

func (r Rule) slice(s space) (parts, error) {
	d, err := r.dim(s)
	if err != nil {
		return nil, err
	}
	if r.Index >= s.dims[d] {
		return nil, fmt.Errorf("index %d in dimension %d of extent %d: give a number below the extent", r.Index, d,
			s.dims[d])
	}
	shared := 0
	switch {
	case len(s.dims) == 1:
		shared = -1
	case d == 0:
		shared = 1
	}
	return slice{s, d, r.Index, shared}, nil
}

func (s slice) selection(rank uint64) (pattern.Selection, error) {
	start, extent := make([]uint64, len(s.dims)), append([]uint64(nil), s.dims...)
	if s.shared < 0 {
		extent[0] = 0
		if rank == 0 {
			start[0], extent[0] = s.index, 1
		}
		return s.box(start, extent)
	}
	from, to := Share(s.dims[s.shared], rank, s.ranks)
	start[s.shared], extent[s.shared] = from, to-from
	start[s.dim], extent[s.dim] = s.index, 1
	return s.box(start, extent)
}

func (s slice) load() Load {
	n := s.rest(s.dim)
	l := Load{Bytes: n, Cover: covers(n, s.elements())}
	l.among(s.ranks, counted(s), 0, s.ranks-1)
	return l
}

// square checks that the dataset has two dimensions, and that a width is from 1 to most in both. It returns their
// extents.
func (r Rule) square(s space, parts uint64) (rows, columns uint64, err error) {
	if len(s.dims) != 2 {
		return 0, 0, fmt.Errorf("it is for 2 dimensions, not for %d", len(s.dims))
	}
	if most := min(s.dims[0], s.dims[1]) / parts; r.Width == 0 || r.Width > most {
		return 0, 0, fmt.Errorf("width %d in %v: give a width from 1 to %d", r.Width, s.dims, most)
	}
	return s.dims[0], s.dims[1], nil
}

// frame is rule Frame.
type frame struct {
	space
	rows, columns, width uint64
}

func (r Rule) frame(s space) (parts, error) {
	rows, columns, err := r.square(s, 2)
	return frame{s, rows, columns, r.Width}, err
}

// split returns how many rows of the top, the middle and the bottom a process has, and its first row.
func (f frame) split(rank uint64) (first, top, middle, bottom uint64) {
	from, to := Share(f.rows, rank, f.ranks)
	within := func(low, high uint64) uint64 {
		low, high = max(low, from), min(high, to)
		return max(low, high) - low
	}
	return from, within(0, f.width), within(f.width, f.rows-f.width), within(f.rows-f.width, f.rows)
}

func (f frame) selection(rank uint64) (pattern.Selection, error) {
	row, top, middle, bottom := f.split(rank)
	var start, extent []uint64
	add := func(row, rows, column, columns uint64) {
		if rows > 0 {
			start, extent = append(start, row, column), append(extent, rows, columns)
		}
	}
	add(row, top, 0, f.columns)
	add(row+top, middle, 0, f.width)
	add(row+top, middle, f.columns-f.width, f.width)
	add(row+top+middle, bottom, 0, f.columns)
	return pattern.Union(f.dims, f.element, start, extent)
}

// part returns the number of elements and runs of a process. Each row of the middle has one gap, unless the frame has
// none.
func (f frame) part(rank uint64) (elements, runs uint64) {
	_, top, middle, bottom := f.split(rank)
	elements = (top+bottom)*f.columns + middle*2*f.width
	switch {
	case elements == 0:
		return 0, 0
	case 2*f.width == f.columns:
		return elements, 1
	}
	return elements, middle + 1
}

func (f frame) load() Load {
	all := f.elements()
	n := all - (f.rows-2*f.width)*(f.columns-2*f.width)
	l := Load{Bytes: n, Cover: covers(n, all)}
	more := f.rows % f.ranks // so many processes have one row more
	below, above := Holder(f.width, f.rows, f.ranks), Holder(f.rows-f.width, f.rows, f.ranks)
	l.among(f.ranks, f.part, 0, more-1, more, f.ranks-1, below-1, below, below+1, above-1, above, above+1)
	return l
}

// corners is rule Corners.
type corners struct {
	space
	rows, columns, width uint64
	anti                 bool
}

func (r Rule) corners(s space) (parts, error) {
	rows, columns, err := r.square(s, 2)
	return corners{s, rows, columns, r.Width, r.Anti}, err
}

func (c corners) selection(rank uint64) (pattern.Selection, error) {
	from, to := Share(2*c.width, rank, c.ranks)
	column, other := uint64(0), c.columns-c.width
	if c.anti {
		column, other = other, column
	}
	var start, extent []uint64
	if end := min(to, c.width); from < end {
		start, extent = append(start, from, column), append(extent, end-from, c.width)
	}
	if begin := max(from, c.width); begin < to {
		start, extent = append(start, c.rows-2*c.width+begin, other), append(extent, to-begin, c.width)
	}
	return pattern.Union(c.dims, c.element, start, extent)
}

// part returns the number of elements and runs of a process: a run for each row, unless both corners meet.
func (c corners) part(rank uint64) (elements, runs uint64) {
	from, to := Share(2*c.width, rank, c.ranks)
	runs = to - from
	if c.anti && from < c.width && to > c.width && c.rows == 2*c.width {
		runs--
	}
	return (to - from) * c.width, runs
}

func (c corners) load() Load {
	l := Load{Bytes: 2 * c.width * c.width, Cover: CoverPart}
	l.among(c.ranks, c.part, 0, c.ranks-1)
	return l
}

// diagonal is rule Diagonal.
type diagonal struct {
	space
	columns, width uint64
	blocks         uint64
}

func (r Rule) diagonal(s space) (parts, error) {
	rows, columns, err := r.square(s, 1)
	if err != nil {
		return nil, err
	}
	return diagonal{s, columns, r.Width, min(rows, columns) / r.Width}, nil
}

func (g diagonal) selection(rank uint64) (pattern.Selection, error) {
	from, to := Share(g.blocks, rank, g.ranks)
	var start, extent []uint64
	for i := from; i < to; i++ {
		start, extent = append(start, i*g.width, i*g.width), append(extent, g.width, g.width)
	}
	return pattern.Union(g.dims, g.element, start, extent)
}

// part returns the number of elements and runs of a process.
func (g diagonal) part(rank uint64) (elements, runs uint64) {
	from, to := Share(g.blocks, rank, g.ranks)
	n := to - from
	if g.width == g.columns {
		return n * g.width * g.width, n
	}
	return n * g.width * g.width, n * g.width
}

func (g diagonal) load() Load {
	n := g.blocks * g.width * g.width
	l := Load{Bytes: n, Cover: covers(n, g.elements())}
	l.among(g.ranks, g.part, 0, g.ranks-1)
	return l
}
