package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/figures"
	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// armOutput holds the outputs of an arm on rank 0: document, report, metrics, and lines on standard error. A jobEnder
// may complete and deliver these outputs while the goroutine that measures uses them.
type armOutput struct {
	stdout, stderr io.Writer
	request        Request
	name           string          // label of the arm
	ignoredHints   []string        // keys of hints that the library ignores
	inOrder        bool            // cases are measured one after another, so that each is reported when it ends
	index          int             // index of the arm
	facts          result.Document // all facts that are known when the run is planned
	recorder       *Recorder
	abort          func(result.Error)                     // see jobEnder.abortJob
	newError       func(result.Phase, error) result.Error // see jobEnder.newError
	waitIfEnding   func()                                 // see jobEnder.waitIfEnding
	bar            *ProgressBar                           // or nil
	gateway        *metrics.Gateway
	grace          time.Duration
	delivered      atomic.Bool
	summarized     atomic.Bool
	unprinted      atomic.Bool // the document could not be printed

	mu         sync.Mutex // guards the report and the causes
	causes     figures.ErrorCauses
	report     report.Report
	reportFile *os.File // file of the report, with -o
}

var _ bench.Observer = (*armOutput)(nil)

func newArmOutput(a *arm) *armOutput {
	facts := a.plannedDocument()
	o := &armOutput{
		stdout: a.job.Stdout, stderr: a.job.Stderr, request: a.request, name: a.label(),
		ignoredHints: a.plan.Ignored,
		inOrder:      a.name == "" && a.plan.Parameters.Conditions.Order != option.OrderRandom,
		facts:        facts, recorder: NewRecorder(facts, a.job.Now),
		gateway: a.gateway, grace: a.job.Grace, abort: a.job.ender.abortJob, newError: a.job.ender.newError,
		waitIfEnding: a.job.ender.waitIfEnding,
	}
	o.setDocument(a.documentWithTarget(facts, nil, result.Target{}), "")
	return o
}

// cautionsAndNotes returns the lines to print before the run: its cautions and, unless the run is quiet, its notes.
// name is the label of the arm, with which the lines begin, or "".
func (o *armOutput) cautionsAndNotes(name string) (lines []string) {
	doc := o.recorder.Document()
	for _, c := range slices.Concat(doc.Cautions, figures.SharingCautions(doc)) {
		lines = append(lines, c.Line(name))
	}
	if !o.request.Quiet {
		for _, note := range doc.Notes {
			lines = append(lines, plain.NoteLine(name, note))
		}
	}
	return lines
}

// beginReport begins the document and the report of the arm. It prints the
// cautions and notes of this arm, except those that all arms share: they are printed once.
// With several arms, no report is printed on standard output, because their comparison will be printed there.
func (o *armOutput) beginReport(watcher Watcher, common []string) error {
	doc, named := o.recorder.Document(), o.cautionsAndNotes(o.name)
	for i, line := range o.cautionsAndNotes("") {
		if !slices.Contains(common, line) {
			o.printText(named[i])
		}
	}
	if o.request.Force {
		o.recorder.ReplaceFiles()
	}
	if err := o.recorder.Open(watcher); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	out := o.stdout
	switch {
	case o.request.Output != "":
		var err error
		if o.reportFile, err = report.Output.Create(o.request.Output, o.request.Force); err != nil {
			return err
		}
		out = o.reportFile
	case !o.request.Form.PrintsCText() || o.request.JSON == "-" || o.name != "":
		out = io.Discard
	}
	options := o.request.Report
	options.InfoBytes = mpi.MaxInfoValue + 1
	o.report = report.NewReport(out, doc, options)
	o.report.WriteHeader()
	return o.report.Err()
}

func (o *armOutput) printError(err error) {
	_, _ = fmt.Fprintf(o.stderr, "h5perf: %v\n", wrapArmError(o.name, err))
}

