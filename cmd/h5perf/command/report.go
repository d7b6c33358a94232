package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
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
	Site    string       `name:"site" placeholder:"DIR" brief:"" help:"Write web pages to the directory DIR instead of a table: an index of all file systems, a page for each, and a page for each run. Pages whose documents have not changed are not written again. A web server can show the directory as it is."`
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
	var written error
	drawn := c.HTML != "" || c.PNG != "" || c.Site != ""
	if drawn {
		if written = c.writePages(env, selected); len(floors) == 0 {
			return written
		}
	}
	runs, skipped, err := history.Collect(selected, newRun, c.Files...)
	if err != nil {
		return &InputError{err}
	}
	if !drawn {
		printSkipped(env, skipped)
		written = c.writeReport(env, runs)
	}
	return errors.Join(written, c.checkFloors(env, floors, runs))
}

// partsOf returns the runs, with a run for each combination of values of --sweep.
func partsOf(runs []figures.Run) (all []figures.Run) {
	for i := range runs {
		for _, part := range runs[i].Parts() {
			all = append(all, *part)
		}
	}
	return all
}

func newRun(r history.Record) figures.Run { return figures.Run{Name: r.Path, Document: r.Document} }

// writeReport writes the runs in the format that the options select, such as tables, CSV or a page.
func (c Report) writeReport(env Env, runs []figures.Run) error {
	switch {
	case c.CSV, c.Export == exportCSV:
		return report.WriteCSV(env.Stdout, partsOf(runs))
	case c.Export != "":
		return c.exportPoints(env, runs)
	case c.Lines:
		return report.WriteLines(env.Stdout, partsOf(runs))
	case c.Summary:
		return writeSummaries(env, runs)
	}
	comparisons, err := compareTurns(runs)
	if err != nil {
		return &InputError{err}
	}
	err = report.WriteTables(env.Stdout, runs)
	for _, one := range comparisons {
		err = errors.Join(err, env.printHighlighted("\n\n"+turnsText(one)))
	}
	return err
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
		env.printNote("%s not ended: without results", units.Count(running, "run has", "runs have"))
	}
	if left > 0 {
		env.printNote("%s of runs that are not complete left out; use --partial to include them",
			units.Count(left, "result", "results"))
	}
	if c.Export != exportOpenMetrics { // its metrics of a run are those of all parts
		runs = partsOf(runs)
	}
	return exporters[c.Export](env.Stdout, runs, c.Partial)
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
	drawn := c.HTML != "" || c.PNG != "" || c.Site != ""
	if c.Reference != "" && !drawn {
		return errors.New("--reference works only with --html, --png and --site")
	}
	if c.Site != "" && (c.HTML != "" || c.PNG != "" || c.Summary || c.Lines || c.CSV || c.Export != "") {
		return errors.New("--site cannot be used together with another form of output")
	}
	if c.Site != "" && !isDirectory(c.Site) {
		return fmt.Errorf("--site %s: not a directory; create it", c.Site)
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
