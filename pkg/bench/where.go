package bench

import (
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Activity is the part of the work that a process is in: one that may hang, or with Waiting, a wait for the other
// processes. Without a phase, it is work that depends on no other process and no file system.
type Activity struct {
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

// reportActivity passes where the process is to Config.Enter.
func (r *runner) reportActivity(w Activity) {
	if r.Enter != nil {
		r.Enter(w)
	}
}

// activityIn returns the place of a phase of the case.
func (c *caseRun) activityIn(phase result.Phase) Activity {
	w := Activity{Phase: phase, Iteration: c.iteration, File: c.file, Path: c.path, Done: c.moved}
	if c.path != "" {
		w.Operation = plan.OperationOf(c.op)
	}
	return w
}

// enterPhase notifies that the process begins a phase.
func (c *caseRun) enterPhase(phase result.Phase) { c.reportActivity(c.activityIn(phase)) }

// waitInPhase notifies that the process waits for the others in a phase.
func (c *caseRun) waitInPhase(phase result.Phase) {
	w := c.activityIn(phase)
	w.Waiting = true
	c.reportActivity(w)
}

// waitAtBarrier waits until all processes of the case have come to it.
func (c *caseRun) waitAtBarrier(phase result.Phase) {
	c.waitInPhase(phase)
	c.work.Barrier()
}
