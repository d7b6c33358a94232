package report

import "h5perf/pkg/units"

// extent returns the sides of a rectangle as text.
func extent(rows, columns uint64) string { return units.FormatC(rows) + "x" + units.FormatC(columns) }

// span returns both ends of a sweep as text.
func span(from, to string) string { return from + ":" + to }

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)
