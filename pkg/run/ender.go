package run

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/figures"
	"h5perf/pkg/mpi"
	"h5perf/pkg/output"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// abortTimeout is the time that the MPI library has to make the launcher end the job. After it, this process exits.
const abortTimeout = 2 * time.Second

// flushTime is the time that the launcher has to pass on the output of this process before it is asked to end the job:
// MPICH's launcher sometimes loses output that it has not passed on by then.
const flushTime = 500 * time.Millisecond

// Rank 0 waits a little for the errors of other ranks, so that one line on standard error counts all of them: until no
// other has come for gatherTime, but at most gathers times that.
const (
	gatherTime = 100 * time.Millisecond
	maxGathers = 5
)

// rankZeroTimeout is how long a rank that has told rank 0 of its error waits for rank 0 to end the job. Then it ends
// the job itself: rank 0 hangs, perhaps while it writes the document.
const rankZeroTimeout = maxGathers*gatherTime + flushTime + abortTimeout

// headStart is the time that one rank has to end the job, if rank 0 does not, before other ranks do that after a random
// time, at most headStart too.
const headStart = flushTime + 500*time.Millisecond

// jobEnder ends the whole job after an error or a signal, if the processes cannot agree to end it by themselves, for
// example because one hangs. Its methods may be called from any goroutine.
type jobEnder struct {
	Process
	world mpi.Comm
	host  string
	link  *rankLink

	once   sync.Once
	ending atomic.Bool // this process is ending the job
	hung   atomic.Bool // a call of this process was taken for hung

	noticeMu      sync.Mutex         // guards the fields below
	notice        *watch.ErrorNotice // the errors that this process knows, its own and those of others; nil if none
	noticeChanges int                // number of times that the notice was changed

	mu       sync.Mutex                // guards the fields below; the goroutine that ends the job never unlocks it
	signal   os.Signal                 // the first signal that asked to end
	watchers []Watcher                 // of this process
	notified bool                      // the watchers know an error
	outputs  []*armOutput              // of this process, once the run is planned
	last     func(bySignal bool) error // what is left to do after the documents are complete, or nil
}

// newJobEnder returns the ender of a process.
func newJobEnder(p Process, world mpi.Comm, host string, l *rankLink) *jobEnder {
	return &jobEnder{Process: p, world: world, host: host, link: l}
}

// addOutputs adds the outputs of the arms: if the job is ended later, the ender completes their documents.
func (e *jobEnder) addOutputs(arms []*arm) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range arms {
		e.outputs = append(e.outputs, a.out)
	}
}

// setLast sets what is left to do when the documents are complete. It is told whether a signal has ended the job.
func (e *jobEnder) setLast(last func(bySignal bool) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = last
}

// addWatcher adds a watcher.
func (e *jobEnder) addWatcher(w Watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watchers = append(e.watchers, w)
}

// catchSignals makes signals such as SIGTERM stop the run: they set the stop flag, which the transfer loops poll. If
// the run has not ended after the grace period, the job is aborted. The returned function ends the catching of signals.
func (e *jobEnder) catchSignals(stop *engine.StopFlag) func() {
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
		e.LimitWrites()
		reason := e.newError(result.PhaseSignal, fmt.Errorf("stopped by %s", e.signalName()))
		go e.notifyWatchers(reason)
		select {
		case <-done:
		case <-late:
			e.abortJob(reason)
		}
	}()
	return func() {
		release()
		close(done)
	}
}

