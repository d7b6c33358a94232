// Package page writes a web page about the results of runs: pictures, tables and text in one HTML file. The page needs
// no other file, no network and no script.
package page

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/report"
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
		"api": figures.APILabel, "ratio": figures.FormatRatio, "seconds": units.FormatSeconds,
		"rates":    func(p figures.Point) string { return figures.Rows[0].RangeText(p) },
		"ratios":   func(v figures.MedianEstimate) string { return v.RangeText(figures.FormatRatio) },
		"interval": func() string { return stats.Interval }, "quantile": figures.QuantileText,
		"slowest": figures.SlowestCallRank,
		"cell":    func(r figures.Row, p figures.Point) string { return r.PointText(p, "–") },
		"csv":     csvAddress, "samples": samplesAddress,
		"metadataMeaning": func() string { return figures.MetadataMeaning },
		"ownMedians":      func() string { return figures.OwnMedians },
		"window":          func() string { return figures.WindowMeaning },
		"marks":           result.ValuesOf[result.Mark], "meaning": figures.MarkMeaning,
	}).Parse(templateSource))
})

// csvAddress returns a data URL of a table in the format CSV.
func csvAddress(rows [][]string) (template.URL, error) {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return "", fmt.Errorf("data of a picture: %w", err)
	}
	return dataAddress("text/csv;charset=utf-8", b.Bytes()), nil
}

// samplesAddress returns a data URL of all samples of a run in the format CSV, compressed with gzip.
func samplesAddress(r *figures.Run) (template.URL, error) {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	if err := errors.Join(report.WriteCSV(compressed, []figures.Run{*r}), compressed.Close()); err != nil {
		return "", fmt.Errorf("samples: %w", err)
	}
	return dataAddress("application/gzip", b.Bytes()), nil
}

func dataAddress(kind string, content []byte) template.URL {
	//nolint:gosec // nothing in it but base64
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content))
}

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
	Title       string
	Style       template.CSS
	Key         string
	Index       string // address of the page of the whole tree; "" without one
	MoreRuns    []RunLink
	Strip       *pictureView
	StripRows   []stripRow
	Runs        []runView
	ShownRuns   []runView // the runs that are listed at first
	FoldedRuns  []runView // the runs that are folded
	Comparisons []comparisonView
	OverTime    *pictureView  // of the timeline that has fallen most
	MoreTime    []pictureView // of the others
	Headline    []pictureView // the first picture of runs
	Pictures    []pictureView // the others
	Facts       []factRow     // that all runs have
	Logs        []runLog      // the lists of runs over time

	Cautions []cautionView
}

// HasFigures reports whether any run has results.
func (v pageView) HasFigures() bool {
	return slices.ContainsFunc(v.Runs, func(r runView) bool {
		return slices.ContainsFunc(r.Points, func(p figures.Point) bool { return len(p.Samples) > 0 })
	})
}

// comparisonView is a Comparison for the template, with the picture of its differences.
type comparisonView struct {
	Comparison
	Picture pictureView
}

// cautionView is a caution for the template, with the names of the runs to which it applies.
type cautionView struct {
	plain.Caution
	Runs string // the runs; "" for all
}

type runView struct {
	*figures.Run
	Points   []figures.Point
	Layers   []figures.Ratio
	Facts    []factRow // that other runs of the page do not have
	Latency  bool
	Compared bool          // the run belongs to a comparison
	Rows     []figures.Row // the statistics that at least one point has, besides throughput
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
	Picture
	Legend     []deferredPanel
	PanelRows  [][]deferredPanel
	FoldedRows [][]deferredPanel // the panels that are folded, by row
}

