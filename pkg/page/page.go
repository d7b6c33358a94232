// Package page makes a page of documents: pictures, tables and text, in one HTML file that needs no other file, no
// network and no script.
package page

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"sync"

	"h5perf/pkg/chart"
	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

//go:embed page.html
var source string

//go:embed page.css
var sheet string

// templates returns the template of the page. It escapes all text of documents, except in pictures, in which package
// chart has escaped it.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"api": figures.API, "rate": units.FormatRate, "ratio": figures.FormatRatio, "seconds": units.FormatSeconds,
		"rates":     func(v figures.Value) string { return v.Range(units.FormatRate) },
		"ratios":    func(v figures.Value) string { return v.Range(figures.FormatRatio) },
		"interval":  func() string { return stats.Interval },
		"processes": processes, "quantile": figures.Quantile, "slowest": figures.Slowest,
		"class": classTime, "planned": func(p figures.Point) string {
			planned, _ := p.Computing()
			return units.FormatSeconds(planned)
		},
		"basis": figures.Basis, "marks": result.All[result.Mark], "meaning": figures.MarkMeaning,
	}).Parse(source))
})

// Output is the page as a file.
var Output = output.Kind{
	Name: "page", Own: regexp.MustCompile(`(?s)^<!DOCTYPE html>.*<title>h5perf: `).Match, Once: true,
}

// Picture is a picture of figures as a file.
var Picture = output.Kind{Name: "picture", Own: chart.Signed, Once: true}

// shownPanels is the number of panels of a figure that are shown at first. The others are folded.
const shownPanels = 6

// shownRuns is the number of runs that are listed at first. The others are folded.
const shownRuns = 8

type view struct {
	Title   string
	Style   template.CSS
	Runs    []run
	First   []run // the runs that are listed at first
	Further []run // the runs that are folded
	Figures []figure
	Best    []best
	Logs    []log // of runs over time

	Warnings []warning
}

// warning is a warning about some runs.
type warning struct {
	Text string
	Runs string // which runs; "" for all
}

type run struct {
	*figures.Run
	Points  []figures.Point
	Layers  []figures.Ratio
	Facts   []fact
	Latency bool
	Classes []figures.ClassTime // of a workload: all classes that any point has
}

// Sweep reports whether the run has transfer sizes and phases, and is no workload.
func (r run) Sweep() bool { return r.Parameters.Workload == nil }

// Computes reports whether processes were to compute between steps.
func (r run) Computes() bool {
	return slices.ContainsFunc(r.Points, func(p figures.Point) bool {
		planned, _ := p.Computing()
		return planned > 0
	})
}

type figure struct {
	Name, Title, Caption string
	Keys                 []picture
	Panels, More         []picture
}

// picture is drawn when it is written: all pictures of a page together would not fit into memory.
type picture struct {
	Name  string
	panel chart.Panel
	Slim  *picture // what is shown in place of a wide picture where the page is narrow
	First bool     // begins a row
}

// SVG returns the picture, in which package chart has escaped all text.
func (p picture) SVG() (template.HTML, error) {
	svg, err := chart.SVG(p.panel)
	return template.HTML(svg), err //nolint:gosec // chart escapes
}

// Write writes the page of runs as HTML. Runs of one timeline of the trend are shown together, over time; without
// timelines, each is shown alone. After an error, what was written is part of a page.
func Write(w io.Writer, all []figures.Run, trend history.Trend) error {
	lines := timelines(all, trend)
	runs := alone(all, lines)
	v := view{Title: title(all), Logs: logs(lines)}
	v.Style = template.CSS(chart.Style() + sheet) //nolint:gosec // our own text
	var points [][]figures.Point
	for i := range runs {
		points = append(points, runs[i].Points())
		r := run{Run: &runs[i], Points: points[i], Layers: runs[i].Layers(), Facts: facts(&runs[i])}
		if !r.Sweep() {
			r.Classes = classesOf(r.Points)
		}
		for _, c := range r.Cases {
			r.Latency = r.Latency || len(c.Latencies) > 0
		}
		v.Runs = append(v.Runs, r)
	}
	v.First, v.Further = v.Runs[:min(len(runs), shownRuns)], v.Runs[min(len(runs), shownRuns):]
	v.Best, v.Warnings = bests(figures.APIs(runs), v.Runs), warnings(runs)
	for _, f := range slices.Concat(overTime(all, lines), drawings(runs, points)) {
		v.Figures = append(v.Figures, pictures(f))
	}
	out := bufio.NewWriter(w)
	if err := templates().Execute(plain.Writer(out), v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// warnings returns the warnings of all runs, each once.
func warnings(runs []figures.Run) []warning {
	type said struct {
		text string
		run  *figures.Run
	}
	var all []said
	for i := range runs {
		for _, text := range runs[i].Warnings() {
			all = append(all, said{text, &runs[i]})
		}
	}
	var out []warning
	for _, g := range grouped(all, func(s said) string { return s.text }) {
		w := warning{Text: g.key}
		switch n := len(g.items); n {
		case len(runs):
		case 1:
			w.Runs = "(" + g.items[0].run.Title() + ")"
		default:
			w.Runs = fmt.Sprintf("(%d of %d runs)", n, len(runs))
		}
		out = append(out, w)
	}
	return out
}

func title(runs []figures.Run) string {
	if len(runs) == 1 {
		return runs[0].Place()
	}
	places := map[string]bool{}
	for i := range runs {
		places[runs[i].Place()] = true
	}
	if len(places) == 1 {
		return fmt.Sprintf("%d runs on %s", len(runs), runs[0].Place())
	}
	return fmt.Sprintf("%d runs on %d file systems", len(runs), len(places))
}

func pictures(f chart.Figure) figure {
	out := figure{Name: f.Name, Title: f.Title, Caption: f.Caption}
	for _, k := range f.Keys {
		out.Keys = append(out.Keys, picture{Name: k.Name, panel: k})
	}
	shown := shownPanels
	for i, p := range f.Panels {
		drawn := picture{Name: p.Label(), panel: p, First: i > 0 && chart.Kind(p) != chart.Kind(f.Panels[i-1])}
		if slim, wide := slimmer(p); wide {
			drawn.Slim, shown = &picture{Name: p.Label(), panel: slim}, i+1
		}
		if i < shown {
			out.Panels = append(out.Panels, drawn)
		} else {
			out.More = append(out.More, drawn)
		}
	}
	return out
}

// best holds the highest throughputs of an API in runs whose throughput rests on the same time.
type best struct {
	API         string
	Basis       result.Basis
	Write, Read *figures.Point
}

// bests returns the highest throughputs of all runs, the lowest layer first.
func bests(apis []result.API, runs []run) []best {
	var all []best
	for _, basis := range result.All[result.Basis]() {
		of := only(runs, func(r run) bool { return r.Basis == basis })
		for _, api := range apis {
			if b := bestOf(api, of); b.Write != nil || b.Read != nil {
				b.Basis = basis
				all = append(all, b)
			}
		}
	}
	return all
}

// bestOf returns the highest throughputs of an API. Without figures, both are nil.
func bestOf(api result.API, runs []run) best {
	var points []figures.Point
	for _, r := range runs {
		points = append(points, r.Points...)
	}
	highest := func(operation result.Operation) *figures.Point {
		p, found := figures.Highest(points, func(p figures.Point) bool {
			return p.Case.API == api.Name && p.Operation == operation
		})
		if !found {
			return nil
		}
		return &p
	}
	return best{API: api.Name, Write: highest(result.OperationWrite), Read: highest(result.OperationRead)}
}
