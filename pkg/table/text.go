// Package table writes the figures of documents as text for a terminal, and every sample of them as CSV.
package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Text writes the figures of runs, one run after the other. Throughput is in IEC units: 1 GiB/s is 2^30 bytes per second.
func Text(w io.Writer, runs []figures.Run) error {
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
	line := func(s string) { b.WriteString(figures.OneLine(s) + "\n") }
	line(r.Title())
	line(fmt.Sprintf("run %s, %s: %s", r.RunID, r.State, r.Name))
	line(r.Access())
	line(strings.Join(r.Conditions(), ", "))
	if synced(r) {
		line("throughput of writes includes making them durable")
	}
	points := r.Points()
	results(b, points)
	layers(b, r.Layers())
	phases(b, points)
	latencies(b, points)
	remarks(b, "Before believing these figures", r.Warnings())
	remarks(b, "Notes", r.Notes)
	remarks(b, "Errors", r.Failures())
}

func synced(r *figures.Run) bool {
	return slices.ContainsFunc(r.Cases, func(c result.Case) bool {
		return slices.ContainsFunc(c.Samples, func(s result.Sample) bool { return s.Durable != nil })
	})
}

// columns writes rows with their cells below one another. The last cell of a row may be longer than its column.
func columns(b *bytes.Buffer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = figures.OneLine(row[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func results(b *bytes.Buffer, points []figures.Point) {
	if len(points) == 0 {
		b.WriteString("\nNo case was begun.\n")
		return
	}
	rows := [][]string{{"processes", "transfer", "API", "operation", "throughput", stats.Interval, "samples", "marks"}}
	for _, p := range points {
		cells := append(where(p), figures.API(p.Case.API), string(p.Operation))
		if p.Missing != "" {
			rows = append(rows, append(cells, short(p.Missing)))
			continue
		}
		rows = append(rows, append(cells,
			units.FormatRate(p.Rate.Median), p.Rate.Range(units.FormatRate), fmt.Sprint(p.Rate.N), p.Marks()))
	}
	b.WriteString("\n")
	columns(b, rows)
}

// short cuts what would make a line hard to read. An error stands whole below the tables.
func short(reason string) string {
	const most = 100
	if runes := []rune(reason); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return reason
}

// where tells on how many processes and with what transfer size it was measured.
func where(p figures.Point) []string {
	processes := fmt.Sprint(p.Case.Processes)
	if p.Case.Nodes > 1 {
		processes = fmt.Sprintf("%d on %d nodes", p.Case.Processes, p.Case.Nodes)
	}
	return []string{processes, units.FormatBytes(float64(figures.Size(p.Case)))}
}

func layers(b *bytes.Buffer, ratios []figures.Ratio) {
	if len(ratios) == 0 {
		return
	}
	rows := [][]string{{"processes", "transfer", "throughput of", "operation", "ratio", stats.Interval, "samples"}}
	for _, r := range ratios {
		how := ""
		if r.Paired {
			how = " pairs"
		}
		rows = append(rows, append(where(r.Upper), r.Name(), string(r.Upper.Operation),
			figures.FormatRatio(r.Value.Median),
			r.Value.Range(figures.FormatRatio), fmt.Sprint(r.Value.N)+how))
	}
	b.WriteString("\nWhat layers cost: below 1 the upper one is slower\n")
	columns(b, rows)
}

func phases(b *bytes.Buffer, points []figures.Point) {
	synced := false
	for _, p := range points {
		for _, f := range p.Phases {
			synced = synced || f.Name == "sync"
		}
	}
	heading := []string{"processes", "transfer", "API", "operation"}
	for _, name := range figures.PhaseNames {
		if name != "sync" || synced {
			heading = append(heading, name)
		}
	}
	rows := [][]string{heading}
	for _, p := range points {
		if p.Missing != "" {
			continue
		}
		cells := append(where(p), figures.API(p.Case.API), string(p.Operation))
		for _, name := range heading[4:] {
			cells = append(cells, seconds(p.Phases, name))
		}
		rows = append(rows, cells)
	}
	if len(rows) > 1 {
		b.WriteString("\nTime per phase: slowest process, median\n")
		columns(b, rows)
	}
}

// seconds is the time of a phase, or - where the direction has none.
func seconds(phases []figures.Phase, name string) string {
	for _, f := range phases {
		if f.Name == name {
			return units.FormatSeconds(f.Seconds)
		}
	}
	return "-"
}

func latencies(b *bytes.Buffer, points []figures.Point) {
	rows := [][]string{{"processes", "transfer", "API", "operation", "call", "calls", "median", "90 %", "99 %", "99.9 %", "99.99 %", "longest", "slowest rank"}}
	for _, p := range points {
		for _, l := range p.Case.Latencies {
			if p.Missing != "" || l.Operation != p.Operation {
				continue
			}
			cells := append(where(p), figures.API(p.Case.API), string(p.Operation), l.Call, fmt.Sprint(l.Count))
			for _, probability := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
				cells = append(cells, figures.Quantile(l, probability))
			}
			rows = append(rows, append(cells, units.FormatSeconds(l.Max), figures.Slowest(l)))
		}
	}
	if len(rows) > 1 {
		b.WriteString("\nLatency of data calls: so much of them took no longer\n")
		columns(b, rows)
	}
}

func remarks(b *bytes.Buffer, heading string, words []string) {
	if len(words) == 0 {
		return
	}
	b.WriteString("\n" + heading + "\n")
	for _, w := range words {
		b.WriteString("  " + figures.OneLine(w) + "\n")
	}
}
