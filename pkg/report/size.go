package report

import "h5perf/pkg/units"

// extent writes the sides of a rectangle.
func extent(rows, columns uint64) string { return units.FormatC(rows) + "x" + units.FormatC(columns) }

// span writes both ends of a sweep.
func span(from, to string) string { return from + ":" + to }

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)
