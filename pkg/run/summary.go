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

// summarize writes the summary of the final document to w, once. A run that began no case has none, and neither has one
// of two arms: their comparison is printed. After a report that fits on a screen itself, only what to do next is left
// to say.
func (o *armOutput) summarize(w io.Writer, doc result.Document) error {
	if o.name != "" || len(doc.Cases) == 0 || o.summarized.Swap(true) {
		return nil
	}
	if w == o.stderr && o.text.Short() && o.file == nil && o.request.JSON != "-" {
		_, err := fmt.Fprintf(w, "Next: %s\n", plain.Line(o.next(doc))) // its report says the rest
		return err
	}
	return report.WriteSummary(w, &figures.Run{Document: doc}, o.next(doc))
}

// conclude writes the summary to standard error, as the last lines of the run, where it goes there.
func (o *armOutput) conclude() {
	if o.request.Form.OfC() && !o.request.Quiet {
		_ = o.summarize(o.stderr, o.recorder.Document()) // nothing rests on it
	}
}

// next returns what shows more of the run than its summary.
func (o *armOutput) next(doc result.Document) string {
	show := o.reporter() + " report "
	paths := o.recorder.Paths()
	if len(paths) == 0 {
		return "the same command with --json FILE, then " + show + "FILE"
	}
	path := paths[len(paths)-1]
	switch {
	case path == temporary(doc) && !o.unprinted.Load():
		return show + "FILE, where FILE has the standard output of this run"
	case plain.Line(path) != path: // it cannot be shown, so it cannot be copied
		return show + "FILE, where FILE is the document of this run"
	case strings.HasPrefix(path, "-"):
		path = "./" + path
	}
	return show + plain.Word(path)
}

// reporter returns the command that has the reports: the program itself, or the tool beside it for the serial tool
// under its own name.
func (o *armOutput) reporter() string {
	const parallel, serial = "h5perf", "h5perf_serial"
	if len(o.request.Command) == 0 {
		return parallel
	}
	program := o.request.Command[0]
	if filepath.Base(program) == serial {
		program = strings.TrimSuffix(program, serial) + parallel
	}
	if plain.Line(program) != program {
		return parallel
	}
	return plain.Word(program)
}
