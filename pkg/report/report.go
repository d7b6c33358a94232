package report

import (
	"io"

	"h5perf/pkg/result"
)

// Report writes the report about a run while the run goes on. Its methods are called in the order of events. Each
// method calls Write at most once.
type Report interface {
	WriteHeader()            // begins the report
	BeginCase(c result.Case) // writes the heading of a case
	BeginFile(path string)   // must be called before a data file of the current case is created
	EndCase(c result.Case)   // writes the results of a case
	Close()                  // ends the report
	Err() error              // returns the first error of the writer; after it, nothing is written
	FitsScreen() bool        // reports whether the report fits on a screen, so that it needs no summary
}

// NewReport returns the report for a run: a SweptReport for a run with --sweep, a WorkloadReport for one of a workload,
// otherwise a CReport. The
// document must contain the parameters, the software and the job.
func NewReport(w io.Writer, doc result.Document, options CReportOptions) Report {
	if len(doc.Swept) > 0 {
		return NewSweptReport(w, doc)
	}
	if doc.Parameters.Kind() == result.KindWorkload {
		return NewWorkloadReport(w, doc)
	}
	return NewCReport(w, doc, options)
}
