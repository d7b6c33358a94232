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
		"objectsTitle":  func() string { return figures.ObjectsTitle },
		"choicesTitle":  func() string { return figures.ChoicesTitle },
		"rates":         func(p figures.Point) string { return figures.Rows[0].RangeText(p) },
		"ratios":        func(v figures.MedianEstimate) string { return v.RangeText(figures.FormatRatio) },
		"showTransfers": figures.ShowTransfers, "statementsMeaning": func() string { return figures.StatementsMeaning },
		"interval":     func() string { return stats.Interval },
		"independence": func() int { return stats.MinIndependenceSamples }, "quantile": figures.QuantileText,
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
	return newDataAddress("text/csv;charset=utf-8", func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// samplesAddress returns a data URL of all samples of a run in the format CSV, compressed with gzip.
func samplesAddress(r *figures.Run) (template.URL, error) {
	return newDataAddress("application/gzip", func(w io.Writer) error {
		compressed := gzip.NewWriter(w)
		return errors.Join(report.WriteCSV(compressed, []figures.Run{*r}), compressed.Close())
	})
}

// newDataAddress returns a data URL of what a function writes.
func newDataAddress(kind string, write func(io.Writer) error) (template.URL, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return "", fmt.Errorf("data of a page: %w", err)
	}
	//nolint:gosec // nothing in it but base64
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

// PageFile describes files that contain a page.
var PageFile = output.FileKind{
	Name: "page", IsOwn: regexp.MustCompile(`(?s)^<!DOCTYPE html>.*<title>h5perf: `).Match, WrittenOnce: true,
}

// PictureFile describes files that contain a picture.
var PictureFile = output.FileKind{Name: "picture", IsOwn: HasSignature, WrittenOnce: true}

// shownRuns is the number of runs that are listed at first. The others are folded.
const shownRuns = 8

type pageView struct {
	Content
	Title       string
	Style       template.CSS
	OverTime    []Picture // the verdict strip, then those of timelines; the one that has fallen most comes first
	StripRows   []stripRow
	Runs        []runView
	ShownRuns   []runView // the runs that are listed at first
	FoldedRuns  []runView // the runs that are folded
	Comparisons []comparisonView
	Headline    []Picture // the first picture of runs
	Pictures    []Picture // the others
	Facts       []factRow // that all runs have
	Logs        []runLog  // the lists of runs over time
	Cautions    []cautionView
	Statements  []statementsView
	Choices     []string // see figures.ChoicesOfParts
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
	Picture Picture
}

// cautionView is a caution for the template, with the names of the runs to which it applies.
type cautionView struct {
	plain.Caution
	Runs string // the runs; "" for all
}

type runView struct {
	*figures.Run
	Points   []figures.Point
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

// Write writes a page about runs, runs over time and comparisons, as HTML. If Write returns an error, it may have
// written a part of the page.
func Write(w io.Writer, c Content) error {
	lines := newTimelines(c.Trend)
	v := pageView{Content: c, Title: c.pageTitle(lines), OverTime: timelinePictures(lines)}
	v.Style = template.CSS(ThemeCSS() + switchCSS() + styleSheet) //nolint:gosec // our own text
	shown := map[string]bool{}
	var facts [][]factRow
	for _, r := range figures.Pointers(c.Runs) {
		points := r.Points()
		v.Runs = append(v.Runs, runView{
			Run: r, Points: points, Rows: figures.RowsOf(points),
			Compared: slices.ContainsFunc(c.Comparisons, func(of Comparison) bool { return of.containsRun(r) }),
			Latency:  slices.ContainsFunc(r.Cases, func(of result.Case) bool { return len(of.Latencies) > 0 }),
		})
		facts, shown[r.Name] = append(facts, runFacts(r)), true
	}
	common, own := withoutCommonFacts(facts)
	v.Facts = common
	for i := range own {
		v.Runs[i].Facts = own[i]
		if len(v.ShownRuns) < shownRuns && !v.Runs[i].Compared {
			v.ShownRuns = append(v.ShownRuns, v.Runs[i])
		} else {
			v.FoldedRuns = append(v.FoldedRuns, v.Runs[i])
		}
	}
	v.Cautions, v.Logs = runCautions(v.Runs), newRunLogs(lines, c.Links, shown)
	v.Comparisons = mapSlice(c.Comparisons, func(of Comparison) comparisonView {
		return comparisonView{of, c.comparisonPicture(of)}
	})
	for _, t := range lines {
		row := t.stripRow()
		if c.Links.Timeline != nil {
			row.Link = c.Links.Timeline(t.pageName())
		}
		v.StripRows = append(v.StripRows, row)
	}
	v.Statements = newStatementsViews(figures.Pointers(c.Runs))
	for _, g := range groupByKey(figures.Pointers(c.Runs), func(r *figures.Run) string { return r.RunID }) {
		v.Choices = append(v.Choices, figures.ChoicesOfParts(g.items)...)
	}
	v.Pictures = runPictures(c.runsAlone())
	first := min(1, len(v.Pictures))
	v.Headline, v.Pictures = v.Pictures[:first], v.Pictures[first:]
	out := bufio.NewWriter(w)
	err := pageTemplate().Execute(plain.NewVisibleWriter(out), v)
	if err == nil { // otherwise, Flush returns the same error
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// runCautions returns the cautions of all runs. A caution that several runs have appears once.
func runCautions(runs []runView) []cautionView {
	names := namesOfRuns(mapSlice(runs, func(r runView) *figures.Run { return r.Run }))
	var all, out []cautionView
	for _, r := range runs {
		for _, c := range r.Cautions(r.Points) {
			all = append(all, cautionView{c, "(" + names.byRun[r.Run] + ")"})
		}
	}
	for _, g := range groupByKey(all, func(c cautionView) plain.Caution { return c.Caution }) {
		c := cautionView{Caution: g.key}
		switch n := len(g.items); n {
		case len(runs):
		case 1:
			c = g.items[0]
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
		n, started := 0, []time.Time{}
		for _, t := range c.Trend.Timelines {
			n += len(t.Runs)
			started = append(started, t.Runs[0].Started, t.Runs[len(t.Runs)-1].Started)
		}
		place := lines[0].identityText()
		if len(lines) > 1 {
			place = units.Count(len(lines), "file system", "file systems")
		}
		title := units.Count(n, "run", "runs") + " on " + place + ", " + formatDates(started)
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
	return formatDates(mapSlice(runs, func(r *figures.Run) time.Time { return r.Started }))
}

// formatDates returns the first and the last date of times, or the only one.
func formatDates(times []time.Time) string {
	first := formatDate(slices.MinFunc(times, time.Time.Compare))
	last := formatDate(slices.MaxFunc(times, time.Time.Compare))
	if first == last {
		return first
	}
	return first + " to " + last
}

// switchCSS returns CSS that hides everything in a figure that is drawn with the colour of an API whose checkbox in the
// legend is not checked.
func switchCSS() string {
	var b strings.Builder
	for i, pen := range pens {
		if !slices.ContainsFunc(pens[:i], func(before LegendKey) bool { return before.Colour == pen.Colour }) {
			fmt.Fprintf(&b, "figure:has(.show-%s:not(:checked)) .panels [style*=\"var(%s)\"]{display:none}\n",
				pen.Colour.Name, pen.Colour.cssVariable())
		}
	}
	return b.String()
}
