// Package bench runs a plan: its cases and their iterations in the order that was asked for, barriers and clocks, the
// agreement on errors, and the samples.
//
// Clocks (seconds of the monotonic clock, on each process, added up over the files and datasets of an iteration):
//
//	open        from the barrier before the open until all processes know that all have the file open
//	transfer    the transfer loops alone
//	access      creating or opening datasets, transferring, closing datasets
//	close       closing the file
//	open-close  open + access + close
//	sync        making data durable; in none of the others
//
// Clocks stand still while the processes agree on errors or on how far to go, while buffers are filled, while data are
// compared, and while the page cache is looked at or emptied.
package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Grace is how long a process that failed or was told to stop waits for the others before it ends the job, where Config
// tells nothing else.
const Grace = 3 * time.Second

// Config is what a run needs. All processes give the same but for Enter, Abort and the observers.
type Config struct {
	Arms  []Arm // one, or two that CheckPair accepts, which are measured in turns
	World mpi.Comm
	Stop  *engine.Stop
	Now   func() time.Time // with a monotonic reading
	Host  string           // of this process
	Grace time.Duration    // takes the place of the constant; 0 is that

	// Enter is told on each process where it is, before each change of that; nil is nobody. It is called between clocks
	// and inside of some, so it must be quick.
	Enter func(Where)
	// Abort is called when the others do not answer, with what this process knows. It does not return.
	Abort func(result.Error)
}

// Arm is one configuration of a run.
type Arm struct {
	Plan    plan.Plan
	Engines map[string]func() engine.Engine // by API
	Dir     rundir.Dir
	// Observer is told what happens; only that of rank 0 is used.
	Observer Observer
}

// Observer is told what happens to the cases of an arm, on rank 0, in the order in which it happens. Case i is that of
// plan.Plan.Cases, from 0. Where the order is not the given one, other cases begin and end between Begin and End of a
// case.
type Observer interface {
	// Begin is called before a case, with its description and without samples.
	Begin(i int, r result.Case)
	// File is called before a file of a case is created.
	File(i int, path string)
	// Sample is called with each sample of a case.
	Sample(i int, s result.Sample, warmup bool)
	// End is called after a case, with all but its samples. A case that another one's interruption ended has none.
	End(i int, r result.Case)
}

// CheckPair refuses two plans whose cases cannot be measured in turns.
func CheckPair(a, b plan.Plan) error {
	count := func(p plan.Plan) (n int) {
		for range p.Cases() {
			n++
		}
		return n
	}
	if na, nb := count(a), count(b); na != nb {
		return fmt.Errorf("%d cases in A and %d in B: each case of A needs one of B to be compared with", na, nb)
	}
	if ia, ib := a.Parameters.Iterations, b.Parameters.Iterations; ia != ib {
		return fmt.Errorf("%d iterations in A and %d in B: the samples of both must be taken side by side", ia, ib)
	}
	if wa, wb := a.Parameters.Conditions.Warmup, b.Parameters.Conditions.Warmup; wa != wb {
		return fmt.Errorf("%d warm-up iterations in A and %d in B: the samples of both must be taken side by side", wa, wb)
	}
	if a.Parameters.WriteOnly != b.Parameters.WriteOnly || (a.Parameters.Conditions.ReadOnly == "") != (b.Parameters.Conditions.ReadOnly == "") {
		return errors.New("not both of A and B write and read: give -w, or --read-only, to both or to none")
	}
	return nil
}

// Run runs the plans on all processes of the world and tells how it ended: Complete, Failed (at least one case) or
// Interrupted. Every process gets the same answer.
func Run(cfg Config) result.State {
	cfg.Grace = cmp.Or(cfg.Grace, Grace)
	r := &sweep{Config: cfg, state: result.Complete, groups: groups{}}
	defer r.groups.free()
	turns := r.turns()
	conditions := cfg.Arms[0].Plan.Parameters.Conditions
	if len(cfg.Arms) > 1 || conditions.Order == result.OrderRandom {
		r.rounds(turns, conditions.Seed)
		return r.state
	}
	for _, t := range turns {
		if r.take(t, math.MaxInt); r.state == result.Interrupted {
			break
		}
	}
	return r.state
}

type sweep struct {
	Config
	state  result.State
	groups groups
}

// first tells whether this process tells of the run.
func (r *sweep) first() bool { return r.World.Rank() == 0 }
