package run

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/exit"
	"h5perf/pkg/figures"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// abortTime is the time that the MPI library has to make the launcher end the job. After it, this process exits.
const abortTime = 2 * time.Second

// outputTime is the time that the launcher has to pass on the output of this process before it is asked to end the job:
// MPICH's launcher sometimes loses output that it has not passed on by then.
const outputTime = 500 * time.Millisecond

// ender ends the job if its processes cannot end it together. Its methods may be called from any goroutine: those of
// signals, watchdog and alarm, and the one that measures.
type ender struct {
	Process
	world mpi.Comm
	host  string
	link  *link

	once     sync.Once
	recorded chan struct{} // closed when the error that ends the job is in the documents, or sent to rank 0

	mu       sync.Mutex // guards the fields below; the goroutine that ends the job never unlocks it
	signal   os.Signal  // the first signal that asked to end
	watchers []Watcher  // of this process
	outputs  []*output  // of this process, once the run is planned
}

// newEnder returns the ender of a process.
func newEnder(p Process, world mpi.Comm, host string, l *link) *ender {
	return &ender{Process: p, world: world, host: host, link: l, recorded: make(chan struct{})}
}

// planned adds the outputs of the arms, which a job that is ended from now on completes.
func (e *ender) planned(arms []*arm) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range arms {
		e.outputs = append(e.outputs, a.out)
	}
}

// watched adds a watcher.
func (e *ender) watched(w Watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watchers = append(e.watchers, w)
}

// catchSignals makes signals that ask to end stop the run: they set the stop flag, which the transfer loops poll. If
// the run has not ended after the grace, the job is aborted. The function that is returned undoes catchSignals.
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
		late := e.After(e.Grace)
		e.Hurry()
		reason := e.error(result.PhaseSignal, fmt.Errorf("stopped by %s", e.signalName()))
		go e.notifyWatchers(reason)
		select {
		case <-done:
		case <-late:
			e.abort(reason)
		}
	}()
	return func() {
		release()
		close(done)
	}
}

// signalName describes the signal that stopped the run.
func (e *ender) signalName() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.signal == nil {
		return "a signal to another rank"
	}
	if number, ok := e.signal.(syscall.Signal); ok {
		return unix.SignalName(number)
	}
	return e.signal.String()
}

// error returns the description of an error of this process.
func (e *ender) error(phase result.Phase, err error) result.Error {
	return result.Error{
		Time: e.Now().UTC(), Phase: phase, Rank: e.world.Rank(), Host: e.host, Ranks: 1, Message: err.Error(),
	}
}

// receive ends the job because of an error of another rank. It returns when the document is complete, with this error
// or with an earlier one.
func (e *ender) receive(reason result.Error) {
	go func() { // does not return: this goroutine ends the process, or waits while another one does
		e.notifyWatchers(reason)
		e.abort(reason)
	}()
	<-e.recorded
}

// hung ends the job because this process hangs, or the processes for which it waits.
func (e *ender) hung(at bench.Where, text string) {
	reason := e.error(at.Phase, errors.New(text))
	reason.Operation, reason.Iteration, reason.File = at.Operation, at.Iteration, at.File
	e.abort(reason)
}

// abort ends the whole job, with an error as the reason. Rank 0 completes the document with it; the other ranks send it
// to rank 0. abort does not return. File systems may hang, so it uses none except that of the document: the watcher
// removes the data files after this process has ended.
func (e *ender) abort(reason result.Error) {
	e.Hurry()
	e.once.Do(func() {
		e.mu.Lock()
		status := exit.Failed
		if reason.Phase == result.PhaseSignal {
			status = exit.Stopped
		}
		if err := e.record(reason); err != nil {
			_, _ = fmt.Fprintf(e.Stderr, "h5perf: %v\n", err)
		}
		for _, o := range e.outputs {
			o.conclude()
		}
		for _, w := range e.watchers {
			w.Wake()
		}
		e.sleep(outputTime)
		exit.Within(e.After(abortTime), func() { e.world.Abort(status) })
		e.Exit(status)
	})
	select {} // another goroutine is ending the process
}

// notifyWatchers sends an error to the watchers, since this process may end before it can do more.
func (e *ender) notifyWatchers(reason result.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.watchers {
		_ = w.Tell(watch.Message{Error: &reason}) // fails if the watcher has ended
	}
}

// say prints the error that ends the job. Another rank has printed its own error.
func (e *ender) say(reason result.Error) {
	if reason.Rank == e.world.Rank() {
		_, _ = fmt.Fprintf(e.Stderr, "h5perf: the job is ended: %s\n", figures.FailureNow(reason))
	}
}

// record prints the error that ends the job, and sends it to rank 0. Rank 0 first completes the documents with the
// error, since nobody may read its streams, then prints it and delivers the documents. Before the run is planned there
// are no documents.
func (e *ender) record(reason result.Error) error {
	if e.world.Rank() != 0 {
		defer close(e.recorded)
		e.say(reason) // rank 0 ends the job when it has the error
		return e.link.send(reason)
	}
	var deliver []func() error
	for _, o := range e.outputs {
		doc, err := o.cut(reason)
		deliver = append(deliver, func() error { return named(o.name, o.deliver(doc, err)) })
	}
	close(e.recorded)
	e.say(reason)
	var failures []error
	for _, each := range deliver {
		failures = append(failures, each())
	}
	return errors.Join(failures...)
}
