package bench

import (
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Where is the part of the work that a process is in: one that may hang, or with Waiting, a wait for the other
// processes. Without a phase, it is work that depends on no other process and no file system.
type Where struct {
	Phase     result.Phase     // as in result.Error
	Operation result.Operation // "" where there is no file
	Iteration int              // from 1
	File      int              // from 1
	Path      string
	Waiting   bool

	// Progress returns how many bytes of a dataset this process has moved; it is nil if the process moves none. It
	// may be called from other goroutines, until the next call of Enter.
	Progress func() uint64
	// Done is how many bytes of the operation this process of a workload has moved before: Progress is not in it.
	Done uint64
}

// notify passes where the process is to Config.Enter.
func (r *runner) notify(w Where) {
	if r.Enter != nil {
		r.Enter(w)
	}
}

// where returns the place of a phase of the case.
func (c *caseRun) where(phase result.Phase) Where {
	w := Where{Phase: phase, Iteration: c.iteration, File: c.file, Path: c.path, Done: c.moved}
	if c.path != "" {
		w.Operation = plan.OperationOf(c.op)
	}
	return w
}

// enter notifies that the process begins a phase.
func (c *caseRun) enter(phase result.Phase) { c.notify(c.where(phase)) }

// wait notifies that the process waits for the others in a phase.
func (c *caseRun) wait(phase result.Phase) {
	w := c.where(phase)
	w.Waiting = true
	c.notify(w)
}

// barrier waits until all processes of the case have come to it.
func (c *caseRun) barrier(phase result.Phase) {
	c.wait(phase)
	c.work.Barrier()
}
