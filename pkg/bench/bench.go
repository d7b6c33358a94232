// Package bench runs a plan: the sweep over numbers of processes, transfer sizes, APIs and iterations, its barriers and
// clocks, the agreement on errors, and the samples.
//
// Clocks (seconds of the monotonic clock, on each process, added up over the files and datasets of an iteration):
//
//	open        from the barrier before the open until all processes know that all have the file open
//	transfer    the transfer loops alone
//	access      creating or opening datasets, transferring, closing datasets
//	close       closing the file
//	open-close  open + access + close
//
// Clocks stand still while the processes agree on errors, while buffers are filled and while data are compared.
package bench

import (
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Grace is how long a process that failed or was told to stop waits for the others before it ends the job.
const Grace = 3 * time.Second

// Config is what a run needs. All processes give the same but for Observer, Enter and Abort.
type Config struct {
	Plan    plan.Plan
	World   mpi.Comm
	Engines map[string]func() engine.Engine // by API
	Stop    *engine.Stop
	Dir     rundir.Dir
	Now     func() time.Time // with a monotonic reading
	Host    string           // of this process

	// Nodes counts the nodes of a communicator.
	Nodes func(mpi.Comm) int
	// Observer is told what happens; only that of rank 0 is used.
	Observer Observer
	// Enter is told on each process where it is, before each change of that; nil is nobody. It is called between clocks and
	// inside of some, so it must be quick.
	Enter func(Where)
	// Abort is called when the others do not answer, with what this process knows. It does not return.
	Abort func(result.Error)
}

// Observer is told what happens, on rank 0, in the order in which it happens.
type Observer interface {
	Step(processes int)
	Transfer(c plan.Case)
	// Begin is called before a case, with its description and without samples.
	Begin(c plan.Case, r result.Case)
	// File is called before a file is created.
	File(path string)
	Sample(s result.Sample)
	// End is called after a case, with its samples or its error.
	End(c plan.Case, r result.Case)
}

// Run runs the plan on all processes of the world and tells how it ended: Complete, Failed (at least one case) or
// Interrupted. Every process gets the same answer.
func Run(cfg Config) result.State {
	r := &sweep{Config: cfg, state: result.Complete}
	for _, step := range cfg.Plan.Steps {
		if step.Skip != "" {
			continue
		}
		r.step(step)
		if r.state == result.Interrupted {
			break
		}
	}
	return r.state
}

type sweep struct {
	Config
	state result.State
	work  mpi.Comm // of the step; nil on a process that is left out
}

// step runs the cases of one number of processes. Those left out sleep in the agreement that ends the step.
func (r *sweep) step(step plan.Step) {
	color := 0
	if r.World.Rank() >= step.Processes {
		color = -1
	}
	r.work = r.World.Split(color, r.World.Rank())
	if r.work != nil {
		if r.first() {
			r.Observer.Step(step.Processes)
		}
		r.cases(step)
		r.work.Free()
	}
	r.settle(r.World, stateCode(r.state))
}

func (r *sweep) cases(step plan.Step) {
	nodes := r.Nodes(r.work)
	for _, transfer := range step.Transfers {
		for i, api := range r.Plan.Parameters.APIs {
			c := plan.Case{Parameters: r.Plan.Parameters, Processes: step.Processes, Transfer: transfer, API: api}
			if i == 0 && r.first() {
				r.Observer.Transfer(c)
			}
			switch r.measure(c, nodes) {
			case result.Failed:
				r.state = result.Failed
			case result.Interrupted:
				r.state = result.Interrupted
				return
			}
		}
	}
}

// first tells whether this process tells of the run.
func (r *sweep) first() bool { return r.World.Rank() == 0 }

// settle makes the state of the run that of the worst process.
func (r *sweep) settle(comm mpi.Comm, code int) {
	r.tell(Where{Phase: "step", Waiting: true})
	highest, _, err := comm.Agree(code, r.Stop.IsSet, Grace)
	if err != nil {
		r.Abort(r.newError("step", err))
		return
	}
	r.tell(Where{})
	r.state = codeState(highest)
}
