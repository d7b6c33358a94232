package report

import (
	"bytes"
	"fmt"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// where writes where the time of points goes: their statistics besides throughput. identifying are the columns that
// tell a point from the others.
func where(b *bytes.Buffer, points []figures.Point, identifying []column[figures.Point]) {
	points = slices.DeleteFunc(slices.Clone(points), func(p figures.Point) bool { return len(p.Samples) == 0 })
	if len(points) == 0 {
		return
	}
	columns := slices.Clone(identifying)
	for _, r := range figures.RowsOf(points) {
		columns = append(columns, column[figures.Point]{
			r.Heading, func(p figures.Point) string { return r.Words(p, "-") },
		})
	}
	for _, unit := range figures.Units(points) {
		columns = append(columns, column[figures.Point]{unit + " per second", func(p figures.Point) string {
			return p.UnitRateOf(unit)
		}})
	}
	if slices.ContainsFunc(points, func(p figures.Point) bool { return p.Partial != "" }) {
		columns = append(columns, column[figures.Point]{"marks", func(p figures.Point) string { return p.Partial }})
	}
	rows := [][]string{headings(columns)}
	for _, p := range points {
		rows = append(rows, cells(columns, p))
	}
	b.WriteString("\nWhere the time goes: medians; of a class of steps that of the windows, or of the slowest " +
		"process where there is none.\nVisible is the time on which throughput rests. Metadata is the part of files, " +
		"objects and attributes in all steps but computing.\n")
	b.WriteString(plain.Table(rows))
}

// files writes how large the files are that rank 0 made, and how much data was moved.
func files(b *bytes.Buffer, points []figures.Point) {
	columns := slices.Concat(identified, []column[figures.Point]{
		{"data", func(p figures.Point) string { return units.FormatBytes(float64(p.Bytes())) }},
		{"files", func(p figures.Point) string {
			_, n := figures.FileBytes(p.Case)
			return fmt.Sprint(n)
		}},
		{"size", figures.Point.Excess},
	})
	rows := [][]string{headings(columns)}
	for _, p := range points {
		if p.Operation == result.OperationWrite && p.Excess() != "" {
			rows = append(rows, cells(columns, p))
		}
	}
	if len(rows) > 1 {
		b.WriteString("\nData of an iteration, and the files that rank 0 made\n")
		b.WriteString(plain.Table(rows))
	}
}
