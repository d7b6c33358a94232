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
	"bytes"
	"fmt"
	"io"
	"regexp"

	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// TextOptions select what is shown (option -D).
type TextOptions struct {
	Level     int  // 0 to 4
	Raw       bool // show the transfer loops by themselves
	Times     bool // show times beside throughputs, and those of opening and closing files
	InfoBytes int  // MPI_MAX_INFO_VAL, which the report shows
}

// Output is the report as a file.
var Output = output.FileKind{
	Name: "report", Own: regexp.MustCompile(`^(HDF5 Library: Version |h5perf workload )`).Match, Once: true,
}

// The levels from which on something is added.
const (
	levelAllRanks = 1 // parameters of every rank, names of data files
	levelDetails  = 3 // times of every iteration
	levelBuffers  = 4 // the part of every rank in every file
)

// Text writes the report that is compatible with the C tools.
type Text struct {
	w       io.Writer
	doc     result.Document
	options TextOptions
	serial  bool // as h5perf_serial writes it, and not as h5perf

	buffer bytes.Buffer
	err    error

	current result.Case
	files   int // number of files that were begun in the current case

	results     int      // number of directions of cases that have figures
	windowRates []string // those of them that Close names

	compared  uint64   // bytes that were read and compared with what was written, which Close names
	explained []string // what cautions and notes have explained
}

// NewText returns the report of a run. The parameters, the software and the job of the document must be known.
func NewText(w io.Writer, doc result.Document, options TextOptions) *Text {
	return &Text{w: w, doc: doc, options: options, serial: doc.Parameters.Kind() == result.KindSerial}
}

// Err returns the first error of the writer. Nothing is written after an error.
func (t *Text) Err() error { return t.err }

// FitsScreen reports that the report does not fit on a screen.
func (t *Text) FitsScreen() bool { return false }

// addLine adds a line to what flush writes.
func (t *Text) addLine(format string, args ...any) {
	fmt.Fprintf(&t.buffer, format+"\n", args...)
}

// addWrappedText adds a text that the C tools do not have, in lines that fit a terminal.
func (t *Text) addWrappedText(text string) { t.buffer.WriteString(plain.Wrap(text) + "\n") }

// flush writes the lines that were added.
func (t *Text) flush() {
	if t.err == nil {
		if _, err := io.WriteString(t.w, plain.Text(t.buffer.String())); err != nil {
			t.err = fmt.Errorf("report: %w", err)
		}
	}
	t.buffer.Reset()
}

// isTwoDimensional reports whether the datasets have two dimensions.
func (t *Text) isTwoDimensional() bool { return t.doc.Parameters.Geometry == result.Geometry2D }
