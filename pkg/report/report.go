package report

import (
	"io"

	"h5perf/pkg/result"
)

// Report is the report of a run, which is written while the run goes on. Its methods are called in the order of events.
// Each one makes at most one call of Write.
type Report interface {
	WriteHeader()            // begins the report
	BeginCase(c result.Case) // begins a case
	BeginFile(path string)   // a data file of the current case is about to be created
	EndCase(c result.Case)   // ends a case
	Close()                  // ends the report
	Err() error              // the first error of the writer; nothing is written after it
	FitsScreen() bool        // reports whether it fits on a screen, so that it needs no summary
}

// NewReport returns the report of a run: that of the C tools, or of a workload a Workload. The parameters, the software
// and the job of the document must be known.
func NewReport(w io.Writer, doc result.Document, options TextOptions) Report {
	if doc.Parameters.Kind() == result.KindWorkload {
		return NewWorkload(w, doc)
	}
	return NewText(w, doc, options)
}
