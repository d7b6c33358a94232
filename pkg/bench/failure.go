package bench

import (
	"errors"
	"fmt"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Codes of a process in an agreement. A higher code is worse.
const (
	codeGood = iota
	codeFailed
	codeStopped
)

// stateOfCode returns the state of a case whose processes agreed on the given code, such as Failed or Interrupted.
func stateOfCode(code int) result.State {
	switch code {
	case codeFailed:
		return result.Failed
	case codeStopped:
		return result.Interrupted
	default:
		return result.Complete
	}
}

// newError returns a result.Error that describes why this process failed in a phase.
func (r *runner) newError(phase result.Phase, err error) result.Error {
	return result.Error{
		Time: r.Now().UTC(), Phase: phase, Rank: r.World.Rank(), Host: r.Host, Ranks: 1, Message: err.Error(),
	}
}

// failure is a failure of a case, the same on all its processes.
type failure struct {
	code  int
	error result.Error // error of the lowest rank that has this code
}

// agreeOnError makes all processes agree, at the end of a phase, whether it failed. err is the error of this process,
// or nil. If any process passes an error or has received a signal to stop, agreeOnError returns the same failure on all
// processes, the one with the highest code; otherwise nil. Collective over the processes of the case.
func (c *caseRun) agreeOnError(phase result.Phase, err error) *failure {
	code, mine := codeGood, result.Error{}
	switch {
	case errors.Is(err, engine.ErrStopped) || err == nil && c.Stop.IsSet():
		code = codeStopped
		mine = c.newError(result.PhaseSignal, fmt.Errorf("stopped by a signal during the phase %s", phase))
	case err != nil:
		code, mine = codeFailed, c.newError(phase, err)
	}
	mine.Operation, mine.Iteration, mine.File = plan.OperationOf(c.op), c.iteration, c.file
	c.reportWait(phase)
	defer c.reportActivity(Activity{Done: c.doneBytes})
	highest, rank, waited, err := c.agreeOnCode(code)
	mine.Message = c.Patience.WaitReason(waited, c.Grace) + mine.Message
	if err != nil {
		if code == codeGood { // the signal came during the wait
			mine = c.newError(result.PhaseSignal, fmt.Errorf("stopped by a signal during the phase %s: %w", phase, err))
		}
		c.Abort(mine)
	}
	if highest == codeGood {
		return nil
	}
	worst := uint64(0)
	if code == highest {
		worst = 1
	}
	mpi.SumInPlace(c.work, &worst)
	f := &failure{highest, mpi.Broadcast(c.work, mine, rank)}
	f.error.Ranks = int(worst)
	if c.closeTimer == nil {
		c.startCloseTimer(f.error)
	}
	return f
}

// agreeOnCode returns the highest code and the lowest rank that has it. A process that failed may have to wait for
// others that are still in a long call, so its time limit grows with the longest recorded call. waited is how long it
// waited. Collective over the processes of the case.
func (c *caseRun) agreeOnCode(code int) (highest, rank int, waited time.Duration, err error) {
	if code != codeFailed {
		highest, rank, err = c.work.Agree(code, c.Stop.IsSet, c.Grace, mpi.Awake)
		return highest, rank, 0, err
	}
	began := c.Now()
	highest, rank, err = c.work.Agree(code, c.Stop.IsSet, c.Patience.WaitTime(c.Grace, began), mpi.Awake)
	return highest, rank, c.Now().Sub(began), err
}

// agreeAfterCalls calls agreeOnError after a process has made calls of the file system, the first at the time began. It
// records how long the calls took on this process, and how long they took on the slowest process, for which all
// processes wait. Collective over the processes of the case.
func (c *caseRun) agreeAfterCalls(began time.Time, phase result.Phase, err error) *failure {
	c.Patience.NoteCall(c.Now().Sub(began))
	defer func() { c.Patience.NoteCall(c.Now().Sub(began)) }()
	return c.agreeOnError(phase, err)
}

// startCloseTimer starts a timer: if the case has not closed its files when it expires, the job ends with the error e.
func (c *caseRun) startCloseTimer(e result.Error) {
	grace := c.Patience.WaitTime(c.Grace, c.Now())
	if grace > c.Grace {
		e.Message = fmt.Sprintf("the files were not closed within %v after an error: %s", grace, e.Message)
	}
	c.closeTimer = time.AfterFunc(grace, func() { c.Abort(e) })
}
