package report

import "h5perf/pkg/units"

// extentText returns the sides of a rectangle as text.
func extentText(rows, columns uint64) string {
	return units.FormatC(rows) + "x" + units.FormatC(columns)
}

// rangeText returns both ends of a sweep as text.
func rangeText(from, to string) string { return from + ":" + to }

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)
