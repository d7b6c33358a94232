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
	defer c.notify(Where{})
	highest, rank, err := c.work.Agree(code, c.Stop.IsSet, c.Grace, mpi.Awake)
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
		c.guard = time.AfterFunc(c.Grace, func() { c.Abort(f.error) })
	}
	return f
}
