package report

import (
	"bytes"
	"fmt"
	"io"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// SweptReport writes the report about a run with --sweep: a table of all cases, when the run ends.
type SweptReport struct {
	w   io.Writer
	run figures.Run // contains the cases that have ended
	err error
}

var _ Report = (*SweptReport)(nil)

// NewSweptReport returns the report about a run with --sweep.
func NewSweptReport(w io.Writer, doc result.Document) *SweptReport {
	doc.Cases = nil
	return &SweptReport{w: w, run: figures.Run{Document: doc}}
}

// WriteHeader writes what is measured.
func (t *SweptReport) WriteHeader() {
	var b bytes.Buffer
	b.WriteString(plain.Wrap("h5perf: "+t.run.Subject()) + "\n")
	b.WriteString(plain.Wrap(plain.ConditionsLine(t.run.Conditions())) + "\n")
	t.flush(&b)
}

// BeginCase does nothing. It implements Report.
func (t *SweptReport) BeginCase(result.Case) {}

// BeginFile does nothing. It implements Report.
func (t *SweptReport) BeginFile(string) {}

// EndCase keeps the case for the table.
func (t *SweptReport) EndCase(c result.Case) { t.run.PutCase(c) }

// Close writes the tables of throughputs, of calls and of objects per second, what objects cost, what the run shows of
// the statements of the workload and of its choices, and cautions about the results.
func (t *SweptReport) Close() {
	var b bytes.Buffer
	t.run.Freeze()
	if points := t.run.Points(); len(points) > 0 {
		writeResults(&b, points, pointColumns(&t.run))
		writeCalls(&b, &t.run)
		writeList(&b, figures.ObjectsTitle, t.run.ObjectSentences())
		writeList(&b, figures.StatementsMeaning, t.run.StatementSentences())
		writeList(&b, figures.ChoicesTitle, t.run.ChoiceSentences())
		if text := t.run.CautionLine(t.run.Cautions(points), plain.MaxLineWidth); text != "" {
			b.WriteString("\n" + plain.Wrap(text) + "\n")
		}
	}
	t.run = figures.Run{}
	t.flush(&b)
}

func (t *SweptReport) flush(b *bytes.Buffer) {
	if t.err != nil {
		return
	}
	if _, err := t.w.Write(b.Bytes()); err != nil {
		t.err = fmt.Errorf("report: %w", err)
	}
}

// Err implements Report.
func (t *SweptReport) Err() error { return t.err }

// FitsScreen returns true: the table is the summary.
func (t *SweptReport) FitsScreen() bool { return true }
