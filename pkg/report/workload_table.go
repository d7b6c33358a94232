package report

import (
	"bytes"
	"fmt"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// workloadColumns holds the columns with the figures of a point of a workload.
var workloadColumns = []column[figures.Point]{
	{"visible rate", func(p figures.Point) string { return units.FormatRate(p.Rate.Median) }},
	{stats.Interval, func(p figures.Point) string { return p.Rate.Range(units.FormatRate) }},
	{"samples", func(p figures.Point) string { return fmt.Sprint(p.Rate.N) }},
	{"transfer rate", figures.Point.TransferRateWords},
	{"metadata", figures.Point.MetadataWords},
	{figures.SlowestHeading, figures.Point.SlowestWords},
	{"marks", figures.Point.Marks},
}

// classes writes the times of the classes of points. identifying are the columns that tell a point from the others.
func classes(b *bytes.Buffer, points []figures.Point, identifying []column[figures.Point]) {
	points = slices.DeleteFunc(slices.Clone(points), func(p figures.Point) bool { return len(p.Samples) == 0 })
	if len(points) == 0 {
		return
	}
	columns := slices.Concat(identifying, []column[figures.Point]{{"visible", func(p figures.Point) string {
		return units.FormatSeconds(p.Visible().Median)
	}}})
	for _, class := range figures.ClassesOf(points) {
		columns = append(columns, column[figures.Point]{string(class), func(p figures.Point) string {
			if t, ok := p.ClassTime(class); ok {
				return units.FormatSeconds(t.Seconds)
			}
			return "-"
		}})
	}
	planned := func(p figures.Point) string {
		seconds, _ := p.Computing()
		return units.FormatSeconds(seconds)
	}
	if slices.ContainsFunc(points, func(p figures.Point) bool { return planned(p) != "0 s" }) {
		columns = append(columns, column[figures.Point]{"compute, planned", planned},
			column[figures.Point]{"utilisation", figures.Point.UtilisationWords})
	}
	for _, unit := range figures.Units(points) {
		columns = append(columns, column[figures.Point]{unit + " per second", func(p figures.Point) string {
			return p.UnitRateOf(unit)
		}})
	}
	rows := [][]string{headings(columns)}
	for _, p := range points {
		rows = append(rows, cells(columns, p))
	}
	b.WriteString("\nTime of each class of steps: median of windows, or of the slowest process where there is none\n")
	aligned(b, rows)
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
		aligned(b, rows)
	}
}
