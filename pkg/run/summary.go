package run

import (
	"io"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/table"
)

// summarize writes the summary of the final document to w, once. A run that began no case has none, and neither has one
// of two arms: their comparison is printed.
func (o *output) summarize(w io.Writer, doc result.Document) error {
	if o.name != "" || len(doc.Cases) == 0 || o.summarized.Swap(true) {
		return nil
	}
	return table.Summary(w, &figures.Run{Document: doc}, o.next(doc))
}

// conclude writes the summary to standard error, as the last lines of the run, where it goes there.
func (o *output) conclude() {
	if o.request.Form.OfC() && !o.request.Quiet {
		_ = o.summarize(o.stderr, o.recorder.Document()) // nothing rests on it
	}
}

// next returns what shows more of the run than its summary.
func (o *output) next(doc result.Document) string {
	program := "h5perf"
	if len(o.request.Command) > 0 {
		program = plain.Word(strings.TrimSuffix(o.request.Command[0], "_serial"))
	}
	show := program + " report "
	paths := o.recorder.Paths()
	switch {
	case len(paths) == 0:
		return "the same command with --json FILE, then " + show + "FILE"
	case paths[len(paths)-1] == temporary(doc):
		return show + "FILE, where FILE has the standard output of this run"
	}
	return show + plain.Word(paths[len(paths)-1])
}
