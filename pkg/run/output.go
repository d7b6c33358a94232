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

// armOutput is the output of an arm on rank 0: document, report, metrics, and lines on standard error. An ender may cut
// and deliver it while the goroutine that measures uses it.
type armOutput struct {
	stdout, stderr io.Writer
	request        Request
	name           result.Arm      // "" if there is only one arm
	ignored        []string        // keys of hints that the library does not read
	inOrder        bool            // cases are measured one after another, so that each is reported when it ends
	index          int             // of the arm
	facts          result.Document // everything that is known when the run is planned
	recorder       *Recorder
	abort          func(result.Error)                     // see ender
	failure        func(result.Phase, error) result.Error // see ender.error
	yield          func()                                 // see ender.yield
	bar            *ProgressBar                           // or nil
	gateway        *metrics.Gateway
	grace          time.Duration
	delivered      atomic.Bool
	summarized     atomic.Bool
	unprinted      atomic.Bool // the document could not be printed

	mu   sync.Mutex // guards the report
	text report.Report
	file *os.File // file of the report, with -o
}

var _ bench.Observer = (*armOutput)(nil)

// newArmOutput returns the output of an arm that is planned.
func newArmOutput(a *arm) *armOutput {
	facts := a.facts()
	o := &armOutput{
		stdout: a.job.Stdout, stderr: a.job.Stderr, request: a.request, name: a.name,
		ignored: a.plan.Ignored,
		inOrder: a.name == "" && a.plan.Parameters.Conditions.Order != option.OrderRandom,
		facts:   facts, recorder: NewRecorder(facts, a.job.Now),
		gateway: a.gateway, grace: a.job.Grace, abort: a.job.ender.abort, failure: a.job.ender.error,
		yield: a.job.ender.yield,
	}
	o.know(a.placed(facts, nil, result.Target{}), "")
	return o
}

// told returns the lines of what is to be told before the run: its cautions and, unless it is quiet, its notes. name is
// that of the arm, or "".
func (o *armOutput) told(name result.Arm) (lines []string) {
	doc := o.recorder.Document()
	for _, c := range slices.Concat(doc.Cautions, figures.Sharing(doc)) {
		lines = append(lines, c.Line(string(name)))
	}
	if !o.request.Quiet {
		for _, note := range doc.Notes {
			lines = append(lines, plain.Note(string(name), note))
		}
	}
	return lines
}

// begin begins document and report, and prints cautions and notes, but not the lines that all arms have in common. With
// several arms, no report goes to standard output: the comparison does.
func (o *armOutput) begin(watcher Watcher, common []string) error {
	doc, named := o.recorder.Document(), o.told(o.name)
	for i, line := range o.told("") {
		if !slices.Contains(common, line) {
			o.say(named[i])
		}
	}
	if o.request.Force {
		o.recorder.Force()
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
		if o.file, err = report.Output.Create(o.request.Output, o.request.Force); err != nil {
			return err
		}
		out = o.file
	case !o.request.Form.OfC() || o.request.JSON == "-" || o.name != "":
		out = io.Discard
	}
	options := o.request.Report
	options.InfoBytes = mpi.MaxInfoValue + 1
	o.text = report.For(out, doc, options)
	o.text.Header()
	return o.text.Err()
}

// printError prints an error on standard error.
func (o *armOutput) printError(err error) { o.failed(named(o.name, err).Error()) }

// failed prints the text of an error on standard error, with the lines that it has.
func (o *armOutput) failed(text string) { _, _ = fmt.Fprintf(o.stderr, "h5perf: %s\n", text) }

// say prints a text for people on standard error, in lines that fit a terminal.
func (o *armOutput) say(text string) { _, _ = fmt.Fprintln(o.stderr, plain.Wrap("h5perf: "+text)) }

// note adds a note to the document, and prints it unless the run is quiet.
func (o *armOutput) note(text string) {
	o.recorder.Note(text)
	if !o.request.Quiet {
		o.say(plain.Note(string(o.name), text))
	}
}

// caution adds a caution to the document, and prints it.
func (o *armOutput) caution(c plain.Caution) {
	o.recorder.Caution(c)
	o.say(c.Line(string(o.name)))
}

// Begin begins a case. Begin, Visit, File, Sample and End implement bench.Observer.
func (o *armOutput) Begin(i int, c result.Case) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bar.Clear()
	if o.inOrder {
		o.text.Begin(c)
	}
	o.recorder.Begin(i, c)
}

// Visit records which case is at work.
func (o *armOutput) Visit(i int) {
	o.bar.Visit(o.index, i)
	o.recorder.Visit(i)
}

// File begins a file of a case.
func (o *armOutput) File(_ int, path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inOrder {
		o.text.File(path)
	}
}

