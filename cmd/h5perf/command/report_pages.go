package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/output"
	"h5perf/pkg/page"
	"h5perf/pkg/plan"
	"h5perf/pkg/script/about"
	"h5perf/pkg/units"
)

// pageRun is what is kept of each document for pages. Pages show most runs of a tree only over time, so most documents
// need not stay in memory.
type pageRun struct {
	path    string
	runID   string
	name    string // for people
	digests []history.RunDigest
	turns   string // run ID of the first of the runs with which it was measured alternately; "" without any
	// nil, to be read again if a page shows it alone, of a site and of more documents than a page may show
	run *figures.Run
}

// digestPageRun keeps what pages need of each document.
func (c Report) digestPageRun(r history.Record, size *page.SizeCounter) pageRun {
	run := newRun(r)
	digest := pageRun{
		path: r.Path, runID: r.RunID, name: run.Title(), digests: history.TrendOptions{}.Digests(r),
		turns: r.TurnsID(),
	}
	if c.Site == "" && size.AddRun(r.Document) {
		digest.run = &run
	}
	return digest
}

// writePages writes the page, the pictures or the site that the options select.
func (c Report) writePages(env Env, selected history.Selection) error {
	var size page.SizeCounter
	runs, skipped, err := history.Collect(selected, func(r history.Record) pageRun {
		return c.digestPageRun(r, &size)
	}, c.Files...)
	if err != nil {
		return &InputError{err}
	}
	printSkipped(env, skipped)
	references, err := c.currentReferences(c.Files)
	if err != nil {
		return &InputError{err}
	}
	trend, err := findPageTrend(runs, references)
	if err != nil {
		return &InputError{err}
	}
	if c.Site != "" {
		return c.writeSite(env, trend, runs)
	}
	shown := page.ShownRuns(trend)
	for _, r := range runs {
		if !belongsToTimeline(trend, r.path) {
			shown = append(shown, r.path)
		}
	}
	content, err := newPageContent(trend, runs, shown)
	if err != nil {
		return &InputError{err}
	}
	var errs []error
	if c.HTML != "" {
		errs = append(errs, c.writeFile(env, page.PageFile, c.HTML,
			func(w io.Writer) error { return page.Write(w, content) }))
	}
	if c.PNG != "" {
		errs = append(errs, c.writePictures(env, page.Pictures(content)))
	}
	return errors.Join(errs...)
}

// findPageTrend finds changes of throughput over time. Runs that were measured alternately with others do not belong to
// the runs over time.
func findPageTrend(runs []pageRun, references []history.PinnedReference) (history.Trend, error) {
	var digests []history.RunDigest
	for _, r := range runs {
		if r.turns == "" {
			digests = append(digests, r.digests...)
		}
	}
	return history.TrendOf(history.TrendOptions{References: references}, digests)
}

// belongsToTimeline reports whether the document at a path is of a run over time.
func belongsToTimeline(trend history.Trend, path string) bool {
	return slices.ContainsFunc(trend.Timelines, func(t history.Timeline) bool { return t.Contains(path) })
}

// shownRuns returns the runs of the documents with the paths shown. It reads those that runs does not keep.
func shownRuns(runs []pageRun, shown []string) (all []figures.Run, err error) {
	for _, r := range runs {
		if r.run != nil && slices.Contains(shown, r.path) {
			all = append(all, *r.run)
		}
	}
	if len(all) == len(shown) {
		return all, nil
	}
	var size page.SizeCounter
	all, _, err = history.Collect(history.Selection{}, func(r history.Record) figures.Run {
		if !size.AddRun(r.Document) {
			return figures.Run{} // CheckLimits will return an error
		}
		return newRun(r)
	}, shown...)
	if err != nil {
		return nil, err
	}
	if err := size.CheckLimits(); err != nil {
		return nil, fmt.Errorf("%w: select some by --latest, --since, --cluster, --filesystem or --label; the "+
			"table and --csv have no limit, and 'h5perf trend' shows how throughput changed", err)
	}
	return all, nil
}

// newPageContent returns the content of a page of runs over time. shown holds the paths of the documents of the runs
// that it shows alone. Those that were measured alternately are compared.
func newPageContent(trend history.Trend, runs []pageRun, shown []string) (content page.Content, err error) {
	content.Trend = trend
	if content.Runs, err = shownRuns(runs, shown); err != nil {
		return content, err
	}
	if len(trend.Timelines) > 0 { // the newest run first
		slices.SortStableFunc(content.Runs, func(a, b figures.Run) int { return b.Started.Compare(a.Started) })
	}
	content.Comparisons, err = compareTurns(content.Runs)
	content.Runs = partsOf(content.Runs)
	for i := range content.Runs {
		content.Runs[i].Freeze()
	}
	content.Writers = drawWriters(content.Runs)
	return content, err
}

// drawWriters draws which ranks write what in the workloads of runs, once for each workload and job. For a job with
// more than about.MaxRanks ranks, it draws a small job. It draws nothing for a workload that this release cannot run.
func drawWriters(runs []figures.Run) (all []page.WritersDrawing) {
	drawn := map[string]bool{}
	for _, r := range runs {
		w, job := r.Parameters.Workload, r.Job
		if w == nil {
			continue
		}
		instead := ""
		if job.Processes > about.MaxRanks {
			instead = fmt.Sprintf(" instead of %d on %d", job.Processes, job.Nodes)
			job.Processes, job.Nodes = about.Ranks, about.Ranks/2
		}
		title := fmt.Sprintf("%s, %s on %s%s", w.Name, units.Count(job.Processes, "rank", "ranks"),
			units.Count(job.Nodes, "node", "nodes"), instead)
		if what := fmt.Sprintf("%s %q %q", title, w.Text, w.Requested); !drawn[what] {
			drawn[what] = true
			if programs, err := plan.RecordedPrograms(w, job.Processes, job.Nodes); err == nil {
				d := page.WritersDrawing{Title: title}
				if d.Key, d.Text = about.Writers(programs); d.Text != "" {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// writePictures writes all pictures to one file, or each one to its own file in a directory.
func (c Report) writePictures(env Env, drawn []page.Picture) error {
	if len(drawn) == 0 {
		return &InputError{errors.New("--png: the documents have nothing to draw: no case has a complete iteration")}
	}
	const columns = 3
	if !isDirectory(c.PNG) {
		return c.writeFile(env, page.PictureFile, c.PNG,
			func(w io.Writer) error { return page.PNG(w, columns, drawn...) })
	}
	for _, f := range drawn {
		path := filepath.Join(c.PNG, f.Name+".png")
		err := c.writeFile(env, page.PictureFile, path, func(w io.Writer) error { return page.PNG(w, columns, f) })
		if err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes an output file, whose content the function write writes. If writing fails, an existing file does not
// change. The path - means standard output.
func (c Report) writeFile(env Env, kind output.FileKind, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(env.Stdout)
	}
	err := kind.Write(path, c.Force, write)
	if errors.Is(err, page.ErrTooMany) {
		return &InputError{fmt.Errorf("%w; give fewer documents", err)}
	}
	return err
}
