// This file owns the document of a run from its start to its end. What was measured survives any end of the
// process: every sample is sent to the watcher, and the document is written to disk after every case, and with a sample
// if the last writing was too long ago, so that it survives the end of the node as well. Cases are identified by their
// index in the plan.

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

// DocumentWatcher receives what is not yet in the files of the document. It may outlive this process. *watch.Watcher
// implements it.
type DocumentWatcher interface {
	SendMessage(m watch.Message) error
}

// Recorder owns the document of the run. Its methods may be called from any goroutine.
type Recorder struct {
	mu      sync.Mutex
	doc     result.Document
	paths   []string             // files of the document; if there are none, it is only kept in memory
	force   bool                 // whatever is there at first is replaced
	watcher DocumentWatcher      // may be nil
	open    bool                 // Open was called
	running map[int]*result.Case // cases that have begun and not ended, by index
	at      int                  // index of the case at work, or of the last one
	now     func() time.Time
	next    time.Time // a sample from then on makes the document be written
	closed  bool      // the document has ended
	err     error     // of the last writing
}

// NewRecorder returns a recorder of a document with what is known of the run so far. now returns the present time.
func NewRecorder(doc result.Document, now func() time.Time) *Recorder {
	return &Recorder{doc: doc, running: map[int]*result.Case{}, now: now}
}

// Document returns the present state of the document.
func (r *Recorder) Document() result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.doc
}

// Amend changes the document of a run that has not ended. Because copies of the document share slices and maps,
// change must not modify their elements, but replace them by new slices and maps.
func (r *Recorder) Amend(change func(*result.Document)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		change(&r.doc)
	}
}

// SetPaths sets the files to which the document is written: from Open on at times, and at its end.
func (r *Recorder) SetPaths(paths ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = paths
}

// Paths returns the files of Store.
func (r *Recorder) Paths() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths
}

// ReplaceFiles makes the first write replace whatever is at the paths of Store, as far as that is possible.
func (r *Recorder) ReplaceFiles() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.force = true
}

// Open writes the document for the first time, before the first case. From then on it is written after each case, and
// with a sample. The watcher, which may be nil, receives what happens in between. Open returns an error of writing.
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
	r.running[i] = &c
	r.sendToWatcher(watch.Message{Of: i, Case: &c})
}

// VisitCase records that case i, which has begun, is at work.
func (r *Recorder) VisitCase(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = i
	r.sendToWatcher(watch.Message{Of: i, Visit: true})
}

// AddSample adds a sample to case i, which has begun. It writes the document if the last writing was too long ago, and
// returns an error of that.
func (r *Recorder) AddSample(i int, s result.Sample, warmup bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.running[i]; c != nil {
		c.AddSample(s, warmup)
	}
	r.sendToWatcher(watch.Message{Of: i, Sample: &s, Warmup: warmup})
	if r.closed || r.now().Before(r.next) {
		return nil
	}
	r.putRunning()
	r.writeDocument()
	return r.err
}

// EndCase records the end of case i, and writes the document. c comes without samples; End returns it with those of the
// record, and an error of writing.
func (r *Recorder) EndCase(i int, c result.Case) (result.Case, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begun := r.running[i]; begun != nil {
		c.Samples, c.Warmup = begun.Samples, begun.Warmup
	}
	c.MarkShort()
	delete(r.running, i)
	if c.Error != nil {
		r.doc.Errors = append(r.doc.Errors, *c.Error)
	}
	if !r.closed {
		r.doc.PutCase(c)
		r.putRunning()
	}
	r.writeDocument()
	r.sendToWatcher(watch.Message{Of: i, Written: true})
	return c, r.err
}

// AddNote adds a note to the document. It does not write the document.
func (r *Recorder) AddNote(text string) {
	r.Amend(func(d *result.Document) { d.Notes = append(slices.Clip(d.Notes), text) })
}

// AddCaution adds a caution to the document. It does not write the document.
func (r *Recorder) AddCaution(c plain.Caution) {
	r.Amend(func(d *result.Document) { d.Cautions = append(slices.Clip(d.Cautions), c) })
}

// EndMeasurement ends the measurement: cases that are still running are interrupted. It returns the document, for a
// report.
func (r *Recorder) EndMeasurement() result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.putRunning()
		clear(r.running)
		r.doc.InterruptCases()
		r.doc.MarkImplausible()
	}
	return r.doc
}

// Finish ends the document of a run after Measured, with a state and its exit status, and writes it. It returns the
// document, and an error of writing it.
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

// Fail makes a document that has ended as complete one of a run that failed because of an error after that, and writes
// it. It returns the document.
func (r *Recorder) Fail(e result.Error) result.Document {
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

// EndWithErrors ends the document of a run that was cut short by these errors, and writes it. What comes later is not
// recorded. It returns the document, and an error of writing it.
func (r *Recorder) EndWithErrors(errs []result.Error) (result.Document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.putRunning()
		r.doc.EndWithErrors(errs, r.running[r.at])
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

// putRunning puts the running cases, as far as they are, into the document.
func (r *Recorder) putRunning() {
	for _, c := range r.running {
		r.doc.PutCase(*c)
	}
}

// A sample makes the document be written if the last writing was longer ago than every, and longer than share times
// what that took: large documents on slow file systems take a tenth of the time at most.
const (
	minWriteInterval = 10 * time.Second
	maxWriteShare    = 9
)

// writeDocument writes the document to its files, between Open and the end.
func (r *Recorder) writeDocument() {
	if r.closed || !r.open {
		return
	}
	write := result.Write
	if r.force {
		write, r.force = result.Overwrite, false
	}
	began := r.now()
	r.err = nil
	for _, path := range r.paths {
		r.err = errors.Join(r.err, write(path, r.doc))
	}
	end := r.now()
	r.next = end.Add(max(minWriteInterval, maxWriteShare*end.Sub(began)))
}

// sendToWatcher sends a message to the watcher, if there is one. The run goes on without a watcher that takes none.
func (r *Recorder) sendToWatcher(m watch.Message) {
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
