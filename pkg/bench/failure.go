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

// Codes of an agreement. A higher code is worse.
const (
	good = iota
	failed
	stopped
)

// codeState returns the state of a case that ended with a code.
func codeState(code int) result.State {
	switch code {
	case failed:
		return result.Failed
	case stopped:
		return result.Interrupted
	default:
		return result.Complete
	}
}

// newError returns the description of a failure of this process.
func (r *runner) newError(phase result.Phase, err error) result.Error {
	return result.Error{
		Time: r.Now().UTC(), Phase: phase, Rank: r.World.Rank(), Host: r.Host, Ranks: 1, Message: err.Error(),
	}
}

// failure is a failure of a case, the same on all its processes.
type failure struct {
	code  int
	error result.Error // of the process with the lowest rank among those with this code
}

// agree ends a phase. err is the error of this process, or nil. If any process passes an error, or is to stop, agree
// returns the failure of the worst kind on all processes, otherwise nil. Collective over the processes of the case.
func (c *caseRun) agree(phase result.Phase, err error) *failure {
	code, mine := good, result.Error{}
	switch {
	case errors.Is(err, engine.ErrStopped) || err == nil && c.Stop.IsSet():
		code = stopped
		mine = c.newError(result.PhaseSignal, fmt.Errorf("stopped by a signal during the phase %s", phase))
	case err != nil:
		code, mine = failed, c.newError(phase, err)
	}
	mine.Operation, mine.Iteration, mine.File = plan.OperationOf(c.op), c.iteration, c.file
	c.wait(phase)
	defer c.notify(Where{Done: c.moved})
	highest, rank, waited, err := c.vote(code)
	mine.Message = c.Patience.Why(waited, c.Grace) + mine.Message
	if err != nil {
		if code == good { // the signal came during the wait
			mine = c.newError(result.PhaseSignal, fmt.Errorf("stopped by a signal during the phase %s: %w", phase, err))
		}
		c.Abort(mine)
	}
	if highest == good {
		return nil
	}
	worst := uint64(0)
	if code == highest {
		worst = 1
	}
	mpi.Sum(c.work, &worst)
	f := &failure{highest, mpi.Broadcast(c.work, mine, rank)}
	f.error.Ranks = int(worst)
	if c.guard == nil {
		c.setGuard(f.error)
	}
	return f
}

// vote agrees on a code. A process that failed waits for calls of the others that last as long as those that were seen;
// waited is for how long. Collective over the processes of the case.
func (c *caseRun) vote(code int) (highest, rank int, waited time.Duration, err error) {
	if code != failed {
		highest, rank, err = c.work.Agree(code, c.Stop.IsSet, c.Grace, mpi.Awake)
		return highest, rank, 0, err
	}
	began := c.Now()
	highest, rank, err = c.work.Agree(code, c.Stop.IsSet, c.Patience.For(c.Grace, began), mpi.Awake)
	return highest, rank, c.Now().Sub(began), err
}

// agreeSince is agree after calls of the file system that began at a time. It notes how long they took, and how long
// the slowest process took for them: all wait for it. Collective over the processes of the case.
func (c *caseRun) agreeSince(began time.Time, phase result.Phase, err error) *failure {
	c.Patience.See(c.Now().Sub(began))
	defer func() { c.Patience.See(c.Now().Sub(began)) }()
	return c.agree(phase, err)
}

// setGuard lets the job end because of an error, unless the case closes its files in time.
func (c *caseRun) setGuard(e result.Error) {
	grace := c.Patience.For(c.Grace, c.Now())
	if grace > c.Grace {
		e.Message = fmt.Sprintf("the files were not closed within %v after an error: %s", grace, e.Message)
	}
	c.guard = time.AfterFunc(grace, func() { c.Abort(e) })
}