// signalName describes the signal that stopped the run.
func (e *jobEnder) signalName() string {
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

// newError returns the description of an error of this process.
func (e *jobEnder) newError(phase result.Phase, err error) result.Error {
	return result.Error{
		Time: e.Now().UTC(), Phase: phase, Rank: e.world.Rank(), Host: e.host, Ranks: 1, Message: err.Error(),
	}
}

// receiveNotice ends the job because of errors of other ranks. It does not wait for the end.
func (e *jobEnder) receiveNotice(n watch.ErrorNotice) {
	if e.addErrors(n) {
		go func() { // does not return: this goroutine ends the process, or waits while another one does
			e.notifyWatchers(n.Error)
			e.abortJob(n.Error)
		}()
	}
}

// addErrors adds the errors of a notice to those that this process knows. It reports whether the process knew no errors
// before.
func (e *jobEnder) addErrors(n watch.ErrorNotice) bool {
	e.noticeMu.Lock()
	defer e.noticeMu.Unlock()
	e.noticeChanges++
	if e.notice == nil {
		e.notice = &n
		return true
	}
	e.notice.Add(n)
	return false
}

// knownError returns the first error that this process knows, with the number of ranks that have failed. Its second
// result counts the notices so far, so that a caller can see whether another one has arrived.
func (e *jobEnder) knownError() (result.Error, int) {
	e.noticeMu.Lock()
	defer e.noticeMu.Unlock()
	return e.notice.Failure(), e.noticeChanges
}

// abortHungJob ends the job because this process hangs, or the processes for which it waits.
func (e *jobEnder) abortHungJob(at bench.Activity, text string) {
	e.hung.Store(true)
	reason := e.newError(at.Phase, errors.New(text))
	reason.Operation, reason.Iteration, reason.File = at.Operation, at.Iteration, at.File
	e.abortJob(reason)
}

// abortJob ends the whole job, with an error as the reason, unless this process knows an earlier one. Rank 0 completes
// the document with it; the other ranks send it to rank 0, which ends the job. abortJob does not return. Since file
// systems may hang, it writes only the document, and removes no data files: the watcher removes them after this process
// has ended.
func (e *jobEnder) abortJob(reason result.Error) {
	e.LimitWrites()
	e.addErrors(watch.NewNotice(reason, e.world.Rank()))
	e.once.Do(func() {
		e.ending.Store(true)
		e.mu.Lock()
		for _, w := range e.watchers {
			w.Resume()
		}
		if err := e.recordErrors(); err != nil {
			_, _ = fmt.Fprintf(e.Stderr, "h5perf: %v\n", err)
		}
		for _, o := range e.outputs {
			o.printSummary()
		}
		status := result.ExitFailed
		if first, _ := e.knownError(); first.Phase == result.PhaseSignal {
			status = result.ExitStopped
		}
		e.sleepFor(flushTime)
		output.CallWithTimeout(e.After(abortTimeout), func() { e.world.Abort(status) })
		e.Exit(status)
	})
	select {} // another goroutine is ending the process
}

// waitIfEnding waits forever if another goroutine of this process is ending the job. The goroutine that measures calls
// it before it reports a sample, a case or the end of the run: a call that the watchdog has reported as hung may return
// after all, while the job is being ended.
func (e *jobEnder) waitIfEnding() {
	if e.ending.Load() {
		select {} // another goroutine is ending the process
	}
}

// notifyWatchers sends an error to the watchers, since this process may end before it can do more.
func (e *jobEnder) notifyWatchers(reason result.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notifyWatchersLocked(reason)
}

// waitIfHung waits forever if the watchdog has reported a call of this process as hung, and the call returned after
// all, while the job is being ended. So the other processes cannot complete the case together with this one, and rank 0
// prints no figures of that case.
func (e *jobEnder) waitIfHung() {
	if e.hung.Load() {
		select {} // another goroutine is ending the process
	}
}

// notifyWatchersLocked sends an error to the watchers. The ender must be locked.
func (e *jobEnder) notifyWatchersLocked(reason result.Error) {
	e.notified = true
	for _, w := range e.watchers {
		_ = w.SendMessage(watch.WatcherMessage{Error: &reason}) // fails if the watcher has ended
	}
}

// printReason prints the error that ends the job.
func (e *jobEnder) printReason(reason result.Error) {
	_, _ = fmt.Fprintf(e.Stderr, "h5perf: the job is ended: %s\n", figures.FailureDuringRun(reason))
}

// recordErrors records the errors that end the job: rank 0 writes them to the documents, and the other ranks send them
// to rank 0.
func (e *jobEnder) recordErrors() error {
	if e.world.Rank() == 0 {
		return e.completeDocuments()
	}
	return e.sendErrors()
}

// sendErrors sends the errors that end the job to rank 0. Then rank 0 ends the job, and with it this process, so that
// sendErrors usually does not return. If rank 0 cannot be reached, or does not end the job, this process prints the
// error, unless another process ends the job first.
func (e *jobEnder) sendErrors() error {
	e.noticeMu.Lock()
	n := e.notice.Clone()
	e.noticeMu.Unlock()
	err := e.link.sendNotice(n)
	if err == nil {
		e.sleepFor(rankZeroTimeout)
	}
	if !e.link.isDeputy() {
		e.sleepFor(headStart + e.Jitter(headStart))
	}
	reason, _ := e.knownError()
	e.printReason(reason)
	return err
}

// completeDocuments completes the documents with the errors that end the job. It does so before it prints the first
// error and delivers the documents, because writing to a stream hangs if nobody reads it. Before the run is planned
// there are no documents.
func (e *jobEnder) completeDocuments() error {
	reason := e.gatherErrors()
	var deliver []func() error
	for _, o := range e.outputs {
		doc, err := o.endWithError(reason)
		deliver = append(deliver, func() error { return wrapArmError(o.name, o.deliverDocument(doc, err)) })
	}
	e.printReason(reason)
	var failures []error
	for _, each := range deliver {
		failures = append(failures, each())
	}
	if e.last != nil {
		failures = append(failures, e.last(reason.Phase == result.PhaseSignal))
	}
	return errors.Join(failures...)
}

// gatherErrors waits until no further errors arrive from other ranks, and returns the first error, with the number of
// ranks that have failed.
func (e *jobEnder) gatherErrors() result.Error {
	reason, before := e.knownError()
	if !e.notified {
		e.notifyWatchersLocked(reason) // they complete the documents if this process is killed meanwhile
	}
	for i := 0; i < maxGathers && e.world.Size() > 1; i++ {
		e.sleepFor(gatherTime)
		var now int
		if reason, now = e.knownError(); now == before {
			break
		}
		before = now
	}
	return reason
}
