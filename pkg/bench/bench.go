// Package bench measures the cases of a plan: it takes times between barriers, and makes samples of them. It measures
// cases and iterations in the requested order, and makes all processes agree on errors.
//
// An epoch is one part of an iteration, such as the transfers of a dataset. It begins at a barrier, and ends before the
// processes agree on errors. No clock runs while processes wait for one another, agree on errors or on a number of
// transfers, fill buffers, compare data, or examine or drop the page cache. An epoch has a time on each process, and a
// window: see result.Interval. Both are summed over the epochs of an iteration, with all its files and datasets:
//
//	open        opening or creating the file
//	transfer    the transfer loops only
//	access      creating or opening datasets, transferring, closing datasets
//	close       closing the file
//	open-close  open + access + close
//	sync        making data durable; part of no other clock
package bench

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Grace is the default of Config.Grace.
const Grace = 3 * time.Second

// Config describes a run. All processes call Run with the same values, except for Host, Enter, Abort and the observers.
type Config struct {
	Arms  []Arm // several arms must pass CheckArms, and are measured alternately
	World mpi.Comm
	Stop  *engine.StopFlag
	Now   func() time.Time // returns the time of day
	// Clock is a monotonic clock that all processes of a node share, as NodeClock is.
	Clock func() time.Duration
	Sleep func(time.Duration) // replaces the computing of workloads; nil: time.Sleep
	Host  string              // of this process
	// Deadline is when the run should end; the zero time is no deadline. To meet it, cases get fewer iterations, and
	// cases that have no time for an iteration are skipped.
	Deadline time.Time
	// Budget is the time that a run with several arms may take; 0 is no limit. To keep it, the last arms are dropped
	// after the first round, which must be a warm-up.
	Budget time.Duration
	// NextRound chooses the arms of each round of a run in random order, and their order in the round. It is called on
	// rank 0 before each round and after the last one, with the seconds that each arm took to write and read in the
	// round before, in all cases; 0 for an arm that was not measured or has failed. An arm that it leaves out ends. It
	// returns no arm to end the run. A width or a time of the samples then ends no case. If NextRound is nil, each
	// round measures all arms. It is nil on all processes or on none.
	NextRound func(seconds []float64) []int
	// Grace is how long a process that failed, or received a signal to stop, waits for the others before it ends the
	// job; 0 is the constant Grace. A process that failed waits longer if it took long before to open, close and sync
	// files.
	Grace time.Duration
	// WaitPolicy determines this longer wait. Run records in it how long calls took. nil is a Patience without records.
	Patience *WaitPolicy

	// SetActivity is called on each process before it begins another activity; it may be nil. It must be fast: some
	// calls are made while a clock runs.
	Enter func(Activity)
	// CallCounters count the calls of MPI-IO and POSIX, by API, if the conditions ask for it.
	CallCounters map[string]engine.CallCounter
	// OpenTrafficMeter returns the meter for the file system of a directory. handle is the directory if it is open, or
	// nil. If OpenTrafficMeter is nil, it is node.NewTrafficMeter.
	OpenTrafficMeter func(dir string, handle *os.File) TrafficMeter
	// Abort is called if the other processes do not answer, with the error of this process. It does not return.
	Abort func(result.Error)
}

// Arm is one of the configurations that a run measures and compares.
type Arm struct {
	Plan    plan.Plan
	Engines map[string]func() engine.Engine // by API
	Dir     *rundir.OpenDir
	// Observer receives the events of the arm on rank 0. The observers of other processes are not used.
	Observer Observer
}

// Observer receives the events of the cases of an arm, on rank 0, in the order in which they happen. Index i is the
// index of the case in plan.Plan.Cases, from 0. In random order, and with several arms, other cases can begin and end
// between BeginCase and EndCase of a case.
type Observer interface {
	// BeginCase is called before the first iteration of a case, with its description.
	BeginCase(i int, r result.Case)
	// VisitCase is called before each visit of a case that has begun. From then on this case runs, and no other case
	// does.
	VisitCase(i int)
	// BeginFile is called before a file of a case is created, or opened in runs that only read.
	BeginFile(i int, path string)
	// AddSample is called with each sample of a case.
	AddSample(i int, s result.Sample, warmup bool)
	// EndCase is called after a case, with its complete description but without samples. It is not called for a case
	// that had not ended when another case was interrupted.
	EndCase(i int, r result.Case)
}

// CheckArm returns an error if the plan b of another arm cannot be compared with the plan a of arm A: they must have
// the same number of cases, iterations and warm-up iterations, and the same operations (writes, reads).
func CheckArm(a, b plan.Plan, other result.Arm) error {
	count := func(p plan.Plan) (n int) {
		for range p.Cases() {
			n++
		}
		return n
	}
	if na, nb := count(a), count(b); na != nb {
		return fmt.Errorf("%d cases in A and %d in %s: each case of A needs one of %[3]s to be compared with", na,
			nb, other)
	}
	if ia, ib := a.Parameters.Iterations, b.Parameters.Iterations; ia != ib {
		return fmt.Errorf("%d iterations in A and %d in %s: the samples of both must be taken side by side", ia, ib,
			other)
	}
	if wa, wb := option.ValueOrZero(a.Parameters.Conditions.Warmup),
		option.ValueOrZero(b.Parameters.Conditions.Warmup); wa != wb {
		return fmt.Errorf("%d warm-up iterations in A and %d in %s: the samples of both must be taken side by side",
			wa, wb, other)
	}
	readsOnly := func(p plan.Plan) bool { return p.Parameters.Conditions.ReadOnly != "" }
	if a.Parameters.WriteOnly != b.Parameters.WriteOnly || readsOnly(a) != readsOnly(b) {
		return fmt.Errorf("give -w, or --read-only, to both A and %s or to neither: they must do the same "+
			"operations", other)
	}
	return nil
}

// Run runs the plans on all processes of the world. On all processes, it returns the same state: Complete, Interrupted,
// or Failed. Failed means that at least one case failed, or was skipped because of the deadline. Collective.
func Run(cfg Config) result.State {
	cfg.Grace, cfg.Patience = cmp.Or(cfg.Grace, Grace), cmp.Or(cfg.Patience, &WaitPolicy{})
	if cfg.Sleep == nil {
		cfg.Sleep = time.Sleep
	}
	if cfg.OpenTrafficMeter == nil {
		cfg.OpenTrafficMeter = func(dir string, handle *os.File) TrafficMeter {
			return node.NewTrafficMeter(dir, handle)
		}
	}
	r := &runner{Config: cfg, state: result.Complete, groups: newCaseGroups(cfg.World, cfg.Arms)}
	defer r.groups.freeAllComms()
	schedule := r.newSchedule()
	conditions := cfg.Arms[0].Plan.Parameters.Conditions
	if len(cfg.Arms) > 1 || conditions.Order == option.OrderRandom {
		r.measureInRounds(schedule, option.ValueOrZero(conditions.Seed))
		return r.state
	}
	for i, p := range schedule {
		if r.deadlinePassed() {
			r.endAllCases(schedule[i:])
			break
		}
		r.shareRemainingTime(p, len(schedule)-i)
		if r.measurePeers(p, math.MaxInt); r.state == result.Interrupted {
			break
		}
	}
	return r.state
}

// runner is the state of a run on this process.
type runner struct {
	Config
	state  result.State
	groups caseGroups

	meters   map[string]TrafficMeter // by directory
	unsynced uint64                  // bytes that this process wrote and that may not be on storage yet
}

// isFirstRank reports whether this process is rank 0 of the world, which calls the observers.
func (r *runner) isFirstRank() bool { return r.World.Rank() == 0 }
