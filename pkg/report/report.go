package report

import (
	"io"

	"h5perf/pkg/result"
)

// Report is the report of a run, which is written while the run goes on. Its methods are called in the order of events.
// Each one makes at most one call of Write.
type Report interface {
	Header()             // begins the report
	Begin(c result.Case) // begins a case
	File(path string)    // a data file of the current case is about to be created
	End(c result.Case)   // ends a case
	Close()              // ends the report
	Err() error          // the first error of the writer; nothing is written after it
	Short() bool         // reports whether it fits on a screen, so that it needs no summary
}

// For returns the report of a run: that of the C tools, or of a workload a Workload. The parameters, the software and
// the job of the document must be known.
func For(w io.Writer, doc result.Document, options Options) Report {
	if doc.Parameters.Kind() == result.KindWorkload {
		return NewWorkload(w, doc)
	}
	return New(w, doc, options)
}
