// Package page makes a web page of documents: pictures, tables and text in one HTML file. The page needs no other file,
// no network and no script.
package page

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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
var styleSheet string

// templates returns the template of the page. It escapes all text of documents, except in pictures, in which package
// chart has escaped it.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"api": figures.API, "rate": units.FormatRate, "ratio": figures.FormatRatio, "seconds": units.FormatSeconds,
		"rates":     func(v figures.Value) string { return v.Range(units.FormatRate) },
		"ratios":    func(v figures.Value) string { return v.Range(figures.FormatRatio) },
		"interval":  func() string { return stats.Interval },
		"processes": processes, "quantile": figures.Quantile, "slowest": figures.Slowest,
		"cell": func(r figures.Row, p figures.Point) string { return r.Words(p, "–") }, "sampled": sampled,
		"metadataMeaning": func() string { return figures.MetadataMeaning },
		"ownMedians":      func() string { return figures.OwnMedians },
		"window":          func() string { return figures.Window },
		"marks":           result.All[result.Mark], "meaning": figures.Meaning,
	}).Parse(source))
})

// Output is the page as a file.
var Output = output.Kind{
	Name: "page", Own: regexp.MustCompile(`(?s)^<!DOCTYPE html>.*<title>h5perf: `).Match, Once: true,
}

// PictureFile is a picture as a file.
var PictureFile = output.Kind{Name: "picture", Own: Signed, Once: true}

// shownPanels is the number of panels of a picture that are shown at first. The others are folded.
const shownPanels = 6

// shownRuns is the number of runs that are listed at first. The others are folded.
const shownRuns = 8

type view struct {
	Title    string
	Style    template.CSS
	Runs     []run
	First    []run // the runs that are listed at first
	Further  []run // the runs that are folded
	Pictures []pictureView
	Pairs    []pair
	Glances  []glance
	Logs     []log // of runs over time

	Cautions []caution
}

// HasFigures reports whether a run has any figure.
func (v view) HasFigures() bool {
	return slices.ContainsFunc(v.Runs, func(r run) bool {
		return slices.ContainsFunc(r.Points, func(p figures.Point) bool { return len(p.Samples) > 0 })
	})
}

// pair is a pair with the picture of its differences.
type pair struct {
	Pair
	Picture pictureView
}

// caution is a caution about some runs.
type caution struct {
	plain.Caution
	Runs string // which runs; "" for all
}

type run struct {
	*figures.Run
	Points  []figures.Point
	Layers  []figures.Ratio
	Facts   []fact
	Latency bool
	Rows    []figures.Row // the statistics that any point has, besides throughput
}

// Shortfall returns why the run is not complete, in a sentence. It returns "" if it is.
func (r run) Shortfall() string {
	what, cause := r.Run.Shortfall()
	if what == "" {
		return ""
	}
	return what + ": " + cause
}

// Essence returns the conditions without which the figures of the run say nothing.
func (r run) Essence() string { return strings.Join(r.Run.Essence(r.Points), ", ") }

type pictureView struct {
	Name, Title, Caption string
	Keys                 []drawing
	Rows                 [][]drawing
	More                 [][]drawing // the panels that are folded, by row
}

// Columns returns how many panels the longest row has. A wide one has the width of three others.
func (f pictureView) Columns() int {
	n := 1
	for _, of := range f.Rows {
		n = max(n, len(of))
		if of[0].Slim != nil {
			n = max(n, 3)
		}
	}
	return n
}

// Folded returns how many panels are not shown at first.
func (f pictureView) Folded() (n int) {
	for _, of := range f.More {
		n += len(of)
	}
	return n
}

// drawing is drawn when it is written: all pictures of a page together would not fit into memory.
type drawing struct {
	Name  string
	panel Panel
	Slim  *drawing // what is shown in place of a wide picture where the page is narrow
}

// SVG returns the picture, in which package chart has escaped all text.
func (p drawing) SVG() (template.HTML, error) {
	svg, err := SVG(p.panel)
	return template.HTML(svg), err //nolint:gosec // chart escapes
}

