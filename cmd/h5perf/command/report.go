package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/output"
	"h5perf/pkg/page"
	"h5perf/pkg/plain"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// Report is the command report, which writes tables, pages and pictures of documents, and exports their results.
type Report struct {
	Files   []string     `arg:"" name:"file" missing:"no documents are given; give a file, a directory or a quoted pattern" help:"Documents: files, directories or quoted patterns."`
	Summary bool         `xor:"page,pictures" brief:"" help:"Print the summary that a run prints when it ends, instead of a table."`
	Lines   bool         `xor:"page,pictures" brief:"" help:"Print one line for each result instead of a table: API, operation, processes, size, median in GiB/s, lower and upper end of its interval, if it has one, marks such as warm. What the writes of a workload read back has a line of its own, read_back."`
	CSV     bool         `name:"csv" xor:"page,pictures" help:"The same as --export csv."`
	Export  exportFormat `xor:"page,pictures" placeholder:"csv|influx|ndjson|openmetrics" brief:"Print results for other programs instead of a table: CSV, InfluxDB, JSON lines or Prometheus." help:"Print results for other programs instead of a table. csv: a row for each sample. influx: InfluxDB line protocol, with the start of each run as time. ndjson: a JSON object on each line. openmetrics: the metrics of Prometheus, with the end of each run as time, for promtool tsdb create-blocks-from openmetrics. influx and ndjson have one record for each run and one for each of its results: median, interval, times. Runs that are not complete have only a record of the run, without results; see --partial."`
	HTML    string       `name:"html" xor:"page" placeholder:"FILE" brief:"" help:"Write a web page with pictures to FILE instead of a table. - means standard output."`
	PNG     string       `name:"png" xor:"pictures" placeholder:"FILE|DIR" brief:"" help:"Write the pictures to FILE instead of a table. If it is a directory, each picture is written to a file in it."`
	referenceOptions
	floorOptions
	overwriteOptions
	selectionOptions
	Partial bool `help:"With --export influx, ndjson or openmetrics: include runs that failed or were interrupted, with what they had measured by then. All other outputs include such runs without this option."`
}

type exportFormat string

// exportCSV exports samples, the other formats export points. exportOpenMetrics skips runs that have not ended.
const (
	exportCSV         exportFormat = "csv"
	exportOpenMetrics exportFormat = "openmetrics"
)

// exporters holds the functions that write points, by format.
var exporters = map[exportFormat]func(w io.Writer, runs []figures.Run, partial bool) error{
	"influx": report.WriteInflux, "ndjson": report.WriteNDJSON, exportOpenMetrics: metrics.WriteOpenMetrics,
}

// Run runs the command.
func (c Report) Run(env Env) error {
	if err := c.checkOptions(); err != nil {
		return &InputError{err}
	}
	floors, err := c.parseFloors()
	if err != nil {
		return err
	}
	selected, err := c.parseSelection(env.Now())
	if err != nil {
		return err
	}
	var size page.SizeCounter
	drawn := c.HTML != "" || c.PNG != ""
	runs, skipped, err := history.Collect(selected, func(r history.Record) figures.Run {
		if drawn && !size.AddRun(r.Document) {
			return figures.Run{} // checkLimits will return an error
		}
		return figures.Run{Name: r.Path, Document: r.Document}
	}, c.Files...)
	if err != nil {
		return &InputError{err}
	}
	printSkipped(env, skipped)
	if err := size.CheckLimits(); err != nil {
		return &InputError{fmt.Errorf("%w: select some by --latest, --since, --cluster, --filesystem or --label; the "+
			"table and --csv have no limit, and 'h5perf trend' shows how throughput changed", err)}
	}
	return errors.Join(c.writeReport(env, runs), c.checkFloors(env, floors, runs))
}

// writeReport writes the runs in the format that the options select, such as tables, CSV or a page.
func (c Report) writeReport(env Env, runs []figures.Run) error {
	switch {
	case c.CSV, c.Export == exportCSV:
		return report.WriteCSV(env.Stdout, runs)
	case c.Export != "":
		return c.exportPoints(env, runs)
	case c.Lines:
		return report.WriteLines(env.Stdout, runs)
	case c.Summary:
		return writeSummaries(env, runs)
	case c.HTML == "" && c.PNG == "":
		return report.WriteTables(env.Stdout, runs)
	}
	trend, err := c.findTrend(runs)
	if err != nil {
		return &InputError{err}
	}
	pairs, err := comparePairedRuns(runs)
	if err != nil {
		return &InputError{err}
	}
	var errs []error
	if c.HTML != "" {
		errs = append(errs, c.writeFile(env, page.PageFile, c.HTML, func(w io.Writer) error {
			return page.Write(w, runs, trend, pairs...)
		}))
	}
	if c.PNG != "" {
		errs = append(errs, c.writePictures(env, page.Pictures(runs, trend, pairs...)))
	}
	return errors.Join(errs...)
}

func (c Report) exportPoints(env Env, runs []figures.Run) error {
	left, running := 0, 0
	for _, r := range runs {
		if r.State == result.Running {
			running++
			continue
		}
		left += metrics.NumOmittedPoints(r.Document, c.Partial)
	}
	if running > 0 {
		env.printDiagnostic("%s not ended: without results", units.Count(running, "run has", "runs have"))
	}
	if left > 0 {
		env.printDiagnostic("%s of runs that are not complete left out; use --partial to include them",
			units.Count(left, "result", "results"))
	}
	return exporters[c.Export](env.Stdout, runs, c.Partial)
}

// findTrend finds changes of throughput over time. It ignores runs that were measured alternately with others, as in
// h5perf ab.
func (c Report) findTrend(runs []figures.Run) (history.Trend, error) {
	references, err := c.currentReferences(c.Files)
	if err != nil {
		return history.Trend{}, err
	}
	var records []history.Record
	for _, r := range runs {
		if r.Pair == nil {
			records = append(records, history.Record{Path: r.Name, Document: r.Document})
		}
	}
	return history.TrendOf(history.TrendOptions{References: references}, records)
}

func writeSummaries(env Env, runs []figures.Run) error {
	for i := range runs {
		if i > 0 {
			if err := env.printLine(""); err != nil {
				return err
			}
		}
		if err := report.WriteSummary(env.Stdout, &runs[i],
			"h5perf report "+plain.ShellWord(runs[i].Name)); err != nil {
			return err
		}
	}
	return nil
}

// checkOptions returns an error if options conflict, or if an output file cannot be written.
func (c Report) checkOptions() error {
	if c.Export != "" {
		formats := append([]exportFormat{exportCSV}, slices.Sorted(maps.Keys(exporters))...)
		if _, err := usage.ValidOrDefault("--export", c.Export, formats...); err != nil {
			return err
		}
	}
	if c.Partial && (c.Export == "" || c.Export == exportCSV) {
		return errors.New("--partial only works with --export influx, ndjson and openmetrics; all other outputs " +
			"include incomplete runs, and mark results of only some of the iterations")
	}
	if c.HTML != "" && c.HTML != "-" {
		if err := page.PageFile.Check(c.HTML, c.Force); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if c.Reference != "" && c.HTML == "" && c.PNG == "" {
		return errors.New("--reference works only with --html and --png")
	}
	if c.HTML != "" && c.HTML == c.PNG {
		return fmt.Errorf("--html and --png would both write to %s", c.HTML)
	}
	if c.PNG != "" && c.PNG != "-" && !isDirectory(c.PNG) {
		if err := page.PictureFile.Check(c.PNG, c.Force); err != nil {
			return fmt.Errorf("--png: %w", err)
		}
	}
	return nil
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
