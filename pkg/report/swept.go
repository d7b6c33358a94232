package report

import (
	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// SweptReport writes the report about a run with --sweep: a table of all cases, when the run ends. The table is the
// summary.
type SweptReport struct{ ownReport }

// WriteHeader writes what is measured.
func (t *SweptReport) WriteHeader() {
	t.addLine("h5perf: %s", t.run.Subject())
	t.addLine("%s", plain.ConditionsLine(t.run.Conditions()))
	t.flush()
}

// EndCase keeps the case for the table.
func (t *SweptReport) EndCase(c result.Case) { t.run.PutCase(c) }

// Close writes the tables of throughputs, of calls and of objects per second, what objects cost, what the run shows of
// the statements of the workload and of its choices, and cautions about the results.
func (t *SweptReport) Close() {
	t.run.Freeze()
	if points := t.run.Points(); len(points) > 0 {
		writeResults(&t.buffer, points, pointColumns(&t.run))
		writeCalls(&t.buffer, &t.run)
		writeList(&t.buffer, figures.ObjectsTitle, t.run.ObjectSentences())
		writeList(&t.buffer, figures.StatementsMeaning, t.run.StatementSentences())
		writeList(&t.buffer, figures.ChoicesTitle, t.run.ChoiceSentences())
		if text := t.run.CautionLine(t.run.Cautions(points), plain.MaxLineWidth); text != "" {
			t.addLine("")
			t.addLine("%s", text)
		}
	}
	t.run = figures.Run{}
	t.flush()
}
