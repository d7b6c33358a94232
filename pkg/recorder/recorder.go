// Package recorder holds the document of a run, from what is known before it begins to its end, so that what was
// measured survives any end: on disk after every case, and sample by sample with the watcher. Cases are known by their
// number in the plan.
package recorder

import (
	"slices"
	"sync"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// Watcher is told what is not yet in the files with the document, and may outlive this process. A *watch.Watcher is
// one.
type Watcher interface {
	Tell(m watch.Message) error
}

// Recorder owns the document of the run. Its methods may be called from any goroutine.
type Recorder struct {
	mu      sync.Mutex
	doc     result.Document
	paths   []string             // files with the document; without one it is only kept in memory
	watcher Watcher              // or nil
	open    bool                 // the document is written after each change
	running map[int]*result.Case // begun and not ended
	closed  bool
	err     error // the first that kept the document from being written
}

// New begins the record of a run with what is known of it so far.
func New(doc result.Document) *Recorder {
	return &Recorder{doc: doc, running: map[int]*result.Case{}}
}

// Document returns the document as it is now.
func (r *Recorder) Document() result.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.doc
}

// Amend changes the document of a run that has not ended. It must leave what slices and maps of the document hold as it
// is, and put new ones in their place: copies of the document share them.
func (r *Recorder) Amend(change func(*result.Document)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		change(&r.doc)
	}
}

// Store names the files to which the document is written at its end, and from Open on after each change.
func (r *Recorder) Store(paths ...string) {
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

// Open writes the document for the first time, before the first case, and from then on after each change. The watcher,
// which may be nil, is told of what happens in between.
func (r *Recorder) Open(watcher Watcher) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watcher, r.open = watcher, true
	r.write()
	return r.err
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

// Measured ends the cases of a run that came to its end; those that have not ended were interrupted with it. memoryCopy
// is what the memory of a node can copy, in bytes per second; 0 is unknown. It returns the document, for a report.
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

// Finish ends the document of a run that was measured. It returns the document, and the first error that kept it from
// being written.
func (r *Recorder) Finish(state result.State, status int) (result.Document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		now := time.Now().UTC()
		r.doc.State, r.doc.ExitStatus, r.doc.Finished = state, &status, &now
		r.end()
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
		r.end()
	}
	return r.doc, r.err
}

// end writes the document for the last time, also where the run never came to its first case.
func (r *Recorder) end() {
	r.open = true
	r.write()
	r.closed = true
}

// putRunning puts what there is of the running cases in the document.
func (r *Recorder) putRunning() {
	for _, c := range r.running {
		r.doc.Put(*c)
	}
}

// write writes the document to its files, where that has begun and not ended.
func (r *Recorder) write() {
	if r.closed || !r.open {
		return
	}
	for _, path := range r.paths {
		if err := result.Write(path, r.doc); err != nil && r.err == nil {
			r.err = err
		}
	}
}

func (r *Recorder) tell(m watch.Message) {
	if r.watcher == nil {
		return
	}
	if err := r.watcher.Tell(m); err != nil && r.err == nil {
		r.err = err
	}
}
