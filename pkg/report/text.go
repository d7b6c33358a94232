// Package report writes documents as text: the report of the C tools, tables, summaries and exports.
//
// The report is that of HDF5's h5perf and h5perf_serial, character by character, except for what is misleading there: a
// case that failed has no figure, lines of several ranks come in the order of ranks, details have more digits, and the
// throughput of raw data in a serial run rests on the time of these transfers. All times are those of the slowest
// process, as there, and Close tells where the windows on which documents rest say something else.
//
// MB is 2^20 bytes here, as in the report of the C tools.
//
// Workloads, which the C tools do not have, have a report of their own: see Workload.
package report

import (
	"fmt"
	"io"
	"regexp"

	"h5perf/pkg/figures"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// CReportOptions selects which details the report Text shows (option -D).
type CReportOptions struct {
	Level     int  // 0 to 4
	Raw       bool // also show throughputs of the transfer loops alone
	Times     bool // show times next to throughputs, and the times to open and close files
	InfoBytes int  // MPI_MAX_INFO_VAL, for the report
}

// Output describes files that contain a report.
var Output = output.FileKind{
	Name: "report", IsOwn: regexp.MustCompile(`^(HDF5 Library: Version |h5perf workload )`).Match, WrittenOnce: true,
}

// Detail levels (CReportOptions.Level): each one and those above show more.
const (
	levelAllRanks = 1 // parameters for every rank, data file names
	levelDetails  = 3 // the times of every iteration
	levelBuffers  = 4 // which part of every file each rank transfers
)

// CReport writes a report that is compatible with the reports of the C tools.
type CReport struct {
	pendingText
	doc     result.Document
	options CReportOptions
	serial  bool // the report of h5perf_serial instead of h5perf

	current result.Case
	files   int // number of files of the current case for which BeginFile was called

	results     int      // number of directions of cases that have results
	windowRates []string // results that Close writes, because their throughput by the window differs

	counted   []result.Case // cases whose calls were counted, for Close
	compared  uint64        // number of bytes that were read and compared with the written data, for Close
	explained []string      // explanations that are already in the report
	causes    figures.ErrorCauses
}

// NewCReport returns the report about a run. The document must contain the parameters, the software and the job.
func NewCReport(w io.Writer, doc result.Document, options CReportOptions) *CReport {
	return &CReport{
		pendingText: pendingText{w: w}, doc: doc, options: options,
		serial: doc.Parameters.Kind() == result.KindSerial,
	}
}

// FitsScreen returns false: the report does not fit on a screen.
func (t *CReport) FitsScreen() bool { return false }

// addLine adds a line to a buffer, which flush writes.
func (t *CReport) addLine(format string, args ...any) {
	fmt.Fprintf(&t.buffer, format+"\n", args...)
}

// addWrappedText adds a text that the C tools do not print, in lines of at most plain.MaxLineWidth characters.
func (t *CReport) addWrappedText(text string) { t.buffer.WriteString(plain.Wrap(text) + "\n") }

// isTwoDimensional reports whether the datasets have two dimensions.
func (t *CReport) isTwoDimensional() bool { return t.doc.Parameters.Geometry == result.Geometry2D }
