package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// panelRow is the row of panels in which a point is shown. Reads from the page cache of the client have their own row.
type panelRow int

const (
	writes panelRow = iota
	reads
	warmReads
)

func (r panelRow) String() string { return [...]string{"write", "read", "warm read"}[r] }

// rowOfPoint returns the row in which a point is shown.
func rowOfPoint(p figures.Point) panelRow {
	switch {
	case p.Operation != result.OperationRead:
		return writes
	case p.Cache == figures.CacheWarm:
		return warmReads
	}
	return reads
}

// arrangeInRows sorts panels by row, and returns the indices at which new rows begin. If no row has more than one
// panel, all panels are in one row.
func arrangeInRows[P any](panels []placedPanel[P]) (all []P, starts []int) {
	slices.SortStableFunc(panels, func(a, b placedPanel[P]) int { return cmp.Compare(a.row, b.row) })
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

// placedPanel is a panel and the row of the picture in which it is shown.
type placedPanel[P any] struct {
	row   panelRow
	panel P
}
