//go:build cgo

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"h5perf/pkg/mpi"
	"h5perf/pkg/recorder"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// openReport begins document and report. Of two arms standard output gets no report, but the comparison.
func (a *arm) openReport() error {
	doc := a.draft
	for _, note := range doc.Notes {
		_, _ = fmt.Fprintf(a.stderr, "h5perf: %v\n", a.named(errors.New(note)))
	}
	a.cases = slices.Collect(a.plan.Cases())
	keeper := recorder.New(doc)
	keeper.Store(a.documents()...)
	err := keeper.Open(a.watcher)
	a.mu.Lock()
	a.recorder = keeper
	a.mu.Unlock()
	if err != nil {
		return err
	}
	out := a.stdout
	switch {
	case a.Output != "":
		if a.file, err = os.Create(a.Output); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		out = a.file
	case a.JSON == "-" || a.name != "":
		out = io.Discard
	}
	a.Report.InfoBytes = mpi.MaxInfoValue + 1
	a.mu.Lock()
	a.text = report.New(out, doc, a.Report)
	a.mu.Unlock()
	a.text.Header()
	return a.text.Err()
}

// inOrder tells whether cases are measured one after the other, so that each can be reported when it ends.
func (a *arm) inOrder() bool {
	return a.name == "" && a.plan.Parameters.Conditions.Order != result.OrderRandom
}

// reportCases reports the cases that were measured in turns, after the run.
func (a *arm) reportCases(doc result.Document) {
	if a.inOrder() {
		return
	}
	for _, c := range doc.Cases {
		a.text.Begin(c)
		a.text.End(c)
	}
}

// reportCut reports the end of a run that was cut short: of the last case, unless that had ended, or of all.
func (a *arm) reportCut(doc result.Document) {
	if n := len(doc.Cases); n > 0 && a.inOrder() && doc.Cases[n-1].State == doc.State {
		a.text.End(doc.Cases[n-1])
	}
	a.reportCases(doc)
}

// closeReport ends the report.
func (a *arm) closeReport() error {
	if a.file == nil {
		return a.text.Err()
	}
	return errors.Join(a.text.Err(), a.file.Close())
}

// Begin begins a case; it and the methods after it are the bench.Observer of the run.
func (a *arm) Begin(i int, c result.Case) {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.bar.Clear()
	if a.inOrder() {
		a.text.Begin(c)
	}
	a.recorder.Begin(i, c)
}

// File begins a file of a case.
func (a *arm) File(i int, path string) {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.bar.Begin(a.cases[i])
	if a.inOrder() {
		a.text.File(path)
	}
}

// Sample takes a sample.
func (a *arm) Sample(i int, s result.Sample, warmup bool) {
	a.bar.Sample(s)
	a.recorder.Sample(i, s, warmup)
}

// End ends a case: in the report, in the document, and where it did not go as asked, on standard error.
func (a *arm) End(i int, c result.Case) {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.bar.Clear()
	c = a.recorder.End(i, c)
	if a.inOrder() {
		a.text.End(c)
	}
	if c.Error != nil {
		_, _ = fmt.Fprintf(a.stderr, "h5perf: %v\n", a.named(fmt.Errorf("%s, processes %d, transfer size %d: %s", c.API, c.Processes, c.TransferBytes, describe(*c.Error))))
	}
	if e := c.Effective; e != nil && e.Collective != nil && e.Collective.Mixed+e.Collective.Independent > 0 {
		_, _ = fmt.Fprintf(a.stderr, "h5perf: %v\n", a.named(fmt.Errorf("%s, processes %d, transfer size %d: of %d transfers asked to be collective, %d were mixed and %d independent: %v",
			c.API, c.Processes, c.TransferBytes, e.Collective.Collective+e.Collective.Mixed+e.Collective.Independent,
			e.Collective.Mixed, e.Collective.Independent, append(e.Collective.GlobalCauses, e.Collective.LocalCauses...))))
	}
}