// Write writes the page of runs, and of pairs of them, as HTML. Runs of one timeline of the trend are shown together,
// over time; without timelines, each is shown alone. After an error, what was written is part of a page.
func Write(w io.Writer, all []figures.Run, trend history.Trend, pairs ...Pair) error {
	lines := timelines(all, trend)
	runs := alone(all, lines)
	v := view{Title: title(all), Logs: logs(lines)}
	v.Style = template.CSS(Style() + styleSheet) //nolint:gosec // our own text
	var points [][]figures.Point
	for i := range runs {
		points = append(points, runs[i].Points())
		r := run{
			Run: &runs[i], Points: points[i], Layers: runs[i].Layers(), Facts: facts(&runs[i]),
			Rows: figures.RowsOf(points[i]),
		}
		for _, c := range r.Cases {
			r.Latency = r.Latency || len(c.Latencies) > 0
		}
		v.Runs = append(v.Runs, r)
	}
	v.First, v.Further = v.Runs[:min(len(runs), shownRuns)], v.Runs[min(len(runs), shownRuns):]
	v.Glances, v.Cautions = glances(figures.APIs(runs), v.Runs, pairs), cautions(v.Runs)
	for _, p := range pairs {
		v.Pairs = append(v.Pairs, pair{p, pictureViewOf(p.differences(p.of(points)))})
	}
	for _, f := range slices.Concat(overTime(all, lines), drawings(runs, points, pairs)) {
		v.Pictures = append(v.Pictures, pictureViewOf(f))
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

// cautions returns the cautions of all runs, each once.
func cautions(runs []run) []caution {
	type said struct {
		plain.Caution
		run *figures.Run
	}
	var all []said
	var of []*figures.Run
	for _, r := range runs {
		of = append(of, r.Run)
		for _, c := range r.Cautions(r.Points) {
			all = append(all, said{c, r.Run})
		}
	}
	names := namesOfRuns(of)
	var out []caution
	for _, g := range grouped(all, func(s said) plain.Caution { return s.Caution }) {
		c := caution{Caution: g.key}
		switch n := len(g.items); n {
		case len(runs):
		case 1:
			c.Runs = "(" + names.of[g.items[0].run] + ")"
		default:
			c.Runs = fmt.Sprintf("(%d of %d runs)", n, len(runs))
		}
		out = append(out, c)
	}
	return out
}

// title returns the heading of the page: how many runs, what they measured, when and where.
func title(runs []figures.Run) string {
	all := make([]*figures.Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	places := grouped(all, (*figures.Run).Place)
	place := runs[0].Place()
	if len(places) > 1 {
		place = fmt.Sprintf("%d file systems", len(places))
	}
	count := ""
	if len(runs) > 1 {
		count = fmt.Sprintf("%d runs", len(runs))
	}
	return words(", ", count, figures.SubjectOf(all), dates(all), place)
}

// dates returns the day on which runs started, or the first and the last of several days.
func dates(runs []*figures.Run) string {
	started := func(a, b *figures.Run) int { return a.Started.Compare(b.Started) }
	day := func(r *figures.Run) string { return r.Started.UTC().Format(time.DateOnly) }
	first, last := day(slices.MinFunc(runs, started)), day(slices.MaxFunc(runs, started))
	if first == last {
		return first
	}
	return first + " to " + last
}

func pictureViewOf(f Picture) pictureView {
	out := pictureView{Name: f.Name, Title: f.Title, Caption: f.Caption}
	for _, k := range f.Keys {
		out.Keys = append(out.Keys, drawing{Name: k.Name, panel: k})
	}
	n, shown := 0, shownPanels
	for _, of := range f.Rows() {
		var seen, more []drawing
		for _, p := range of {
			drawn := drawing{Name: p.Label(), panel: p}
			if n++; fills(p) {
				drawn.Slim, shown = &drawing{Name: p.Label(), panel: slimmer(p)}, n
			}
			if n <= shown {
				seen = append(seen, drawn)
			} else {
				more = append(more, drawn)
			}
		}
		if seen != nil {
			out.Rows = append(out.Rows, seen)
		}
		if more != nil {
			out.More = append(out.More, more)
		}
	}
	return out
}
