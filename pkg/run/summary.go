package run

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// writeSummary writes the summary of the final document to w, once. A run that began no case has no summary. With
// several arms, their comparison replaces it. If the report is short enough for a screen, it writes only the command
// that the user can run next.
func (o *armOutput) writeSummary(w io.Writer, doc result.Document) error {
	if o.name != "" || len(doc.Cases) == 0 || o.summarized.Swap(true) {
		return nil
	}
	if w == o.stderr && o.report.FitsScreen() && o.reportFile == nil && o.request.JSON != "-" {
		_, err := fmt.Fprintf(w, "Next: %s\n", plain.VisibleLine(o.nextCommand(doc))) // the report shows the rest
		return err
	}
	return report.WriteSummary(w, &figures.Run{Document: doc}, o.nextCommand(doc))
}

// printSummary prints how many cases failed by each cause. Then it writes the summary to standard error, as the last
// lines of the run, if the report has the format of the C tool, which has no summary, and the run is not quiet.
func (o *armOutput) printSummary() {
	o.printRepeatedErrors()
	if o.request.Form.PrintsCText() && !o.request.Quiet {
		_ = o.writeSummary(o.stderr, o.recorder.Document()) // the summary is not essential
	}
}

// nextCommand returns a command that the user can run next to see more of the results than the summary shows.
func (o *armOutput) nextCommand(doc result.Document) string {
	show := o.reportCommand() + " report "
	paths := o.recorder.Paths()
	if len(paths) == 0 {
		return "the same command with --json FILE, then " + show + "FILE"
	}
	path := paths[len(paths)-1]
	switch {
	case path == temporaryPath(doc) && !o.unprinted.Load():
		return show + "FILE, where FILE has the standard output of this run"
	case plain.VisibleLine(path) != path: // the printed path would differ from the real one
		return show + "FILE, where FILE is the document of this run"
	case strings.HasPrefix(path, "-"):
		path = "./" + path
	}
	return show + plain.ShellWord(path)
}

// reportCommand returns the command that prints reports: this program or, if it is h5perf_serial, the h5perf in the
// same directory.
func (o *armOutput) reportCommand() string {
	const parallel, serial = "h5perf", "h5perf_serial"
	if len(o.request.Command) == 0 {
		return parallel
	}
	program := o.request.Command[0]
	if filepath.Base(program) == serial {
		program = strings.TrimSuffix(program, serial) + parallel
	}
	if plain.VisibleLine(program) != program {
		return parallel
	}
	return plain.ShellWord(program)
}
