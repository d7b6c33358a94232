package workload

import (
	"fmt"
	"slices"

	"h5perf/pkg/pattern"
)

// slice is rule Slice.
type slice struct {
	space
	dim    int
	index  uint64
	shared int // dimension that processes share; if there is none of this number, process 0 has the only element
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
	if d == 0 {
		shared = 1
	}
	return slice{s, d, r.Index, shared}, nil
}

func (s slice) selection(rank uint64) (pattern.Selection, error) {
	start, extent := make([]uint64, len(s.dims)), slices.Clone(s.dims)
	start[s.dim], extent[s.dim] = s.index, 1
	if s.shared < len(s.dims) {
		from, to := Share(s.dims[s.shared], rank, s.ranks)
		start[s.shared], extent[s.shared] = from, to-from
	} else if rank > 0 {
		return pattern.Nothing(s.dims, s.element)
	}
	return s.box(start, extent)
}

func (s slice) allElements() uint64 { return s.rest(s.dim) }

// checkSquare returns an error unless the dataset has two dimensions, and the width is from 1 to a part of both.
func (r Rule) checkSquare(s space, parts uint64) error {
	if len(s.dims) != 2 {
		return fmt.Errorf("it is for 2 dimensions, not for %d", len(s.dims))
	}
	if most := min(s.dims[0], s.dims[1]) / parts; r.Width == 0 || r.Width > most {
		return fmt.Errorf("width %d in %v: give a width from 1 to %d", r.Width, s.dims, most)
	}
	return nil
}

// frame is rule Frame.
type frame struct {
	space
	width uint64
}

func (r Rule) frame(s space) (parts, error) {
	return frame{s, r.Width}, r.checkSquare(s, 2)
}

func (f frame) selection(rank uint64) (pattern.Selection, error) {
	rows, columns := f.dims[0], f.dims[1]
	from, to := Share(rows, rank, f.ranks)
	var start, extent []uint64
	add := func(low, high, column, columns uint64) { // rows of the process from low to before high
		if low, high = max(low, from), min(high, to); low < high {
			start, extent = append(start, low, column), append(extent, high-low, columns)
		}
	}
	add(0, f.width, 0, columns)
	add(f.width, rows-f.width, 0, f.width)
	add(f.width, rows-f.width, columns-f.width, f.width)
	add(rows-f.width, rows, 0, columns)
	return pattern.Union(f.dims, f.element, start, extent)
}

func (f frame) allElements() uint64 {
	return f.elements() - (f.dims[0]-2*f.width)*(f.dims[1]-2*f.width)
}

// corners is rule Corners.
type corners struct {
	space
	width uint64
	anti  bool
}

func (r Rule) corners(s space) (parts, error) {
	return corners{s, r.Width, r.Anti}, r.checkSquare(s, 2)
}

func (c corners) selection(rank uint64) (pattern.Selection, error) {
	from, to := Share(2*c.width, rank, c.ranks)
	column, other := uint64(0), c.dims[1]-c.width
	if c.anti {
		column, other = other, column
	}
	var start, extent []uint64
	if end := min(to, c.width); from < end {
		start, extent = append(start, from, column), append(extent, end-from, c.width)
	}
	if begin := max(from, c.width); begin < to {
		start, extent = append(start, c.dims[0]-2*c.width+begin, other), append(extent, to-begin, c.width)
	}
	return pattern.Union(c.dims, c.element, start, extent)
}

func (c corners) allElements() uint64 { return 2 * c.width * c.width }

// diagonal is rule Diagonal.
type diagonal struct {
	space
	width, blocks uint64
}

func (r Rule) diagonal(s space) (parts, error) {
	if err := r.checkSquare(s, 1); err != nil {
		return nil, err
	}
	return diagonal{s, r.Width, min(s.dims[0], s.dims[1]) / r.Width}, nil
}

func (g diagonal) selection(rank uint64) (pattern.Selection, error) {
	from, to := Share(g.blocks, rank, g.ranks)
	var start, extent []uint64
	for i := from; i < to; i++ {
		start, extent = append(start, i*g.width, i*g.width), append(extent, g.width, g.width)
	}
	return pattern.Union(g.dims, g.element, start, extent)
}

func (g diagonal) allElements() uint64 { return g.blocks * g.width * g.width }
