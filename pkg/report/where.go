package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// writeStatistics writes tables with all statistics of points except throughput. They show for what the time was used.
// identifying holds the columns that identify a point.
func writeStatistics(b *bytes.Buffer, points []figures.Point, identifying []column[figures.Point]) {
	points = withSamples(points)
	whole, calls, _, _ := statisticColumns(points)
	rates, classes := statisticsByDirection(points)
	writeMedians(b,
		"Where the time goes: medians. Visible is the time on which throughput rests. "+figures.MetadataMeaning+
			" "+figures.OwnMedians, identifying, statisticsTable{points, whole})
	writeMedians(b, callsTitle, identifying, statisticsTable{points, calls})
	writeMedians(b, ratesTitle, identifying, rates...)
	writeMedians(b,
		"Time of each class of steps: medians of the windows, or of the slowest process where there is none.",
		identifying, classes...)
}

// ratesTitle is the title of the table of objects per second.
var ratesTitle = fmt.Sprintf("Objects per second of each class of steps: medians, with their %ss. What all ranks do "+
	"together counts once. To the close: with the time to flush and close. Classes of fewer than %d objects have none.",
	stats.Interval, workload.MinRatedObjects)

// callsTitle is the title of the table of calls.
const callsTitle = "Calls of an iteration: medians of sums over processes. MPI-IO makes some of the calls of POSIX."

// writeCalls writes the tables of calls and of objects per second alone.
func writeCalls(b io.StringWriter, r *figures.Run) {
	points := withSamples(r.Points())
	_, calls, _, _ := statisticColumns(points)
	rates, _ := statisticsByDirection(points)
	writeMedians(b, callsTitle, pointColumns(r), statisticsTable{points, calls})
	writeMedians(b, ratesTitle, pointColumns(r), rates...)
}

// withSamples returns the points that have samples.
func withSamples(points []figures.Point) []figures.Point {
	return slices.DeleteFunc(slices.Clone(points), func(p figures.Point) bool { return len(p.Samples) == 0 })
}

// statisticColumns returns a column for each statistic of points, by what it is about: the point as a whole, its calls,
// its objects per second, or the time of a class of steps.
func statisticColumns(points []figures.Point) (whole, calls, rates, classes []column[figures.Point]) {
	for _, r := range figures.RowsOf(points) {
		of := &whole
		switch {
		case r.Counted != "":
			of = &calls
		case r.Unit.Suffix == figures.ObjectsRate.Suffix:
			of = &rates
		case r.Class != "":
			of = &classes
		}
		*of = append(*of, medianColumn(r))
	}
	for _, unit := range figures.UnitNames(points) {
		whole = append(whole, column[figures.Point]{unit + " per second", func(p figures.Point) string {
			return p.UnitRateText(unit)
		}})
	}
	return whole, calls, rates, classes
}

// statisticsTable is a table with a row for each point and a column for each statistic.
type statisticsTable struct {
	points  []figures.Point
	columns []column[figures.Point]
}

// statisticsByDirection returns tables of the objects per second, and of the times of classes of steps: one of writes
// and one of reads, which have other classes.
func statisticsByDirection(points []figures.Point) (rates, classes []statisticsTable) {
	for _, operation := range result.ValuesOf[result.Operation]() {
		some := slices.DeleteFunc(slices.Clone(points),
			func(p figures.Point) bool { return p.Operation != operation })
		_, _, r, c := statisticColumns(some)
		rates, classes = append(rates, statisticsTable{some, r}), append(classes, statisticsTable{some, c})
	}
	return rates, classes
}

// noValue is the cell of a statistic that a point does not have.
const noValue = "-"

// medianColumn returns a column with the median of a statistic.
func medianColumn(r figures.Row) column[figures.Point] {
	return column[figures.Point]{r.Heading, func(p figures.Point) string { return r.PointText(p, noValue) }}
}

// writeMedians writes tables with the medians of statistics below a title, if there are any. It leaves out points that
// have none of the statistics of their table.
func writeMedians(b io.StringWriter, title string, identifying []column[figures.Point], tables ...statisticsTable) {
	for _, t := range tables {
		labels := identifying
		if slices.ContainsFunc(t.points,
			func(p figures.Point) bool { return p.Partial != "" }) { // in each block of the table
			mark := column[figures.Point]{"marks", func(p figures.Point) string { return p.Partial }}
			labels = slices.Concat(identifying, []column[figures.Point]{mark})
		}
		rows := [][]string{slices.Concat(headingCells(labels), headingCells(t.columns))}
		for _, p := range t.points {
			cells := rowCells(t.columns, p)
			if slices.ContainsFunc(cells, func(cell string) bool { return cell != noValue }) {
				rows = append(rows, slices.Concat(rowCells(labels, p), cells))
			}
		}
		if len(rows) == 1 {
			continue
		}
		if title != "" {
			title = plain.Wrap(title) + "\n"
		}
		_, _ = b.WriteString("\n" + title + plain.Table(rows, len(labels))) // to memory
		title = ""
	}
}

// writeFileSizes writes a table with the size of the files that rank 0 created, and the amount of data that was
// written. identifying holds the columns that identify a point.
func writeFileSizes(b *bytes.Buffer, points []figures.Point, identifying []column[figures.Point]) {
	columns := slices.Concat(identifying, []column[figures.Point]{
		{"data", func(p figures.Point) string { return units.FormatBytes(float64(p.BytesPerSample())) }},
		{"files", func(p figures.Point) string {
			_, n := figures.FileBytes(p.Case)
			return fmt.Sprint(n)
		}},
		{"size", figures.Point.FileSizeText},
	})
	rows := [][]string{headingCells(columns)}
	for _, p := range points {
		if p.Operation == result.OperationWrite && p.FileSizeText() != "" {
			rows = append(rows, rowCells(columns, p))
		}
	}
	if len(rows) > 1 {
		b.WriteString("\nData of an iteration, and the files that rank 0 made; sizes include parts never written\n")
		b.WriteString(plain.Table(rows, len(identifying)))
	}
}

// writeFilterTimes writes a table of the processor times of filters.
func writeFilterTimes(b *bytes.Buffer, points []figures.Point, identifying []column[figures.Point]) {
	rows := [][]string{append(headingCells(identifying), "dataset", "filters", "size", "to write", "to read")}
	for _, p := range points {
		if p.Operation != result.OperationWrite {
			continue
		}
		for _, f := range p.Case.FilterTimes {
			rows = append(rows, append(rowCells(identifying, p), f.Dataset, strings.Join(f.Filters, ", "),
				units.FormatBytes(float64(f.Bytes)), figures.FilterTimeText(f.Bytes, f.Write-f.WriteWithout),
				figures.FilterTimeText(f.Bytes, f.Read-f.ReadWithout)))
		}
	}
	if len(rows) > 1 {
		b.WriteString("\nProcessor time of the filters themselves, for one process, in memory\n")
		b.WriteString(plain.Table(rows, len(identifying)+2))
	}
}
