package report

import "h5perf/pkg/units"

// extentText formats the two sides of a rectangle.
func extentText(rows, columns uint64) string {
	return units.FormatLikeCTools(rows) + "x" + units.FormatLikeCTools(columns)
}

// rangeText formats the smallest and the largest value of a sweep.
func rangeText(from, to string) string { return from + ":" + to }

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)
