package report

import (
	"fmt"
	"strconv"
)

// size writes a number of bytes in the largest of GB (2^30), MB and KB of which it is a multiple, else in bytes.
func size(n uint64) string {
	for _, unit := range []struct {
		bytes uint64
		name  string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} {
		if n > 0 && n%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", n/unit.bytes, unit.name)
		}
	}
	return strconv.FormatUint(n, 10)
}

// extent writes the sides of a rectangle.
func extent(rows, columns uint64) string { return size(rows) + "x" + size(columns) }

// span writes both ends of a sweep.
func span(from, to string) string { return from + ":" + to }

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)