// writeFailure writes the error of a case or of the job in lines that fit a terminal, and keeps its line breaks. Other
// errors are not broken, so that a command in them can be copied.
func writeFailure(w io.Writer, text string) {
	var b strings.Builder
	for line := range strings.SplitSeq("h5perf: "+text, "\n") {
		b.WriteString(plain.Wrap(line) + "\n")
	}
	_, _ = io.WriteString(w, b.String())
}

// printText prints text for people on standard error, in lines that fit a terminal.
func (o *armOutput) printText(text string) {
	_, _ = fmt.Fprintln(o.stderr, plain.Wrap("h5perf: "+text))
}

// addNote adds a note to the document, and prints it unless the run is quiet.
func (o *armOutput) addNote(text string) {
	o.recorder.AddNote(text)
	if !o.request.Quiet {
		o.printNote(text)
	}
}

// printNote prints a note that is not in the document.
func (o *armOutput) printNote(text string) { o.printText(plain.NoteLine(o.name, text)) }

func (o *armOutput) addCaution(c plain.Caution) {
	o.recorder.AddCaution(c)
	o.printText(c.Line(o.name))
}

// BeginCase begins a case. BeginCase, VisitCase, BeginFile, AddSample and EndCase implement bench.Observer.
func (o *armOutput) BeginCase(i int, c result.Case) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bar.Clear()
	if o.inOrder {
		o.report.BeginCase(c)
	}
	o.recorder.BeginCase(i, c)
}

// VisitCase records that case i is measured from now on. In turns, a case is measured several times.
func (o *armOutput) VisitCase(i int) {
	o.bar.VisitCase(o.index, i)
	o.recorder.VisitCase(i)
}

// BeginFile begins a file of a case in the report.
func (o *armOutput) BeginFile(_ int, path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inOrder {
		o.report.BeginFile(path)
	}
}

// AddSample adds a sample to the document. If the document cannot be written, it ends the job, as EndCase does.
func (o *armOutput) AddSample(i int, s result.Sample, warmup bool) {
	o.waitIfEnding()
	o.bar.AddSample(s)
	if err := o.recorder.AddSample(i, s, warmup); err != nil {
		o.abort(o.newError(result.PhaseOutput, err))
	}
}

// EndCase ends a case in report and document. If the document cannot be written, it ends the job, since later
// measurements would be lost.
func (o *armOutput) EndCase(i int, c result.Case) {
	o.waitIfEnding()
	if err := o.recordCaseEnd(i, c); err != nil {
		o.abort(o.newError(result.PhaseOutput, err))
	}
}

// recordCaseEnd ends a case in the report and in the document. It prints a message on standard error if the case failed
// by a cause that is not printed yet, or if its transfers were not collective as requested. It returns an error if the
// document cannot be written.
func (o *armOutput) recordCaseEnd(i int, c result.Case) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bar.EndCase(o.index, i)
	o.bar.Clear()
	if c.Effective != nil {
		effective := *c.Effective
		// A library may return hints that it was given but does not use.
		effective.Hints = slices.DeleteFunc(hideSecrets(effective.Hints), func(h result.KeyValue) bool {
			return slices.Contains(o.ignoredHints, h.Key)
		})
		c.Effective = &effective
	}
	c, err := o.recorder.EndCase(i, c)
	if o.inOrder {
		o.report.EndCase(c)
	}
	if c.Error != nil && o.causes.Add(*c.Error) == 1 {
		writeFailure(o.stderr, o.caseLabel(c)+": "+figures.FailureDuringRun(*c.Error))
	}
	// with statements about transfers, the report tells of each case
	if w := o.facts.Parameters.Workload; w == nil || w.Statements == nil {
		for _, caution := range figures.CollectiveCautions(c) {
			o.printText(caution.Line(o.caseLabel(c)))
		}
	}
	return err
}

