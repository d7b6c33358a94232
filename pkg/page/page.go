// Package page writes a web page about the results of runs: pictures, tables and text in one HTML file. The page needs
// no other file, no network and no script.
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
var templateSource string

//go:embed page.css
var styleSheet string

// pageTemplate returns the template of the page. It escapes all text from documents. Pictures are inserted as they are:
// SVG has escaped their text.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"api": figures.APILabel, "rate": units.FormatRate, "ratio": figures.FormatRatio, "seconds": units.FormatSeconds,
		"rates":     func(v figures.MedianEstimate) string { return v.RangeText(units.FormatRate) },
		"ratios":    func(v figures.MedianEstimate) string { return v.RangeText(figures.FormatRatio) },
		"interval":  func() string { return stats.Interval },
		"processes": processesText, "quantile": figures.QuantileText, "slowest": figures.SlowestCallRank,
		"cell": func(r figures.Row, p figures.Point) string { return r.PointText(p, "–") }, "sampled": sampleCell,
		"metadataMeaning": func() string { return figures.MetadataMeaning },
		"ownMedians":      func() string { return figures.OwnMedians },
		"window":          func() string { return figures.WindowMeaning },
		"marks":           result.ValuesOf[result.Mark], "meaning": figures.MarkMeaning,
	}).Parse(templateSource))
})

// PageFile describes files that contain a page.
var PageFile = output.FileKind{
	Name: "page", IsOwn: regexp.MustCompile(`(?s)^<!DOCTYPE html>.*<title>h5perf: `).Match, WrittenOnce: true,
}

// PictureFile describes files that contain a picture.
var PictureFile = output.FileKind{Name: "picture", IsOwn: HasSignature, WrittenOnce: true}

// shownPanels is the number of panels of a picture that are visible at first. The others are folded.
const shownPanels = 6

// shownRuns is the number of runs that are listed at first. The others are folded.
const shownRuns = 8

type pageView struct {
	Title      string
	Style      template.CSS
	Runs       []runView
	ShownRuns  []runView // the runs that are listed at first
	FoldedRuns []runView // the runs that are folded
	Pictures   []pictureView
	Pairs      []pairView
	Overviews  []overview
	Logs       []runLog // the lists of runs over time

	Cautions []cautionView
}

// HasFigures reports whether any run has results.
func (v pageView) HasFigures() bool {
	return slices.ContainsFunc(v.Runs, func(r runView) bool {
		return slices.ContainsFunc(r.Points, func(p figures.Point) bool { return len(p.Samples) > 0 })
	})
}

// pairView is a Pair for the template, with the picture of its differences.
type pairView struct {
	Pair
	Picture pictureView
}

// cautionView is a caution for the template, with the names of the runs to which it applies.
type cautionView struct {
	plain.Caution
	Runs string // the runs; "" for all
}

type runView struct {
	*figures.Run
	Points  []figures.Point
	Layers  []figures.Ratio
	Facts   []factRow
	Latency bool
	Rows    []figures.Row // the statistics that at least one point has, besides throughput
}

// IncompleteReason returns, in a sentence, why the run is not complete. It returns "" if it is complete.
func (r runView) IncompleteReason() string {
	what, cause := r.Run.IncompleteReason()
	if what == "" {
		return ""
	}
	return what + ": " + cause
}

// KeyConditions returns the most important conditions of the run, in one line; see figures.Run.KeyConditions.
func (r runView) KeyConditions() string { return strings.Join(r.Run.KeyConditions(r.Points), ", ") }

type pictureView struct {
	Name, Title, Caption string
	Keys                 []deferredPanel
	Rows                 [][]deferredPanel
	FoldedRows           [][]deferredPanel // the panels that are folded, by row
}

// Columns returns the number of panels in the longest row of the picture. A wide panel counts as three panels.
func (f pictureView) Columns() int {
	n := 1
	for _, of := range f.Rows {
		n = max(n, len(of))
		if of[0].Narrow != nil {
			n = max(n, 3)
		}
	}
	return n
}

// Folded returns the number of panels that are not visible at first.
func (f pictureView) Folded() (n int) {
	for _, of := range f.FoldedRows {
		n += len(of)
	}
	return n
}

// deferredPanel is a panel that is drawn only when the template writes it, because all pictures of a page together
// would need too much memory.
type deferredPanel struct {
	Name   string
	panel  Panel
	Narrow *deferredPanel // a narrow version of a wide panel, for narrow windows
}

