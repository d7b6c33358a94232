// This file owns the document of a run from its start to its end. Measurements survive any end of the process, since
// every sample is sent to the watcher. They also survive the end of the node: the document is written to disk after
// every case, and after a sample if the last write was too long ago. Cases are identified by their index in the plan.

package run

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// DocumentWatcher receives results that are not in the files of the document yet, so that it can add them if this
// process is killed.
// *watch.Watcher implements it.
type DocumentWatcher interface {
	SendMessage(m watch.WatcherMessage) error
}

// Recorder holds the document of the run, changes it and writes it to files. Its methods may be called from any
// goroutine.
type Recorder struct {
	mu           sync.Mutex
	doc          result.Document
	paths        []string             // files of the document; if there are none, it is only kept in memory
	replaceFiles bool                 // the first write replaces existing files
	watcher      DocumentWatcher      // may be nil
	open         bool                 // Open was called
	runningCases map[int]*result.Case // cases that have begun but not ended, by index
	currentCase  int                  // index of the current case, or of the last one
	now          func() time.Time
	nextWrite    time.Time // a sample from this time on makes the recorder write the document
	closed       bool      // the document has ended
	err          error     // error of the last write
}

// NewRecorder returns a recorder for doc, which contains the facts that are known before the run. now returns the
// current time.
func NewRecorder(doc result.Document, now func() time.Time) *Recorder {
	return &Recorder{doc: doc, runningCases: map[int]*result.Case{}, now: now}
}

// Document returns the document in its current state.
func (r *Recorder) Document() result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.doc
}

// ChangeDocument changes the document, unless it has ended. Copies of the document share slices and maps: change must
// not modify their elements, but replace them by new slices and maps.
func (r *Recorder) ChangeDocument(change func(*result.Document)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		change(&r.doc)
	}
}

// SetPaths sets the files to which the recorder writes the document: several times during the run, after Open, and at
// the end of the document.
func (r *Recorder) SetPaths(paths ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = paths
}

// Paths returns the files set by SetPaths.
func (r *Recorder) Paths() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths
}

// ReplaceFiles makes the first write replace existing files at the paths of SetPaths, as far as that is possible.
func (r *Recorder) ReplaceFiles() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replaceFiles = true
}

// Open writes the document for the first time, before the first case. From then on it is written after each case, and
// after some samples. The watcher, which may be nil, receives the changes between two writes. Open returns an error if
// it cannot write.
func (r *Recorder) Open(watcher DocumentWatcher) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watcher, r.open = watcher, true
	r.writeDocument()
	return r.err
}

// BeginCase records that case i begins.
func (r *Recorder) BeginCase(i int, c result.Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runningCases[i] = &c
	r.sendToWatcher(watch.WatcherMessage{CaseNumber: i, Case: &c})
}

// VisitCase records that case i, which has begun, is now being measured.
func (r *Recorder) VisitCase(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.currentCase = i
	r.sendToWatcher(watch.WatcherMessage{CaseNumber: i, CurrentCase: true})
}

// AddSample adds a sample to case i, which has begun. It writes the document if the last write was too long ago, and
// returns an error if it cannot.
func (r *Recorder) AddSample(i int, s result.Sample, warmup bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.runningCases[i]; c != nil {
		c.AddSample(s, warmup)
	}
	r.sendToWatcher(watch.WatcherMessage{CaseNumber: i, Sample: &s, Warmup: warmup})
	if r.closed || r.now().Before(r.nextWrite) {
		return nil
	}
	r.copyRunningCases()
	r.writeDocument()
	return r.err
}

// EndCase records the end of case i, and writes the document. c comes without samples. EndCase returns the case with
// the recorded samples, and an error if it cannot write the document.
func (r *Recorder) EndCase(i int, c result.Case) (result.Case, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begun := r.runningCases[i]; begun != nil {
		c.Samples, c.Warmup = begun.Samples, begun.Warmup
	}
	c.UpdateShortMarks()
	delete(r.runningCases, i)
	if c.Error != nil {
		r.doc.Errors = append(r.doc.Errors, *c.Error)
	}
	if !r.closed {
		r.doc.PutCase(c)
		r.copyRunningCases()
	}
	r.writeDocument()
	r.sendToWatcher(watch.WatcherMessage{CaseNumber: i, CaseInDocument: true})
	return c, r.err
}

