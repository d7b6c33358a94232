// Package report makes the text report of a run from its document. It is the report of HDF5's h5perf and h5perf_serial,
// letter by letter, with what misleads in it mended: a case that failed has no figure, text of several ranks comes in their
// order, the details have more digits, and the raw data of a serial run are read in their own time.
//
// MB is 2^20 bytes here, as it is in that report.
package report

import (
	"bytes"
	"fmt"
	"io"

	"h5perf/pkg/result"
)

// Options choose what is shown (option -D).
type Options struct {
	Level     int  // 0 to 4
	Raw       bool // the transfer loops by themselves
	Times     bool // times beside throughputs, and those of file open and close
	InfoBytes int  // what the report gives as the largest length of an MPI hint: MPI_MAX_INFO_VAL
}

// The levels at which something is added.
const (
	allRanks = 1 // parameters of every rank, names of data files
	details  = 3 // times of every iteration
	buffers  = 4 // the part of every rank in every file
)

// Text writes the report while the run goes on. The methods are called in the order in which things happen; each writes
// once.
type Text struct {
	w       io.Writer
	doc     result.Document
	options Options

	buffer bytes.Buffer
	err    error

	current result.Case
	files   int // begun in the current case
}

// New makes the report of a run with this document, of which the parameters, the software and the job must be known.
func New(w io.Writer, doc result.Document, options Options) *Text {
	return &Text{w: w, doc: doc, options: options}
}

// Err is the first error of the writer. Nothing is written after it.
func (t *Text) Err() error { return t.err }

// line adds a line.
func (t *Text) line(format string, args ...any) {
	fmt.Fprintf(&t.buffer, format+"\n", args...)
}

// flush writes what was added.
func (t *Text) flush() {
	if t.err == nil {
		if _, err := t.w.Write(t.buffer.Bytes()); err != nil {
			t.err = fmt.Errorf("report: %w", err)
		}
	}
	t.buffer.Reset()
}

// twoD tells whether the datasets have two dimensions.
func (t *Text) twoD() bool { return t.doc.Parameters.Geometry == result.Geometry2D }
