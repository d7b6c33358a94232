package doctor

import (
	"fmt"
	"time"

	"h5perf/pkg/output"
	"h5perf/pkg/result"
)

// beginStep starts a step of the examination, and ends the previous one. If the step takes longer than the timeout, the
// job ends.
func (e *examiner) beginStep(name string) {
	limit := e.Timeout
	if !e.isFirst {
		limit += otherGrace
	}
	e.endStep()
	over, late := make(chan struct{}), e.After(limit)
	e.mu.Lock()
	e.stepEnded = over
	e.mu.Unlock()
	hung := HungStepCheck(name, limit, e.examination.Launch.Rank, e.host)
	go func() {
		select {
		case <-over:
		case <-late:
			e.abandonJob(hung)
		}
	}()
}

// endStep ends the current step of this process.
func (e *examiner) endStep() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stepEnded != nil {
		close(e.stepEnded)
		e.stepEnded = nil
	}
}

// abandonJob ends the job early. The first process reports the checks so far and, at the end, the check given as last.
// It does not return.
func (e *examiner) abandonJob(last Check) {
	e.LimitWrites()
	e.endOnce.Do(func() {
		if e.isFirst {
			e.addCheck(last)
			_ = e.endExamination(nil)
		} else {
			_, _ = fmt.Fprintf(e.Stderr, "h5perf doctor: %s", last.Line())
		}
		e.abortAndExit(result.ExitFailed)
	})
	select {} // another goroutine already ends the process
}

// abortAndExit removes the test files of the examination and ends the job before the examination is complete. It does
// not return. It also ends the process if the file system and MPI no longer answer.
func (e *examiner) abortAndExit(status int) {
	output.CallWithTimeout(e.After(abortTime), func() { _ = e.trial.Remove() })
	output.CallWithTimeout(e.After(abortTime), func() { e.world.Abort(status) })
	e.Exit(status)
}

// catchSignals installs a handler for the signals that end a process: it removes the files of the examination and ends
// the job. The returned function removes the handler.
func (e *examiner) catchSignals() func() {
	signals, release := e.Signals()
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
		case <-signals:
			e.LimitWrites()
			e.endOnce.Do(func() {
				if !e.isFirst {
					e.sleepFor(firstAbortTime)
				}
				e.abortAndExit(result.ExitStopped)
			})
		}
	}()
	return func() {
		release()
		close(done)
	}
}

func (e *examiner) sleepFor(d time.Duration) { <-e.After(d) }
