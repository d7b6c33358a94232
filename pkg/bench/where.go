package bench

import (
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Where is what a process is about: something that may hang, or with Waiting the wait for what others are about. A zero Where
// is work of the process by itself.
type Where struct {
	Phase     result.Phase     // as in result.Error
	Operation result.Operation // "" where there is no file
	Iteration int              // from 1
	File      int              // from 1
	Path      string
	Waiting   bool

	// Progress tells how many bytes of a dataset this process has moved; nil where it moves none. It may be called from
	// another goroutine, until the next call of Enter.
	Progress func() uint64
}

// tell tells where the process is.
func (r *sweep) tell(w Where) {
	if r.Enter != nil {
		r.Enter(w)
	}
}

// where is a phase of the case.
func (c *caseRun) where(phase result.Phase) Where {
	w := Where{Phase: phase, Iteration: c.iteration, File: c.file, Path: c.path}
	if c.path != "" {
		w.Operation = plan.OperationOf(c.op)
	}
	return w
}

// enter tells that the process goes into a phase.
func (c *caseRun) enter(phase result.Phase) { c.tell(c.where(phase)) }

// wait tells that the process waits for the others in a phase.
func (c *caseRun) wait(phase result.Phase) {
	w := c.where(phase)
	w.Waiting = true
	c.tell(w)
}

// barrier waits for the others.
func (c *caseRun) barrier(phase result.Phase) {
	c.wait(phase)
	c.work.Barrier()
}
