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
		j.mu.Lock()
		watcher := j.watcher
		j.mu.Unlock()
		_ = watcher.Tell(watch.Message{Error: &e}) // one that is gone cannot be told
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

func (j *job) error(phase string, err error) result.Error {
	return result.Error{Time: time.Now().UTC(), Phase: phase, Rank: j.world.Rank(), Host: j.host, Ranks: 1, Message: err.Error()}
}

// describe is an error as a line for people.
func describe(e result.Error) string {
	where := e.Phase
	if e.Operation != "" {
		where = e.Operation + ", " + where
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

// abort ends the whole job when its processes cannot end it together: because of e, which this process knows. It leaves the
// error where the document's keeper finds it, removes the data files, and does not return.
func (j *job) abort(e result.Error) {
	j.ending.Do(func() {
		j.mu.Lock() // for good: nothing is to change any more
		status := exitFailed
		if e.Phase == result.PhaseSignal {
			status = exitStopped
		}
		_, _ = fmt.Fprintf(j.stderr, "h5perf: the job is ended: %s\n", describe(e))
		if j.world.Rank() == 0 && j.recorder != nil {
			doc, err := j.recorder.Cut(append([]result.Error{e}, j.dir.Records()...), status)
			if j.text != nil && j.writing.TryLock() {
				j.reportCut(doc)
			}
			if err := errors.Join(j.deliver(doc, err), j.dir.Clean(j.plan.Parameters.KeepFiles)); err != nil {
				_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
			}
		} else {
			err := j.dir.Record(e)
			if !j.plan.Parameters.KeepFiles {
				_ = j.dir.RemoveData() // the watcher tries again, and tells
			}
			if err != nil {
				_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
			}
		}
		j.world.Abort(status)
		os.Exit(status)
	})
	select {} // another goroutine is ending the process
}
