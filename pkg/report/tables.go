// This file writes the figures of documents as text for a terminal, and every sample of them as CSV.

package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// WriteTables writes tables with the results of runs, one run after the other. Throughput is in IEC units: 1 GiB/s is
// 2^30 bytes per second.
func WriteTables(w io.Writer, runs []figures.Run) error {
	var b bytes.Buffer
	for i, r := range runs {
		if i > 0 {
			b.WriteString("\n\n")
		}
		r.Freeze()
		writeRunTables(&b, &r)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

func writeRunTables(b *bytes.Buffer, r *figures.Run) {
	line := func(s string) { b.WriteString(plain.Wrap(s) + "\n") }
	line(r.Title())
	line(fmt.Sprintf("run %s, %s: %s", r.RunID, r.State, r.Name))
	if access := r.Access(); access != "" {
		line(access)
	}
	if w := r.Parameters.Workload; w != nil && len(r.Swept) == 0 {
		line("SHA-256 of the workload: " + figures.ShortWorkloadHash(*w))
	}
	line(plain.ConditionsLine(r.Conditions()))
	line(r.ThroughputMeaning())
	if hasDurableSamples(r) {
		line("throughput of writes includes making the data durable")
	}
	points := r.Points()
	identifying := pointColumns(r)
	if len(points) == 0 {
		b.WriteString("\n" + r.NoPointsReason() + "\n")
	} else {
		writeResults(b, points, identifying)
	}
	writeLayerRatios(b, r.LayerRatios(), identifying[:len(identifying)-len(nameColumns)]...)
	writeList(b, "What HDF5 costs: structure is files, objects, attributes, syncing and waiting",
		r.ExtraTimeSentences())
	writeList(b, figures.ObjectsTitle, r.ObjectSentences())
	writeList(b, figures.ChoicesTitle, r.ChoiceSentences())
	writeList(b, figures.StatementsMeaning, r.StatementSentences())
	writeStatistics(b, points, identifying)
	writeFileSizes(b, points, identifying)
	writeFilterTimes(b, points, identifying)
	writeLatencies(b, points, identifying)
	var cautions []string
	for _, c := range r.Cautions(points) {
		cautions = append(cautions, c.String())
	}
	writeList(b, "Cautions", cautions)
	notes := r.Notes
	if note := r.IndependenceNote(points); note != "" {
		notes = append(slices.Clone(notes), note)
	}
	writeList(b, "Notes", notes)
	writeList(b, "Errors", r.Failures())
}

// hasDurableSamples reports whether there is a sample whose measured time includes syncing.
func hasDurableSamples(r *figures.Run) bool {
	return slices.ContainsFunc(r.Cases, func(c result.Case) bool {
		return slices.ContainsFunc(c.Samples, func(s result.Sample) bool { return s.AccessAndSync != nil })
	})
}

// processesColumn shows the number of processes.
var processesColumn = column[figures.Point]{"processes", func(p figures.Point) string {
	if p.Case.Nodes > 1 {
		return fmt.Sprintf("%d on %d nodes", p.Case.Processes, p.Case.Nodes)
	}
	return fmt.Sprint(p.Case.Processes)
}}

// transferColumn shows the transfer size. Tables of workloads do not have it.
var transferColumn = column[figures.Point]{"transfer", figures.Point.TransferText}

// nameColumns shows API and operation.
var nameColumns = []column[figures.Point]{
	{"API", func(p figures.Point) string { return figures.APILabel(p.Case.API) }},
	{"operation", func(p figures.Point) string { return string(p.Operation) }},
}

// sweepColumns and workloadColumns identify a point in the tables of a sweep and of a workload.
var (
	sweepColumns    = slices.Concat([]column[figures.Point]{processesColumn, transferColumn}, nameColumns)
	workloadColumns = slices.Concat([]column[figures.Point]{processesColumn}, nameColumns)
)

// pointColumns returns the columns that identify the points of a run: the values of --sweep come first.
func pointColumns(r *figures.Run) (all []column[figures.Point]) {
	if len(r.Swept) > 0 {
		for i, kv := range r.Swept[0].Values {
			all = append(all, column[figures.Point]{kv.Key, r.SweptValue(i)})
		}
	}
	if !r.HasTransferSize() {
		return append(all, workloadColumns...)
	}
	return append(all, sweepColumns...)
}

// figureColumns shows the results of a point.
var figureColumns = []column[figures.Point]{
	{"throughput", func(p figures.Point) string { return p.Unit.Format(p.Rate.Median) }},
	{stats.Interval, func(p figures.Point) string { return p.Rate.RangeText(p.Unit.Format) }},
	{"samples", func(p figures.Point) string { return fmt.Sprint(p.Rate.N) }},
	{"marks", figures.Point.Marks},
}

// transfersColumn shows how HDF5 executed collective transfers. Tables without such transfers do not have it.
var transfersColumn = column[figures.Point]{"transfers", figures.Point.TransfersText}

// writeResults writes a table of the throughputs of points. The parameter point holds the columns that identify a
// point. If a point has no result, the reason replaces the other columns.
func writeResults(b *bytes.Buffer, points []figures.Point, point []column[figures.Point]) {
	columns := slices.Clone(figureColumns)
	switch w := points[0].Run.Parameters.Workload; {
	case !figures.ShowTransfers(points):
	case w != nil && len(w.Statements) > 0: // it is measured for the transfers
		columns = slices.Insert(columns, 0, transfersColumn)
	default:
		columns = append(columns, transfersColumn)
	}
	rows := [][]string{append(headingCells(point), headingCells(columns)...)}
	for _, p := range points {
		row := rowCells(point, p)
		if p.Missing != "" {
			row = append(row, shortReason(p))
		} else {
			row = append(row, rowCells(columns, p)...)
		}
		rows = append(rows, row)
	}
	b.WriteString("\n")
	b.WriteString(plain.Table(rows, len(point)))
}

// shortReason returns why a point has no result, in about 100 characters. It keeps the last words of an error message,
// because they contain the cause. The whole message is below the tables.
func shortReason(p figures.Point) string {
	const most = 100
	e := p.Case.Error
	if e == nil {
		return lastWords(p.Missing, most)
	}
	return string(p.Case.State) + ": " + lastWords(figures.CauseText(e.Message), most)
}

// ratioColumns shows a ratio of layers. Other columns identify its point.
var ratioColumns = []column[figures.Ratio]{
	{"throughput of", figures.Ratio.Name},
	{"operation", func(r figures.Ratio) string { return string(r.Upper.Operation) }},
	{"ratio", func(r figures.Ratio) string { return figures.FormatRatio(r.Value.Median) }},
	{stats.Interval, func(r figures.Ratio) string { return r.Value.RangeText(figures.FormatRatio) }},
	{"samples", func(r figures.Ratio) string {
		if r.Paired {
			return fmt.Sprint(r.Value.N) + " pairs"
		}
		return fmt.Sprint(r.Value.N)
	}},
}

// writeLayerRatios writes a table of ratios between layers. place holds the columns that identify the point of a ratio,
// such as the number of processes.
func writeLayerRatios(b *bytes.Buffer, ratios []figures.Ratio, place ...column[figures.Point]) {
	if len(ratios) == 0 {
		return
	}
	columns := append(convertColumns(place, func(r figures.Ratio) figures.Point { return r.Upper }), ratioColumns...)
	rows := [][]string{headingCells(columns)}
	for _, r := range ratios {
		rows = append(rows, rowCells(columns, r))
	}
	b.WriteString("\nWhat layers cost: if the ratio is below 1, the upper layer is slower\n")
	b.WriteString(plain.Table(rows, len(place)+2))
}

// timedPoint is a point together with the latencies of its data calls, such as pwrite.
type timedPoint struct {
	point figures.Point
	calls result.Latency
}

// latencyColumns returns the columns of the latency table. The parameter point holds the columns that identify a point.
func latencyColumns(point []column[figures.Point]) []column[timedPoint] {
	columns := append(convertColumns(point, func(t timedPoint) figures.Point { return t.point }), []column[timedPoint]{
		{"call", func(t timedPoint) string { return t.calls.Call }},
		{"calls", func(t timedPoint) string { return fmt.Sprint(t.calls.Count) }},
	}...)
	for _, q := range []struct {
		heading     string
		probability float64
	}{{"median", 0.5}, {"90 %", 0.9}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"99.99 %", 0.9999}} {
		cell := func(t timedPoint) string { return figures.QuantileText(t.calls, q.probability) }
		columns = append(columns, column[timedPoint]{q.heading, cell})
	}
	return append(columns, []column[timedPoint]{
		{"longest", func(t timedPoint) string { return units.FormatSeconds(t.calls.Max) }},
		{"slowest rank", func(t timedPoint) string { return figures.SlowestCallRank(t.calls) }},
	}...)
}

func writeLatencies(b *bytes.Buffer, points []figures.Point, point []column[figures.Point]) {
	columns := latencyColumns(point)
	rows := [][]string{headingCells(columns)}
	for _, p := range points {
		for _, l := range p.Case.Latencies {
			if p.Missing == "" && l.Operation == p.Operation {
				rows = append(rows, rowCells(columns, timedPoint{p, l}))
			}
		}
	}
	if len(rows) > 1 {
		b.WriteString("\nLatency of data calls: the given share of calls took at most this time\n")
		b.WriteString(plain.Table(rows, len(point)))
	}
}

// writeList writes indented lines below a heading. Without lines it writes nothing.
func writeList(b *bytes.Buffer, heading string, words []string) {
	if len(words) == 0 {
		return
	}
	b.WriteString("\n" + heading + "\n")
	for _, w := range words {
		b.WriteString(plain.Wrap("  "+w) + "\n")
	}
}
