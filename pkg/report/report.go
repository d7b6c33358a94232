package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
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

var _, _, _ Report = (*CReport)(nil), (*WorkloadReport)(nil), (*SweptReport)(nil)

// NewReport returns the report for a run: a SweptReport for a run with --sweep, a WorkloadReport for one of a workload,
// otherwise a CReport. The document must contain the parameters, the software and the job.
func NewReport(w io.Writer, doc result.Document, options CReportOptions) Report {
	switch {
	case len(doc.Swept) > 0:
		return &SweptReport{newOwnReport(w, doc)}
	case doc.Parameters.Kind() == result.KindWorkload:
		return &WorkloadReport{ownReport: newOwnReport(w, doc)}
	}
	return NewCReport(w, doc, options)
}

// pendingText holds the lines of a report until they are written.
type pendingText struct {
	w      io.Writer
	buffer bytes.Buffer
	err    error
}

// Err implements Report.
func (t *pendingText) Err() error { return t.err }

// flush writes the lines.
func (t *pendingText) flush() {
	if t.err == nil {
		if _, err := io.WriteString(t.w, plain.VisibleText(t.buffer.String())); err != nil {
			t.err = fmt.Errorf("report: %w", err)
		}
	}
	t.buffer.Reset()
}

// ownReport holds what the reports have in common that the C tools do not have.
type ownReport struct {
	pendingText
	run figures.Run // contains the cases that have ended
}

func newOwnReport(w io.Writer, doc result.Document) ownReport {
	doc.Cases = nil
	return ownReport{pendingText{w: w}, figures.Run{Document: doc}}
}

// BeginCase does nothing. It implements Report.
func (t *ownReport) BeginCase(result.Case) {}

// BeginFile does nothing. It implements Report.
func (t *ownReport) BeginFile(string) {}

// FitsScreen implements Report.
func (t *ownReport) FitsScreen() bool { return true }

// addLine adds a line, which flush writes.
func (t *ownReport) addLine(format string, args ...any) {
	t.buffer.WriteString(plain.Wrap(strings.TrimRight(fmt.Sprintf(format, args...), " ")) + "\n")
}

// addLines adds an empty line, a heading and lines below it. Without lines, it adds nothing.
func (t *ownReport) addLines(heading string, lines []string) {
	if len(lines) > 0 {
		t.addLine("")
		t.addLine("%s", heading)
	}
	for _, line := range lines {
		t.addLine("%s", line)
	}
}
