// Package run does a whole run on one process, from the plan to the exit status. It prepares everything that the first
// case needs, measures, writes the document, and handles every way in which a run can end. The caller passes process,
// clock, streams, signals, communicator and libraries, so that tests can do whole runs in memory.
//
// The goroutine that calls Measure measures, and makes all calls of MPI and HDF5. The goroutines for signals, watchdog
// and alarm may only end the job, through a jobEnder. On rank 0, a Recorder owns the document.
package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Tool describes the program that measures (h5perf or h5perf_serial), its engines and its libraries.
type Tool struct {
	Kind     result.Kind
	Prefix   string                          // environment variable that names the base directory for data files
	Engines  map[string]func() engine.Engine // by API
	Software func() result.Software          // the program and its libraries
	// CallCounters count calls: see bench.Config.
	CallCounters map[string]engine.CallCounter

	Library   string        // what MPI_Get_library_version returns; "" without MPI
	Component func() string // the MPI-IO component; not called without MPI

	LeftOut []plan.LeftOut // variants that cannot be measured
	Claim   *rundir.Claim  // of what is measured for a tree of results; nil: Measure makes one, and releases it
	// Compare returns a comparison of the arms, as text for people.
	Compare func(arms []history.Record, leftOut []plan.LeftOut) (string, error)
	// NextRound returns the arms of the first round, and the function that chooses those of each round, see
	// bench.Config. It gets the variants of the arms that could be planned, and the runs with which they go on: their
	// rounds come first. NextRound is called on rank 0. If it is nil, each round measures all arms.
	NextRound func(variants []string, earlier history.EarlierTurns) (first []int, next func(seconds []float64) []int)
	// ComparisonIterations returns how many iterations that comparison needs to show a difference, and how many points
	// it compares. plans are those of the arms. It may be nil.
	ComparisonIterations func(plans []plan.Plan) (iterations, points int)
}

// Configuration holds what the command line requests for one arm: the outputs, the time limit for calls that hang, and
// the plan.
type Configuration struct {
	Request
	HangTimeout time.Duration // see option.Conditions.HangTimeout
	Plan        func(plan.JobFacts) (plan.Plan, error)
}

// job is the state of a run on this process. It measures one configuration, or several alternately. Only the goroutine
// that measures may use it.
type job struct {
	Process
	Tool
	world    mpi.Comm
	host     string
	stop     *engine.StopFlag
	watchdog *bench.Watchdog
	link     *rankLink
	ender    *jobEnder
	arms     []*arm
	earlier  history.EarlierTurns // on rank 0, the runs with which this one goes on
	// nothingMissing reports that the earlier runs have all iterations.
	nothingMissing bool
	planned        []*arm // the arms that could be planned, whose indexes NextRound uses
	chooseRound    func(seconds []float64) []int
	compared       atomic.Bool // the comparison is printed
	firstPrograms  map[*result.Workload]workload.Program

	deadline time.Time // the zero time means no deadline

	localRank int          // rank of this process on its node
	bar       *ProgressBar // on rank 0, or nil
}

// Measure plans and runs one configuration, or several alternately, on all processes of the world, and returns the exit
// status of this process. refuse reports a usage error, and returns its exit status. Collective.
func Measure(p Process, world mpi.Comm, t Tool, all []Configuration, refuse func(error) int) int {
	j := &job{Process: p, Tool: t, world: world}
	if j.Claim == nil {
		j.Claim = &rundir.Claim{}
		defer func() { _ = j.Claim.Release() }() // what is left counts as ended with this process
	}
	hang := all[0].HangTimeout
	for i, c := range all {
		gateway, err := openGateway(world, c.Request)
		if err != nil {
			return refuse(err)
		}
		a := &arm{job: j, request: c.Request, gateway: gateway}
		if len(all) > 1 {
			a.name = result.ValuesOf[result.Arm]()[i]
		}
		j.arms = append(j.arms, a)
		if hang = max(hang, c.HangTimeout); c.HangTimeout == 0 {
			hang = 0
		}
	}
	err := mpi.CheckOnRoot(world, func() (err error) {
		j.deadline, err = all[0].Deadline.EndTime(p.Now())
		return err
	})
	if err != nil {
		return refuse(err)
	}
	j.deadline = mpi.Broadcast(world, j.deadline, 0)
	j.Patience.SetLimits(hang, j.deadline)
	end, err := j.startGuards(hang)
	if err != nil {
		if world.Rank() == 0 {
			j.printError(err)
		}
		return result.ExitFailed
	}
	defer end()
	if err := j.planArms(all); err != nil {
		return refuse(err)
	}
	return j.runPlans()
}