// Columns returns the number of panels in the longest row of the picture. A wide panel counts as two panels.
func (f pictureView) Columns() int {
	n := 1
	for _, of := range f.PanelRows {
		n = max(n, len(of))
		if of[0].Narrow != nil {
			n = max(n, 2)
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
	Switch string // name of the colour that readers can hide; "" if they cannot
	panel  Panel
	Narrow *deferredPanel // a narrow version of a wide panel, for narrow windows
}

// SVG draws the panel. All text in the result is escaped.
func (p deferredPanel) SVG() template.HTML {
	return template.HTML(SVG(p.panel)) //nolint:gosec // SVG has escaped the text
}

// Write writes a page about runs, runs over time and comparisons, as HTML. If Write returns an error, it may have
// written a part of the page.
func Write(w io.Writer, c Content) error {
	lines := newTimelines(c.Trend)
	v := pageView{Title: c.pageTitle(lines), Index: c.Links.Index, Key: c.Key, MoreRuns: c.MoreRuns}
	v.Style = template.CSS(ThemeCSS() + switchCSS() + styleSheet) //nolint:gosec // our own text
	shown := map[string]bool{}
	var facts [][]factRow
	for _, r := range figures.Pointers(c.Runs) {
		points := r.Points()
		run := runView{
			Run: r, Points: points, Layers: r.LayerRatios(), Rows: figures.RowsOf(points),
			Compared: slices.ContainsFunc(c.Comparisons, func(of Comparison) bool { return of.containsRun(r) }),
		}
		for _, of := range r.Cases {
			run.Latency = run.Latency || len(of.Latencies) > 0
		}
		v.Runs, facts, shown[r.Name] = append(v.Runs, run), append(facts, runFacts(r)), true
	}
	common, own := withoutCommonFacts(facts)
	v.Facts = common
	for i := range own {
		v.Runs[i].Facts = own[i]
	}
	for _, r := range v.Runs {
		if len(v.ShownRuns) < shownRuns && !r.Compared {
			v.ShownRuns = append(v.ShownRuns, r)
		} else {
			v.FoldedRuns = append(v.FoldedRuns, r)
		}
	}
	v.Cautions, v.Logs = runCautions(v.Runs), newRunLogs(lines, c.Links, shown)
	for _, of := range c.Comparisons {
		v.Comparisons = append(v.Comparisons, comparisonView{of, newPictureView(c.comparisonPicture(of))})
	}
	for i, f := range timelinePictures(lines) {
		drawn := newPictureView(f)
		switch i {
		case 0:
			v.Strip = &drawn
		case 1:
			v.OverTime = &drawn
		default:
			v.MoreTime = append(v.MoreTime, drawn)
		}
	}
	for _, t := range lines {
		row := t.stripRow()
		if c.Links.Timeline != nil {
			row.Link = c.Links.Timeline(t.pageName())
		}
		v.StripRows = append(v.StripRows, row)
	}
	for i, f := range runPictures(c.runsAlone()) {
		if i == 0 {
			v.Headline = append(v.Headline, newPictureView(f))
		} else {
			v.Pictures = append(v.Pictures, newPictureView(f))
		}
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

// pageTitle returns the heading of the page: what has fallen, the number of runs, what they measured, when and where.
func (c Content) pageTitle(lines []*runTimeline) string {
	runs := figures.Pointers(c.Runs)
	if len(lines) > 0 {
		n, first, last := 0, time.Time{}, time.Time{}
		for _, t := range c.Trend.Timelines {
			n += len(t.Runs)
			for _, r := range t.Runs {
				if first.IsZero() || r.Started.Before(first) {
					first = r.Started
				}
				if r.Started.After(last) {
					last = r.Started
				}
			}
		}
		title := units.Count(n, "run", "runs")
		if len(lines) > 1 {
			title += " on " + units.Count(len(lines), "file system", "file systems")
		} else {
			title += " on " + lines[0].identityText()
		}
		title += ", " + formatDate(first) + " to " + formatDate(last)
		if row := lines[0].stripRow(); row.Fell {
			title = lines[0].Identity.Filesystem + ": now " + row.Now + "; " + title
		}
		return title
	}
	if len(runs) == 0 {
		return "no runs over time"
	}
	places := groupByKey(runs, (*figures.Run).TargetText)
	place := places[0].key
	if len(places) > 1 {
		place = fmt.Sprintf("%d file systems", len(places))
	}
	count := ""
	if len(runs) > 1 {
		count = fmt.Sprintf("%d runs", len(runs))
	}
	subject := figures.SubjectOf(runs)
	if subject == "" && len(runs) == 1 {
		subject = runs[0].Access()
	}
	return joinNonEmpty(", ", count, subject, startDates(runs), place)
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
	out := pictureView{Picture: f}
	for _, k := range f.Keys {
		out.Legend = append(out.Legend, deferredPanel{Name: k.Name, Switch: k.SwitchName(), panel: k})
	}
	n, shown := 0, shownPanels
	for _, of := range f.Rows() {
		var seen, more []deferredPanel
		for _, p := range of {
			drawn := deferredPanel{Name: p.Label(), panel: p}
			n++
			if wide, may := p.(widePanel); may && wide.narrowed() != nil {
				drawn.Narrow, shown = &deferredPanel{Name: p.Label(), panel: wide.narrowed()}, n
			}
			if n <= shown {
				seen = append(seen, drawn)
			} else {
				more = append(more, drawn)
			}
		}
		if seen != nil {
			out.PanelRows = append(out.PanelRows, seen)
		}
		if more != nil {
			out.FoldedRows = append(out.FoldedRows, more)
		}
	}
	return out
}

// switchCSS returns CSS that hides everything in a figure that is drawn with the colour of an API whose checkbox in the
// legend is not checked.
func switchCSS() string {
	var b strings.Builder
	for i, pen := range pens {
		if !slices.ContainsFunc(pens[:i], func(before LegendKey) bool { return before.Colour == pen.Colour }) {
			fmt.Fprintf(&b, "figure:has(.show-%s:not(:checked)) .panels [style*=\"var(%s)\"]{display:none}\n",
				pen.Colour.name,
				pen.Colour.cssVariable())
		}
	}
	return b.String()
}
