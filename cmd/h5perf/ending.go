//go:build cgo

package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// catchSignals makes signals that ask to end stop the run: the transfer loops see it at once, and when this process is not
// done a little later, it ends the job. The function that is returned undoes it.
func (j *job) catchSignals() func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR2, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case s := <-signals:
			j.mu.Lock()
			j.signal = s
			j.mu.Unlock()
			j.stop.Set()
		}
		e := j.error(result.PhaseSignal, fmt.Errorf("stopped by %s", j.signalName()))
		j.tellWatchers(e)
		select {
		case <-done:
		case <-time.After(bench.Grace):
			j.abort(e)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// signalName is the signal that stopped this process, or what stopped others.
func (j *job) signalName() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.signal == nil {
		return "a signal to another rank"
	}
	return j.signal.String()
}

func (j *job) error(phase result.Phase, err error) result.Error {
	return result.Error{Time: time.Now().UTC(), Phase: phase, Rank: j.world.Rank(), Host: j.host, Ranks: 1, Message: err.Error()}
}

// describe is an error as a line for people.
func describe(e result.Error) string {
	where := string(e.Phase)
	if e.Operation != "" {
		where = string(e.Operation) + ", " + where
	}
	if e.Iteration > 0 {
		where += fmt.Sprintf(", iteration %d", e.Iteration)
	}
	more := ""
	if e.Ranks > 1 {
		more = fmt.Sprintf(" and %d more", e.Ranks-1)
	}
	return fmt.Sprintf("%s: rank %d%s (%s): %s", where, e.Rank, more, e.Host, e.Message)
}

// abort ends the whole job when its processes cannot end it together: because of e. Rank 0 ends the document with it, and is
// told of it by the others. It does not return. File systems may hang: none but that of the document is touched, and the
// data files are left to the watcher, which goes to work when this process has really gone.
func (j *job) abort(e result.Error) {
	j.ending.Do(func() {
		j.mu.Lock() // for good: nothing is to change any more
		status := exitFailed
		if e.Phase == result.PhaseSignal {
			status = exitStopped
		}
		if e.Rank == j.world.Rank() { // what another rank has told, it has said as well
			_, _ = fmt.Fprintf(j.stderr, "h5perf: the job is ended: %s\n", describe(e))
		}
		j.tell(e, status)
		time.Sleep(lastWordsTime)
		aborted := make(chan struct{})
		go func() {
			j.world.Abort(status)
			close(aborted)
		}()
		select {
		case <-aborted:
		case <-time.After(abortTime):
		}
		os.Exit(status)
	})
	select {} // another goroutine is ending the process
}

// tellWatchers tells the watchers of an error, for this process may not live to do more.
func (j *job) tellWatchers(e result.Error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, a := range j.arms {
		_ = a.watcher.Tell(watch.Message{Error: &e}) // one that is gone cannot be told
	}
}

// tell tells rank 0 of the error that ends the job, or on rank 0 the documents and all who want them.
func (j *job) tell(e result.Error, status int) {
	var err error
	var deliver []func() error
	if j.world.Rank() != 0 {
		err = j.line.Send(e)
	} else {
		for _, a := range j.arms { // none while the run is not planned: there is nothing to tell of
			doc, err := a.end(e, status)
			deliver = append(deliver, func() error { return a.named(a.deliver(doc, err)) })
		}
	}
	close(j.told)
	for _, each := range deliver {
		err = errors.Join(err, each())
	}
	if err != nil {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
	}
}

// end ends document and report in the middle of the run.
func (a *arm) end(e result.Error, status int) (result.Document, error) {
	if a.recorder == nil {
		return a.fail(e, status)
	}
	doc, err := a.recorder.Cut([]result.Error{e}, status)
	if a.text != nil && a.writing.TryLock() {
		a.reportCut(doc)
	}
	return doc, err
}
