package run

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/exit"
	"h5perf/pkg/figures"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// abortTime is how long the MPI library has to tell the launcher that the job ends, before this process ends by itself.
const abortTime = 2 * time.Second

// lastWordsTime is how long the launcher has to pass on what was told last, before it hears that the job is to end:
// MPICH's now and then loses what it has not passed on by then.
const lastWordsTime = 500 * time.Millisecond

// ender ends the job when its processes cannot end it together. Its methods may be called from any goroutine: that of
// signals, the watchdog's, the alarm's, and the one that measures.
type ender struct {
	Process
	world mpi.Comm
	host  string
	link  *link

	once sync.Once
	told chan struct{} // closed when the error that ends the job is in the documents, or with rank 0

	mu       sync.Mutex // of what follows; held for good by who ends the job, so that nothing changes any more
	signal   os.Signal  // the first that asked to end
	watchers []Watcher  // of this process
	outputs  []*output  // of this process, when the run is planned
}

func newEnder(p Process, world mpi.Comm, host string, l *link) *ender {
	return &ender{Process: p, world: world, host: host, link: l, told: make(chan struct{})}
}

// planned is told of the arms of the run, which are from now on worth telling of.
func (e *ender) planned(arms []*arm) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range arms {
		e.outputs = append(e.outputs, a.out)
	}
}

// watched is told of a watcher.
func (e *ender) watched(w Watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watchers = append(e.watchers, w)
}

// catchSignals makes signals that ask to end stop the run: the transfer loops see it at once, and when this process is
// not done a little later, it ends the job. The function that is returned undoes it.
func (e *ender) catchSignals(stop *engine.Stop) func() {
	signals, release := e.Signals()
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case s := <-signals:
			e.mu.Lock()
			e.signal = s
			e.mu.Unlock()
			stop.Set()
		}
		reason := e.error(result.PhaseSignal, fmt.Errorf("stopped by %s", e.signalName()))
		e.tellWatchers(reason)
		select {
		case <-done:
		case <-e.After(e.Grace):
			e.abort(reason)
		}
	}()
	return func() {
		release()
		close(done)
	}
}

// signalName is the signal that stopped this process, or what stopped others.
func (e *ender) signalName() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.signal == nil {
		return "a signal to another rank"
	}
	return e.signal.String()
}

// error describes an error of this process.
func (e *ender) error(phase result.Phase, err error) result.Error {
	return result.Error{
		Time: e.Now().UTC(), Phase: phase, Rank: e.world.Rank(), Host: e.host, Ranks: 1, Message: err.Error(),
	}
}

// receive takes an error that ends the job from another rank. It returns when the document has ended, with this error
// or with one that was first.
func (e *ender) receive(reason result.Error) {
	go func() { // a job that is being ended already goes no further than this
		e.tellWatchers(reason)
		e.abort(reason)
	}()
	<-e.told
}

// hung ends the job because this process hangs, or all that it waits for.
func (e *ender) hung(at bench.Where, text string) {
	reason := e.error(at.Phase, errors.New(text))
	reason.Operation, reason.Iteration, reason.File = at.Operation, at.Iteration, at.File
	e.abort(reason)
}

// abort ends the whole job, for a reason. Rank 0 ends the document with it, and is told of it by the others. It does
// not return. File systems may hang: none but that of the document is touched, and the data files are left to the
// watcher, which goes to work when this process has really gone.
func (e *ender) abort(reason result.Error) {
	e.once.Do(func() {
		e.mu.Lock()
		status := exit.Failed
		if reason.Phase == result.PhaseSignal {
			status = exit.Stopped
		}
		if reason.Rank == e.world.Rank() { // what another rank has told, it has said as well
			_, _ = fmt.Fprintf(e.Stderr, "h5perf: the job is ended: %s\n", figures.FailureNow(reason))
		}
		if err := e.tell(reason, status); err != nil {
			_, _ = fmt.Fprintf(e.Stderr, "h5perf: %v\n", err)
		}
		e.sleep(lastWordsTime)
		exit.Within(e.After(abortTime), func() { e.world.Abort(status) })
		e.Exit(status)
	})
	select {} // another goroutine is ending the process
}

// tellWatchers tells the watchers of an error, for this process may not live to do more.
func (e *ender) tellWatchers(reason result.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.watchers {
		_ = w.Tell(watch.Message{Error: &reason}) // one that is gone cannot be told
	}
}

// tell tells rank 0 of the error that ends the job, or on rank 0 the documents, and then all who want them. While the
// run is not planned there is nothing to tell of.
func (e *ender) tell(reason result.Error, status int) error {
	if e.world.Rank() != 0 {
		defer close(e.told)
		return e.link.send(reason)
	}
	var deliver []func() error
	for _, o := range e.outputs {
		doc, err := o.cut(reason, status)
		deliver = append(deliver, func() error { return named(o.name, o.deliver(doc, err)) })
	}
	close(e.told)
	var failures []error
	for _, each := range deliver {
		failures = append(failures, each())
	}
	return errors.Join(failures...)
}