// SVG draws the panel. All text in the result is escaped.
func (p deferredPanel) SVG() (template.HTML, error) {
	svg, err := SVG(p.panel)
	return template.HTML(svg), err //nolint:gosec // SVG has escaped the text
}

// Write writes a page about runs and pairs of runs, as HTML. Runs of the same timeline of the trend are shown in one
// picture, over time. Without timelines, each run has its own pictures. If Write returns an error, it may have written
// a part of the page.
func Write(w io.Writer, all []figures.Run, trend history.Trend, pairs ...Pair) error {
	lines := newTimelines(all, trend)
	runs := runsShownAlone(all, lines)
	v := pageView{Title: pageTitle(all), Logs: newRunLogs(lines)}
	v.Style = template.CSS(ThemeCSS() + styleSheet) //nolint:gosec // our own text
	var points [][]figures.Point
	for i := range runs {
		points = append(points, runs[i].Points())
		r := runView{
			Run: &runs[i], Points: points[i], Layers: runs[i].LayerRatios(), Facts: runFacts(&runs[i]),
			Rows: figures.RowsOf(points[i]),
		}
		for _, c := range r.Cases {
			r.Latency = r.Latency || len(c.Latencies) > 0
		}
		v.Runs = append(v.Runs, r)
	}
	v.ShownRuns, v.FoldedRuns = v.Runs[:min(len(runs), shownRuns)], v.Runs[min(len(runs), shownRuns):]
	v.Overviews, v.Cautions = newOverviews(figures.APIs(runs), v.Runs, pairs), runCautions(v.Runs)
	for _, p := range pairs {
		v.Pairs = append(v.Pairs, pairView{p, newPictureView(p.differencesPicture(p.pointsOfPair(points)))})
	}
	for _, f := range slices.Concat(overTimePictures(all, lines), runPictures(runs, points, pairs)) {
		v.Pictures = append(v.Pictures, newPictureView(f))
	}
	out := bufio.NewWriter(w)
	if err := pageTemplate().Execute(plain.NewVisibleWriter(out), v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// runCautions returns the cautions of all runs. A caution that several runs have appears once.
func runCautions(runs []runView) []cautionView {
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
	var out []cautionView
	for _, g := range groupByKey(all, func(s said) plain.Caution { return s.Caution }) {
		c := cautionView{Caution: g.key}
		switch n := len(g.items); n {
		case len(runs):
		case 1:
			c.Runs = "(" + names.byRun[g.items[0].run] + ")"
		default:
			c.Runs = fmt.Sprintf("(%d of %d runs)", n, len(runs))
		}
		out = append(out, c)
	}
	return out
}

// pageTitle returns the heading of the page: the number of runs, what they measured, when and where.
func pageTitle(runs []figures.Run) string {
	all := make([]*figures.Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	places := groupByKey(all, (*figures.Run).TargetText)
	place := runs[0].TargetText()
	if len(places) > 1 {
		place = fmt.Sprintf("%d file systems", len(places))
	}
	count := ""
	if len(runs) > 1 {
		count = fmt.Sprintf("%d runs", len(runs))
	}
	return joinNonEmpty(", ", count, figures.SubjectOf(all), startDates(all), place)
}

// startDates returns the date on which the runs started or, if there are several dates, the first and the last.
func startDates(runs []*figures.Run) string {
	started := func(a, b *figures.Run) int { return a.Started.Compare(b.Started) }
	day := func(r *figures.Run) string { return r.Started.UTC().Format(time.DateOnly) }
	first, last := day(slices.MinFunc(runs, started)), day(slices.MaxFunc(runs, started))
	if first == last {
		return first
	}
	return first + " to " + last
}

func newPictureView(f Picture) pictureView {
	out := pictureView{Name: f.Name, Title: f.Title, Caption: f.Caption}
	for _, k := range f.Keys {
		out.Keys = append(out.Keys, deferredPanel{Name: k.Name, panel: k})
	}
	n, shown := 0, shownPanels
	for _, of := range f.Rows() {
		var seen, more []deferredPanel
		for _, p := range of {
			drawn := deferredPanel{Name: p.Label(), panel: p}
			if n++; isPageWide(p) {
				drawn.Narrow, shown = &deferredPanel{Name: p.Label(), panel: narrowPanel(p)}, n
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
			out.FoldedRows = append(out.FoldedRows, more)
		}
	}
	return out
}
