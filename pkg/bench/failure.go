package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// Codes of an agreement, worst last.
const (
	good = iota
	failed
	stopped
)

func stateCode(s result.State) int {
	switch s {
	case result.Failed:
		return failed
	case result.Interrupted:
		return stopped
	default:
		return good
	}
}

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

// newError describes a failure of this process.
func (r *sweep) newError(phase string, err error) result.Error {
	return result.Error{
		Time: r.Now().UTC(), Phase: phase, Rank: r.World.Rank(), Host: r.Host, Ranks: 1, Message: err.Error(),
	}
}

// failure is a failure that all processes of the case agree on.
type failure struct {
	code  int
	error result.Error // of the first process that failed
}

// agree ends a phase: all processes learn whether all succeeded, and if not, what went wrong on the first that failed.
func (c *caseRun) agree(phase string, err error) *failure {
	code := good
	switch {
	case errors.Is(err, engine.ErrStopped) || err == nil && c.Stop.IsSet():
		code = stopped
	case err != nil:
		code = failed
	}
	mine := result.Error{}
	if err != nil && code == failed {
		mine = c.newError(phase, err)
		c.place(&mine)
	}
	highest, rank, waitErr := c.work.Agree(code, c.Stop.IsSet, Grace)
	if waitErr != nil {
		if code != failed {
			mine = c.newError(phase, fmt.Errorf("told to stop while rank %d was in phase %s: %w", c.World.Rank(), phase, waitErr))
			if c.Stop.IsSet() {
				mine.Phase = result.PhaseSignal
			}
			c.place(&mine)
		}
		c.Abort(mine)
	}
	if highest == good {
		return nil
	}
	f := &failure{code: highest, error: mine}
	if highest == failed {
		f.error = Broadcast(c.work, mine, rank)
		count := []uint64{uint64(code)} // failed is 1
		c.work.SumUint64(count)
		f.error.Ranks = int(count[0])
	} else {
		f.error = c.newError(result.PhaseSignal, fmt.Errorf("stopped by a signal in phase %s", phase))
		f.error.Rank = rank
		c.place(&f.error)
	}
	if c.guard == nil {
		told := f.error
		c.guard = time.AfterFunc(Grace, func() { c.Abort(told) })
	}
	return f
}

// place says where in the case an error is.
func (c *caseRun) place(e *result.Error) {
	e.Operation, e.Iteration, e.File = c.op.String(), c.iteration, c.file
}

// Broadcast sends a value that survives JSON from one process to all.
func Broadcast[T any](comm mpi.Comm, value T, root int) T {
	var data []byte
	if comm.Rank() == root {
		data, _ = json.Marshal(value) // plain structs: cannot fail
	}
	var out T
	_ = json.Unmarshal(comm.Bcast(data, root), &out)
	return out
}
