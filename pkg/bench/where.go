package bench

import (
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Activity is what a process is doing, for the watchdog: work that may hang or, if Waiting is set, a wait for the other
// processes. An empty phase means work that cannot hang, because it needs no other process and no file system.
type Activity struct {
	Phase     result.Phase     // the phase as in result.Error
	Operation result.Operation // "" if there is no file
	Iteration int              // from 1
	File      int              // from 1
	Path      string
	Waiting   bool

	// Progress returns how many bytes of a dataset this process has moved; it is nil if the process moves none. It may
	// be called from other goroutines, until the next call of Enter.
	Progress func() uint64
	// Done is the work that this process has done in earlier steps of the operation, in a workload: the bytes that it
	// has moved, and plan.ObjectBytes for each object. It does not include Progress.
	Done uint64
}

// reportActivity passes an activity to Config.Enter.
func (r *runner) reportActivity(w Activity) {
	if r.Enter != nil {
		r.Enter(w)
	}
}

// activityIn returns the activity of the case in a phase.
func (c *caseRun) activityIn(phase result.Phase) Activity {
	w := Activity{Phase: phase, Iteration: c.iteration, File: c.file, Path: c.path, Done: c.doneBytes}
	if c.path != "" {
		w.Operation = plan.OperationOf(c.op)
	}
	return w
}

// enterPhase reports that the process begins a phase.
func (c *caseRun) enterPhase(phase result.Phase) { c.reportActivity(c.activityIn(phase)) }

// reportWait reports that the process waits for the others in a phase.
func (c *caseRun) reportWait(phase result.Phase) {
	w := c.activityIn(phase)
	w.Waiting = true
	c.reportActivity(w)
}

// waitAtBarrier waits until all processes of the case have arrived.
func (c *caseRun) waitAtBarrier(phase result.Phase) {
	c.reportWait(phase)
	c.work.Barrier()
}
