package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// row is the row of panels to which a point belongs. Reads from the memory of the client are apart from others.
type row int

const (
	writes row = iota
	reads
	warmReads
)

func (r row) String() string { return [...]string{"write", "read", "warm read"}[r] }

// rowOf returns the row of a point.
func rowOf(p figures.Point) row {
	switch {
	case p.Operation != result.OperationRead:
		return writes
	case p.Cache == figures.CacheWarm:
		return warmReads
	}
	return reads
}

// inRows returns panels in the order of their rows, and the indices at which rows begin. If no row has more than one
// panel, all are in one row.
func inRows[P any](panels []placed[P]) (all []P, starts []int) {
	slices.SortStableFunc(panels, func(a, b placed[P]) int { return cmp.Compare(a.row, b.row) })
	several := false
	for i, p := range panels {
		all = append(all, p.panel)
		switch {
		case i == 0:
		case p.row != panels[i-1].row:
			starts = append(starts, i)
		default:
			several = true
		}
	}
	if !several {
		return all, nil
	}
	return all, starts
}

// placed is a panel with its row.
type placed[P any] struct {
	row   row
	panel P
}