// startGuards starts the signal handler and the watchdog. A signal sets the stop flag. The watchdog ends the job if a
// call takes longer than timeout. The returned function stops both.
func (j *job) startGuards(timeout time.Duration) (func(), error) {
	j.host, _ = os.Hostname() // after an error the host has no name
	var err error
	if j.stop, err = engine.NewStopFlag(); err != nil {
		return nil, err
	}
	j.link = &rankLink{deadline: j.messageTimeout}
	j.ender = newJobEnder(j.Process, j.world, j.host, j.link)
	release := j.ender.catchSignals(j.stop)
	cfg := bench.WatchdogConfig{Timeout: timeout, Grace: j.Grace, OnHang: j.ender.abortHungJob}
	if j.world.Size() > 1 {
		cfg.Pulse = j.link.sendPulse
	}
	j.watchdog = bench.StartWatchdog(cfg)
	j.world = watchedComm{j.world, j.watchdog, j.ender}
	return func() {
		j.watchdog.Stop()
		release()
		j.ender.waitIfEnding()
		j.link.closePorts()
	}, nil
}

// planArms plans all arms, with the same seed. Variants that cannot be planned, or not be compared with the first arm,
// are left out. For other arms it returns an error.
func (j *job) planArms(all []Configuration) error {
	j.firstPrograms = map[*result.Workload]workload.Program{}
	defer func() { j.firstPrograms = nil }()
	var kept []*arm
	for i, a := range j.arms {
		err := a.makePlan(all[i].Plan, j.arms[0])
		switch {
		case err == nil:
			kept = append(kept, a)
		case i > 0 && a.request.Variant != "":
			j.LeftOut = append(j.LeftOut, plan.LeftOut{Variant: a.request.Variant, Reason: err.Error()})
		default:
			return a.wrapError(err)
		}
	}
	if len(kept) == 1 && len(j.arms) > 1 {
		return usage.Errorf("%s", j.reasonsForNone())
	}
	j.arms, j.planned = kept, kept
	for i := range kept {
		if len(kept) > 1 {
			kept[i].name = result.ValuesOf[result.Arm]()[i]
		}
	}
	return nil
}

// reasonsForNone says why no variant can be measured.
func (j *job) reasonsForNone() string {
	var all []string
	for _, l := range plan.GroupByReason(j.LeftOut) {
		all = append(all, l.Variant+": "+l.Reason)
	}
	return "no variant can be measured: " + strings.Join(all, "; ")
}

// makePlan plans the arm with a function, and checks the plan. It returns an error if the arm cannot be compared with
// the first arm.
func (a *arm) makePlan(makes func(plan.JobFacts) (plan.Plan, error), first *arm) (err error) {
	a.jobFacts = a.detectJob()
	if a != first {
		a.jobFacts.Seed = first.jobFacts.Seed
	}
	if a.plan, err = makes(a.jobFacts); err != nil {
		return err
	}
	if err := a.checkFiles(); err != nil {
		return err
	}
	if err := a.checkStripe(); err != nil {
		return err
	}
	if err := a.checkPrograms(); err != nil || a == first {
		return err
	}
	if a.request.Variant != "" {
		if err := a.checkVaries(first); err != nil {
			return err
		}
		if err := a.checkWork(first); err != nil {
			return err
		}
	}
	return bench.CheckArm(first.plan, a.plan, cmp.Or(result.Arm(a.request.Variant), a.name))
}

// checkVaries returns an error if the arm, a variant, measures the same as an arm before it, or has another hint that
// has no effect.
func (a *arm) checkVaries(first *arm) error {
	for _, h := range a.plan.Parameters.Hints {
		switch reason := a.plan.WithoutMPIIO(); {
		case slices.Contains(first.plan.Parameters.Hints, h):
		case reason != "":
			return usage.Errorf("hints have no effect: %s", reason)
		case slices.Contains(a.plan.Ignored, h.Key):
			return usage.Errorf("this implementation of MPI-IO does not read the hint %s", h.Key)
		}
	}
	for _, b := range a.job.arms {
		switch {
		case b == a:
			return nil
		case b.request.Stripe != a.request.Stripe || !maps.Equal(b.request.Variables, a.request.Variables) ||
			!a.plan.IsSame(b.plan, a.job.firstProgram):
		case b == first:
			return usage.Errorf("it is what the configuration has already")
		default:
			return usage.Errorf("it is the same as %s", b.request.Variant)
		}
	}
	return nil
}

// checkWork returns an error if the arm is of a search, which claims a gain of time, but does other work than the first
// arm.
func (a *arm) checkWork(first *arm) error {
	if a.request.Tune.Stage == "" {
		return nil
	}
	work, err := a.plan.OtherWork(first.plan)
	if err == nil && work != "" {
		err = usage.Errorf("it %s, so that times cannot be compared", work)
	}
	return err
}