// printRepeatedErrors prints how many cases failed by each cause, if several did: recordCaseEnd printed only the first.
func (o *armOutput) printRepeatedErrors() {
	if !o.mu.TryLock() { // the goroutine that measures hangs while it writes the report
		return
	}
	defer o.mu.Unlock()
	for _, cause := range o.causes.All() {
		if cause.Count > 1 {
			text := fmt.Sprintf("%d cases failed like this: %s", cause.Count, figures.CauseText(cause.First.Message))
			writeFailure(o.stderr, wrapArmError(o.name, errors.New(text)).Error())
		}
	}
}

// caseLabel describes a case for people, and begins with the label of the arm.
func (o *armOutput) caseLabel(c result.Case) string {
	return strings.TrimPrefix(fmt.Sprintf("%s: %s", o.name,
		o.facts.Parameters.CaseLabel(c.API, c.Processes, c.TransferSize, c.Values)), ": ")
}

// writeAllCases writes all cases to the report after the run. It does nothing if cases were measured one after another,
// since each was then written when it ended. The caller must hold mu.
func (o *armOutput) writeAllCases(doc result.Document) {
	if o.inOrder {
		return
	}
	for _, c := range doc.Cases {
		o.report.BeginCase(c)
		o.report.EndCase(c)
	}
}

// endReport ends the report. If cases were not measured one after another, it first writes all cases of doc.
func (o *armOutput) endReport(doc result.Document) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writeAllCases(doc)
	o.report.Close()
}

// closeReport closes the file of the report. It also returns earlier errors of writing the report.
func (o *armOutput) closeReport() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reportFile == nil {
		return o.report.Err()
	}
	return errors.Join(o.report.Err(), o.reportFile.Close())
}

// endWithError ends the document and the report in the middle of the run, and returns the document. It adds to the
// report the case that has not ended or, if cases were not measured one after another, all cases.
func (o *armOutput) endWithError(reason result.Error) (result.Document, error) {
	doc, err := o.recorder.EndWithErrors([]result.Error{reason})
	if !o.mu.TryLock() { // the goroutine that measures hangs while it writes the report
		return doc, err
	}
	defer o.mu.Unlock()
	if o.report == nil {
		return doc, err
	}
	if n := len(doc.Cases); n > 0 && o.inOrder && doc.Cases[n-1].State == doc.State {
		o.report.EndCase(doc.Cases[n-1])
	}
	o.writeAllCases(doc)
	o.report.Close()
	return doc, err
}

// deliverDocument prints the summary and the final document, if asked for, and publishes the metrics. It does so only
// once. It returns err, joined with errors of its own. If there is any error, the document does not say that the run is
// complete.
func (o *armOutput) deliverDocument(doc result.Document, err error) error {
	if o.delivered.Swap(true) { // the run ends twice: by itself and because of a signal
		return err
	}
	if o.request.Form == report.FormSummary {
		err = errors.Join(err, o.writeSummary(o.stdout, doc))
	}
	if o.request.JSON == "-" {
		err = errors.Join(err, o.printDocument(doc))
	}
	if err != nil {
		doc = o.markDocumentFailed(err)
	}
	if e := o.writeTextfile(doc); e != nil {
		doc, err = o.markDocumentFailed(e), errors.Join(err, e)
	}
	o.pushMetrics(doc)
	return err
}

// markDocumentFailed changes the state of a complete document to failed, because an output could not be written.
func (o *armOutput) markDocumentFailed(err error) result.Document {
	return o.recorder.MarkFailed(o.newError(result.PhaseOutput, err))
}

// printDocument prints the document on standard output, and then removes its temporary file. If it cannot print the
// document, it keeps the temporary file, and the error names that file.
func (o *armOutput) printDocument(doc result.Document) error {
	var text bytes.Buffer
	if err := result.Encode(&text, doc); err != nil {
		return err
	}
	paths := o.recorder.Paths()
	if _, err := o.stdout.Write(text.Bytes()); err != nil {
		o.unprinted.Store(true)
		return fmt.Errorf("document: %w; it is in %s", err, strings.Join(paths, ", "))
	}
	if path := temporaryPath(doc); slices.Contains(paths, path) {
		return os.Remove(path)
	}
	return nil
}
