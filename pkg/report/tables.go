// This file writes the figures of documents as text for a terminal, and every sample of them as CSV.

package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// WriteTables writes tables of the figures of runs, one run after the other. Throughput is in IEC units: 1 GiB/s is
// 2^30 bytes per second.
func WriteTables(w io.Writer, runs []figures.Run) error {
	var b bytes.Buffer
	for i := range runs {
		if i > 0 {
			b.WriteString("\n\n")
		}
		text(&b, &runs[i])
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

func text(b *bytes.Buffer, r *figures.Run) {
	line := func(s string) { b.WriteString(plain.Wrap(s) + "\n") }
	line(r.Title())
	line(fmt.Sprintf("run %s, %s: %s", r.RunID, r.State, r.Name))
	line(r.Access())
	if w := r.Parameters.Workload; w != nil {
		line("SHA-256 of the workload: " + figures.Fingerprint(*w))
	}
	line(plain.Conditions(r.Conditions()))
	line(r.RateMeaning())
	if synced(r) {
		line("throughput of writes includes making the data durable")
	}
	points := r.Points()
	identifying := identifying(r)
	if len(points) == 0 {
		b.WriteString("\n" + r.WithoutPoints() + "\n")
	} else {
		results(b, points, identifying)
	}
	layers(b, r.Layers(), identifying[:len(identifying)-len(named)]...)
	list(b, "What HDF5 costs: structure is files, objects, attributes, syncing and waiting", r.CostWords())
	where(b, points, identifying)
	files(b, points, identifying)
	latencies(b, points, identifying)
	var cautions []string
	for _, c := range r.Cautions(points) {
		cautions = append(cautions, c.String())
	}
	list(b, "Cautions", cautions)
	list(b, "Notes", r.Notes)
	list(b, "Errors", r.Failures())
}

// synced reports whether a sample includes making data durable.
func synced(r *figures.Run) bool {
	return slices.ContainsFunc(r.Cases, func(c result.Case) bool {
		return slices.ContainsFunc(c.Samples, func(s result.Sample) bool { return s.Durable != nil })
	})
}

// processes is the column with the number of processes.
var processes = column[figures.Point]{"processes", func(p figures.Point) string {
	if p.Case.Nodes > 1 {
		return fmt.Sprintf("%d on %d nodes", p.Case.Processes, p.Case.Nodes)
	}
	return fmt.Sprint(p.Case.Processes)
}}

// sized is the column with the transfer size. A table of a workload, which has none, is without it.
var sized = column[figures.Point]{"transfer", figures.Point.What}

// named holds the columns with API and operation.
var named = []column[figures.Point]{
	{"API", func(p figures.Point) string { return figures.API(p.Case.API) }},
	{"operation", func(p figures.Point) string { return string(p.Operation) }},
}

// point and identified hold the columns that identify a point, of a sweep and of a workload.
var (
	point      = slices.Concat([]column[figures.Point]{processes, sized}, named)
	identified = slices.Concat([]column[figures.Point]{processes}, named)
)

// identifying returns the columns that identify the points of a run.
func identifying(r *figures.Run) []column[figures.Point] {
	if !r.Sized() {
		return identified
	}
	return point
}

// figureColumns holds the columns with the figures of a point.
var figureColumns = []column[figures.Point]{
	{"throughput", func(p figures.Point) string { return units.FormatRate(p.Rate.Median) }},
	{stats.Interval, func(p figures.Point) string { return p.Rate.Range(units.FormatRate) }},
	{"samples", func(p figures.Point) string { return fmt.Sprint(p.Rate.N) }},
	{"marks", figures.Point.Marks},
}

// results writes the throughputs of points. point are the columns that identify one. In place of the others a reason
// stands where there is no figure.
func results(b *bytes.Buffer, points []figures.Point, point []column[figures.Point]) {
	rows := [][]string{append(headings(point), headings(figureColumns)...)}
	for _, p := range points {
		row := cells(point, p)
		if p.Missing != "" {
			row = append(row, short(p))
		} else {
			row = append(row, cells(figureColumns, p)...)
		}
		rows = append(rows, row)
	}
	b.WriteString("\n")
	b.WriteString(plain.Table(rows, len(point)))
}

// path matches the path of a file in a message, and the blank before it.
var path = regexp.MustCompile(`(^| )/[^ :]*`)

// short returns why a point has no figure, in about 100 characters: of the message of an error, its last words, which
// have the cause, without paths of files. The whole text stands below the tables.
func short(p figures.Point) string {
	const most = 100
	e := p.Case.Error
	if e == nil {
		return tail(p.Missing, most)
	}
	return string(p.Case.State) + ": " + tail(strings.TrimSpace(path.ReplaceAllString(plain.Line(e.Message), "")), most)
}

// related holds the columns of a ratio of layers, without those of its place.
var related = []column[figures.Ratio]{
	{"throughput of", figures.Ratio.Name},
	{"operation", func(r figures.Ratio) string { return string(r.Upper.Operation) }},
	{"ratio", func(r figures.Ratio) string { return figures.FormatRatio(r.Value.Median) }},
	{stats.Interval, func(r figures.Ratio) string { return r.Value.Range(figures.FormatRatio) }},
	{"samples", func(r figures.Ratio) string {
		if r.Paired {
			return fmt.Sprint(r.Value.N) + " pairs"
		}
		return fmt.Sprint(r.Value.N)
	}},
}

// layers writes ratios of layers. place are the columns that tell where they are from.
func layers(b *bytes.Buffer, ratios []figures.Ratio, place ...column[figures.Point]) {
	if len(ratios) == 0 {
		return
	}
	columns := append(through(place, func(r figures.Ratio) figures.Point { return r.Upper }), related...)
	rows := [][]string{headings(columns)}
	for _, r := range ratios {
		rows = append(rows, cells(columns, r))
	}
	b.WriteString("\nWhat layers cost: if the ratio is below 1, the upper layer is slower\n")
	b.WriteString(plain.Table(rows, len(place)+2))
}

// timed is a point with the latencies of its data calls.
type timed struct {
	point figures.Point
	calls result.Latency
}

// distribution returns the columns of the latencies of data calls. point are those that identify a point.
func distribution(point []column[figures.Point]) []column[timed] {
	columns := append(through(point, func(t timed) figures.Point { return t.point }), []column[timed]{
		{"call", func(t timed) string { return t.calls.Call }},
		{"calls", func(t timed) string { return fmt.Sprint(t.calls.Count) }},
	}...)
	for _, q := range []struct {
		heading     string
		probability float64
	}{{"median", 0.5}, {"90 %", 0.9}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"99.99 %", 0.9999}} {
		cell := func(t timed) string { return figures.Quantile(t.calls, q.probability) }
		columns = append(columns, column[timed]{q.heading, cell})
	}
	return append(columns, []column[timed]{
		{"longest", func(t timed) string { return units.FormatSeconds(t.calls.Max) }},
		{"slowest rank", func(t timed) string { return figures.Slowest(t.calls) }},
	}...)
}

func latencies(b *bytes.Buffer, points []figures.Point, point []column[figures.Point]) {
	columns := distribution(point)
	rows := [][]string{headings(columns)}
	for _, p := range points {
		for _, l := range p.Case.Latencies {
			if p.Missing == "" && l.Operation == p.Operation {
				rows = append(rows, cells(columns, timed{p, l}))
			}
		}
	}
	if len(rows) > 1 {
		b.WriteString("\nLatency of data calls: the given share of calls took at most this time\n")
		b.WriteString(plain.Table(rows, len(point)))
	}
}

// list writes lines below a heading, or nothing without lines.
func list(b *bytes.Buffer, heading string, words []string) {
	if len(words) == 0 {
		return
	}
	b.WriteString("\n" + heading + "\n")
	for _, w := range words {
		b.WriteString(plain.Wrap("  "+w) + "\n")
	}
}