// Sample adds a sample to the document. If the document cannot be written, it ends the job, as End does.
func (o *armOutput) Sample(i int, s result.Sample, warmup bool) {
	o.yield()
	o.bar.Sample(s)
	if err := o.recorder.Sample(i, s, warmup); err != nil {
		o.abort(o.failure(result.PhaseOutput, err))
	}
}

// End ends a case in report and document. If the document cannot be written, it ends the job, since what is measured
// from then on would be lost.
func (o *armOutput) End(i int, c result.Case) {
	o.yield()
	if err := o.endCase(i, c); err != nil {
		o.abort(o.failure(result.PhaseOutput, err))
	}
}

// endCase ends a case in report and document. It prints on standard error if the case failed, or did not measure what
// was asked for. It returns an error of writing the document.
func (o *armOutput) endCase(i int, c result.Case) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bar.End(o.index, i)
	o.bar.Clear()
	if c.Effective != nil {
		effective := *c.Effective
		// A library may tell back what it was given, and does not use.
		effective.Hints = slices.DeleteFunc(hideSecrets(effective.Hints), func(h result.KeyValue) bool {
			return slices.Contains(o.ignored, h.Key)
		})
		c.Effective = &effective
	}
	c, err := o.recorder.End(i, c)
	if o.inOrder {
		o.text.End(c)
	}
	if c.Error != nil {
		o.failed(o.ofCase(c) + ": " + figures.FailureNow(*c.Error))
	}
	for _, caution := range figures.NotCollective(c) {
		o.say(caution.Line(o.ofCase(c)))
	}
	return err
}

// ofCase returns which case it is, in words, after the arm.
func (o *armOutput) ofCase(c result.Case) string {
	return strings.TrimPrefix(fmt.Sprintf("%s: %s", o.name,
		o.facts.Parameters.CaseLabel(c.API, c.Processes, c.TransferSize)), ": ")
}

// reportCases reports all cases, after the run, if they were not measured one after another. The report must be locked.
func (o *armOutput) reportCases(doc result.Document) {
	if o.inOrder {
		return
	}
	for _, c := range doc.Cases {
		o.text.Begin(c)
		o.text.End(c)
	}
}

// end ends the report with the cases of a document.
func (o *armOutput) end(doc result.Document) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reportCases(doc)
	o.text.Close()
}

// close closes the report.
func (o *armOutput) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return o.text.Err()
	}
	return errors.Join(o.text.Err(), o.file.Close())
}

// cut ends document and report in the middle of the run. It returns the document. In the report, it adds the case
// that had not ended, or all cases if they were not measured one after another.
func (o *armOutput) cut(reason result.Error) (result.Document, error) {
	doc, err := o.recorder.Cut([]result.Error{reason})
	if !o.mu.TryLock() { // the goroutine that measures hangs in the report
		return doc, err
	}
	defer o.mu.Unlock()
	if o.text == nil {
		return doc, err
	}
	if n := len(doc.Cases); n > 0 && o.inOrder && doc.Cases[n-1].State == doc.State {
		o.text.End(doc.Cases[n-1])
	}
	o.reportCases(doc)
	o.text.Close()
	return doc, err
}

// deliver prints summary and final document, if asked for, and publishes its metrics. It does so once. It returns err,
// joined with errors of its own. With an error, no document says that the run is complete.
func (o *armOutput) deliver(doc result.Document, err error) error {
	if o.delivered.Swap(true) { // the run is being ended twice: by itself and by a signal
		return err
	}
	if o.request.Form == report.FormSummary {
		err = errors.Join(err, o.summarize(o.stdout, doc))
	}
	if o.request.JSON == "-" {
		err = errors.Join(err, o.print(doc))
	}
	if err != nil {
		doc = o.fail(err)
	}
	if e := o.writeTextfile(doc); e != nil {
		doc, err = o.fail(e), errors.Join(err, e)
	}
	o.push(doc)
	return err
}

// fail makes a document that has ended as complete one of a run that failed because of an error of its outputs.
func (o *armOutput) fail(err error) result.Document {
	return o.recorder.Fail(o.failure(result.PhaseOutput, err))
}

// print prints the document on standard output, and removes the file that held it for that. If it cannot be printed,
// the error names where it is.
func (o *armOutput) print(doc result.Document) error {
	var text bytes.Buffer
	if err := result.Encode(&text, doc); err != nil {
		return err
	}
	paths := o.recorder.Paths()
	if _, err := o.stdout.Write(text.Bytes()); err != nil {
		o.unprinted.Store(true)
		return fmt.Errorf("document: %w; it is in %s", err, strings.Join(paths, ", "))
	}
	if path := temporary(doc); slices.Contains(paths, path) {
		return os.Remove(path)
	}
	return nil
}
