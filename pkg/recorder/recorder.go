// Package recorder keeps the document of a run while it goes on, so that what was measured survives any end: on disk after
// every case, and sample by sample with the watcher. Cases are known by their number in the plan.
package recorder

import (
	"slices"
	"sync"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// Recorder is the document of the run. Its methods may be called from any goroutine.
type Recorder struct {
	paths   []string // files with the document; without one it is only kept in memory
	watcher *watch.Watcher

	mu      sync.Mutex
	doc     result.Document
	running map[int]*result.Case // begun and not ended
	closed  bool
	err     error // the first that kept the document from being written
}

// New begins the record of a run and writes its document for the first time, to each of the paths.
func New(doc result.Document, paths []string, watcher *watch.Watcher) (*Recorder, error) {
	r := &Recorder{paths: paths, watcher: watcher, doc: doc, running: map[int]*result.Case{}}
	r.write()
	return r, r.err
}

// Begin begins a case.
func (r *Recorder) Begin(i int, c result.Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[i] = &c
	r.tell(watch.Message{Of: i, Case: &c})
}

// Sample adds a sample to a case that has begun.
func (r *Recorder) Sample(i int, s result.Sample, warmup bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.running[i]; c != nil {
		c.Add(s, warmup)
	}
	r.tell(watch.Message{Of: i, Sample: &s, Warmup: warmup})
}

// End ends a case that has begun, and writes the document. c has no samples; it returns the case with them.
func (r *Recorder) End(i int, c result.Case) result.Case {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begun := r.running[i]; begun != nil {
		c.Samples, c.Warmup = begun.Samples, begun.Warmup
	}
	delete(r.running, i)
	if c.Error != nil {
		r.doc.Errors = append(r.doc.Errors, *c.Error)
	}
	if !r.closed {
		r.doc.Put(c)
		r.putRunning()
	}
	r.write()
	r.tell(watch.Message{Of: i, Written: true})
	return c
}

// Note adds a note to the document, which is written when it is finished.
func (r *Recorder) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.doc.Notes = append(slices.Clip(r.doc.Notes), text)
	}
}

// Measured ends the cases of a run that came to its end; those that have not ended were interrupted with it. memoryCopy is
// what the memory of a node can copy, in bytes per second; 0 is unknown. It returns the document, for a report.
func (r *Recorder) Measured(state result.State, memoryCopy float64) result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.putRunning()
		clear(r.running)
		r.doc.EndCases(state)
		r.doc.Machine.MemoryCopy = memoryCopy
		r.doc.MarkImplausible()
	}
	return r.doc
}

// Finish ends the document of a run that was measured. It returns the document, and the first error that kept it from being
// written.
func (r *Recorder) Finish(state result.State, status int) (result.Document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		now := time.Now().UTC()
		r.doc.State, r.doc.ExitStatus, r.doc.Finished = state, &status, &now
		r.write()
		r.closed = true
	}
	return r.doc, r.err
}

// Cut ends the document of a run that is cut short by these errors; nothing is recorded after it.
func (r *Recorder) Cut(errs []result.Error, status int) (result.Document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.putRunning()
		r.doc.ExitStatus = &status
		r.doc.End(errs)
		r.write()
		r.closed = true
	}
	return r.doc, r.err
}

// putRunning puts what there is of the running cases in the document.
func (r *Recorder) putRunning() {
	for _, c := range r.running {
		r.doc.Put(*c)
	}
}

func (r *Recorder) write() {
	if r.closed {
		return
	}
	for _, path := range r.paths {
		if err := result.Write(path, r.doc); err != nil && r.err == nil {
			r.err = err
		}
	}
}

func (r *Recorder) tell(m watch.Message) {
	if err := r.watcher.Tell(m); err != nil && r.err == nil {
		r.err = err
	}
}
