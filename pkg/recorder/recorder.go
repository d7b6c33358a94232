// Package recorder keeps the document of a run while it goes on, so that what was measured survives any end: on disk after
// every case, and sample by sample with the watcher.
package recorder

import (
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
	current *result.Case // begun and not ended
	closed  bool
	err     error // the first that kept the document from being written
}

// New begins the record of a run and writes its document for the first time, to each of the paths.
func New(doc result.Document, paths []string, watcher *watch.Watcher) (*Recorder, error) {
	r := &Recorder{paths: paths, watcher: watcher, doc: doc}
	r.write()
	return r, r.err
}

// Begin begins a case.
func (r *Recorder) Begin(c result.Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = &c
	r.tell(watch.Message{Case: &c})
}

// Sample adds a sample to the case.
func (r *Recorder) Sample(s result.Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Samples = append(r.current.Samples, s)
	}
	r.tell(watch.Message{Sample: &s})
}

// End ends the case, and writes the document.
func (r *Recorder) End(c result.Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = nil
	r.doc.Cases = append(r.doc.Cases, c)
	if c.Error != nil {
		r.doc.Errors = append(r.doc.Errors, *c.Error)
	}
	r.write()
	r.tell(watch.Message{Written: true})
}

// Finish ends the document of a run that came to its end. It returns the document, and the first error that kept it from
// being written.
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
		r.doc.ExitStatus = &status
		r.doc.End(r.current, errs)
		r.write()
		r.closed = true
	}
	return r.doc, r.err
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
