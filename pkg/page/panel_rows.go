package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// panelRow is the row of panels in which values of an operation are shown. Reads from the page cache of the client have
// their own row.
type panelRow int

const (
	writes panelRow = iota
	reads
	warmReads
)

func (r panelRow) String() string { return [...]string{"write", "read", "warm read"}[r] }

// rowOf returns the row of an operation. warm says whether reads are from the page cache of the client.
func rowOf(operation result.Operation, warm bool) panelRow {
	switch {
	case operation != result.OperationRead:
		return writes
	case warm:
		return warmReads
	}
	return reads
}

func rowOfPoint(p figures.Point) panelRow { return rowOf(p.Operation, p.Cache == figures.CacheWarm) }

// arrangeInRows sorts panels by row. If no row has more than one panel, it puts all panels into one row.
func arrangeInRows(panels []Panel) []Panel {
	slices.SortStableFunc(panels, func(a, b Panel) int { return cmp.Compare(a.Row, b.Row) })
	if len((Picture{Panels: panels}).Rows()) == len(panels) {
		for i := range panels {
			panels[i].Row = 0
		}
	}
	return panels
}