// firstProgram returns the program of rank 0 of a plan, which is kept while the arms are planned.
func (j *job) firstProgram(p plan.Plan) (workload.Program, error) {
	made, is := j.firstPrograms[p.Parameters.Workload]
	var err error
	if !is {
		made, err = p.Workload.Program(0, uint64(j.world.Size()))
		j.firstPrograms[p.Parameters.Workload] = made
	}
	return made, err
}

// runPlans runs the plans and returns the exit status of this process.
func (j *job) runPlans() int {
	if j.world.Rank() == 0 {
		for _, a := range j.arms {
			a.out = newArmOutput(a)
		}
		j.ender.addOutputs(j.arms)
	}
	if err := j.runStartSteps(); err != nil {
		return j.endRefusedRun(err)
	}
	j.announceRun()
	collect := j.DisableGC() // no garbage collection while a clock runs: bench collects in between
	cfg := bench.Config{
		World: j.world, Stop: j.stop, Now: j.Now, Clock: j.Clock, Host: j.host, Grace: j.Grace,
		Patience: j.Patience, Enter: j.reportActivity, Abort: j.ender.abortJob, Deadline: j.deadline,
		Budget: j.arms[0].request.Budget, CallCounters: j.CallCounters,
	}
	for _, a := range j.arms {
		cfg.Arms = append(cfg.Arms, a.benchArm())
	}
	if j.NextRound != nil {
		cfg.NextRound = j.chooseArms
	}
	if j.world.Rank() == 0 && len(j.arms) > 1 {
		j.ender.setLast(func(bySignal bool) error {
			err := j.Claim.Release()
			if bySignal {
				err = errors.Join(err, j.printComparison())
			}
			return err
		})
	}
	state := bench.Run(cfg)
	collect()
	return j.finishRun(state)
}

// reportActivity tells the watchdog and the progress bar what this process is doing.
func (j *job) reportActivity(w bench.Activity) {
	j.bar.SetMovedBytes(w.Progress, w.Done)
	j.watchdog.SetActivity(w)
}

// isQuiet reports whether all arms ask to print only errors and cautions on standard error.
func (j *job) isQuiet() bool {
	return !slices.ContainsFunc(j.arms, func(a *arm) bool { return !a.request.Quiet })
}

// printError prints an error on standard error, and keeps its line breaks.
func (j *job) printError(err error) { _, _ = fmt.Fprintf(j.Stderr, "h5perf: %v\n", err) }

// printText prints text for people on standard error, in lines that fit a terminal.
func (j *job) printText(text string) { _, _ = fmt.Fprintln(j.Stderr, plain.Wrap("h5perf: "+text)) }

// eachArm calls a function for each arm. It continues after an error, since the function may be collective. An error
// that all arms have is returned once, without their names.
func (j *job) eachArm(do func(*arm) error) error {
	var all []error
	same := 0
	var first error
	for _, a := range j.arms {
		err := do(a)
		if first = cmp.Or(first, err); err != nil && err.Error() == first.Error() {
			same++
		}
		all = append(all, a.wrapError(err))
	}
	if same == len(j.arms) {
		return first
	}
	return errors.Join(all...)
}

// arm is a configuration that the run measures.
type arm struct {
	job           *job
	request       Request
	name          result.Arm    // "" if there is only one
	jobFacts      plan.JobFacts // facts that the plan depends on
	plan          plan.Plan
	base          string // the directory that contains dir
	tree          string // directory with one base directory for each user; "" if base is not one of them
	dir           rundir.Dir
	held          *rundir.OpenDir // dir, once it is created
	cleanupFailed bool            // part of dir could not be removed
	otherRuns     []string        // private directories of other runs that have been reported
	watcher       Watcher         // on the first process of each node; nil elsewhere
	// unwritten is the error of writing the final document.
	unwritten error
	out       *armOutput // on rank 0; nil elsewhere
	gateway   *metrics.Gateway
}

// benchArm converts the arm to the type that package bench needs.
func (a *arm) benchArm() bench.Arm {
	return bench.Arm{Plan: a.plan, Engines: a.job.Engines, Dir: a.held, Observer: a.out}
}

// testLibraries tests, with small files in the private directory, whether the libraries can do the writes of the arm.
// It is called on rank 0.
func (a *arm) testLibraries() error {
	a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.dir.Path})
	return bench.TestLibraries(a.benchArm(), a.job.world, a.job.stop)
}

// label returns how texts name the arm, or "" if there is only one. A search names the variants of its arms, since its
// result has no letters.
func (a *arm) label() string {
	if a.name != "" && a.request.Tune.Stage != "" {
		return a.request.Variant
	}
	return string(a.name)
}

// wrapError adds the label of the arm to an error, if there are several arms.
func (a *arm) wrapError(err error) error { return wrapArmError(a.label(), err) }

// wrapArmError adds a label to an error; nil stays nil, and an empty label adds nothing.
func wrapArmError(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