// AddNote adds a note to the document. It does not write the document.
func (r *Recorder) AddNote(text string) {
	r.ChangeDocument(func(d *result.Document) { d.Notes = append(slices.Clip(d.Notes), text) })
}

// AddCaution adds a caution to the document. It does not write the document.
func (r *Recorder) AddCaution(c plain.Caution) {
	r.ChangeDocument(func(d *result.Document) { d.Cautions = append(slices.Clip(d.Cautions), c) })
}

// EndMeasurement ends the measurement: cases that are still running are interrupted. It returns the document, for the
// report.
func (r *Recorder) EndMeasurement() result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.copyRunningCases()
		clear(r.runningCases)
		r.doc.InterruptCases()
		r.doc.AddImplausibleMarks()
	}
	return r.doc
}

// Finish ends the document after EndMeasurement: it sets state and exit status, and writes the document. It returns the
// document, and an error if it cannot write it.
func (r *Recorder) Finish(state result.State) (result.Document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		now, status := r.now().UTC(), state.ExitStatus()
		r.doc.State, r.doc.ExitStatus, r.doc.Finished = state, &status, &now
		r.closeDocument()
	}
	return r.doc, r.err
}

// MarkFailed changes the state of a complete document to failed, because of a later error e, and writes the document.
// It returns the document.
func (r *Recorder) MarkFailed(e result.Error) result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed && r.doc.State == result.Complete {
		status := result.Failed.ExitStatus()
		r.doc.State, r.doc.ExitStatus = result.Failed, &status
		r.doc.Errors = append(slices.Clip(r.doc.Errors), e)
		r.closed = false
		r.closeDocument()
	}
	return r.doc
}

// EndWithErrors ends the document of a run that stopped early because of errs, and writes it. Nothing is recorded after
// that. It returns the document, and an error if it cannot write it.
func (r *Recorder) EndWithErrors(errs []result.Error) (result.Document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.copyRunningCases()
		r.doc.EndWithErrors(errs, r.runningCases[r.currentCase])
		r.closeDocument()
	}
	return r.doc, r.err
}

// closeDocument writes the document for the last time, even if Open was never called.
func (r *Recorder) closeDocument() {
	r.open = true
	r.writeDocument()
	r.closed = true
}

// copyRunningCases copies the cases that have not ended, with their samples so far, into the document.
func (r *Recorder) copyRunningCases() {
	for _, c := range r.runningCases {
		r.doc.PutCase(*c)
	}
}

// A sample makes the recorder write the document if the last write ended at least minWriteInterval ago, and more than
// maxWriteShare times its own duration ago. Writing large documents to slow file systems so takes at most a tenth of
// the time.
const (
	minWriteInterval = 10 * time.Second
	maxWriteShare    = 9
)

// writeDocument writes the document to its files. Before Open and after the end, it does nothing.
func (r *Recorder) writeDocument() {
	if r.closed || !r.open {
		return
	}
	write := result.Write
	if r.replaceFiles {
		write, r.replaceFiles = result.Overwrite, false
	}
	began := r.now()
	r.err = nil
	for _, path := range r.paths {
		r.err = errors.Join(r.err, write(path, r.doc))
	}
	end := r.now()
	r.nextWrite = end.Add(max(minWriteInterval, maxWriteShare*end.Sub(began)))
}

// sendToWatcher sends a message to the watcher, if there is one. If that fails, the run continues without it.
func (r *Recorder) sendToWatcher(m watch.WatcherMessage) {
	if r.watcher == nil || r.closed {
		return
	}
	if err := r.watcher.SendMessage(m); err != nil {
		r.watcher = nil
		r.doc.Notes = append(slices.Clip(r.doc.Notes),
			fmt.Sprintf("The watcher takes nothing more (%v): if the run had been killed after that, this document "+
				"would have stayed incomplete.", err))
	}
}
