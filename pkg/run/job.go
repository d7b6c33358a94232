// Package run does a whole run on one process, from the plan to the exit status. It makes everything that is needed
// before the first case, measures, keeps the document, and handles every way in which a run can end. The caller passes
// process, clock, streams, signals, communicator and libraries, so that tests can do whole runs in memory.
//
// The goroutine that calls Measure does the work and makes all calls of MPI and HDF5. The goroutines of signals,
// watchdog and alarm may only end the job, through an ender. The document belongs to the recorder, on rank 0.
package run

import (
	"errors"
	"fmt"
	"os"
	"slices"
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
)

// Tool describes the tool that does the run, and its libraries.
type Tool struct {
	Kind     result.Kind
	Prefix   string                          // the environment variable that places the data files
	Engines  map[string]func() engine.Engine // by API
	Software func() result.Software          // the program and its libraries

	Library   string        // the text of MPI_Get_library_version; "" without MPI
	Component func() string // the MPI-IO component; not called without MPI

	// Compare returns the comparison of several arms, for people.
	Compare func(arms []history.Record) (string, error)
	// Needed says how many iterations that comparison needs to show a difference, and in how many points it looks for
	// one; p is the plan of the first arm.
	Needed func(p plan.Plan, arms int) (iterations, points int)
}

// Configuration is what a command line asks for, of one arm.
type Configuration struct {
	Request
	Hang time.Duration // see option.Conditions.Hang
	Plan func(plan.Job) (plan.Plan, error)
}

// job is one run on this process, of one configuration, or of several that are measured in turns. It belongs to the
// goroutine that measures.
type job struct {
	Process
	Tool
	world mpi.Comm
	host  string
	stop  *engine.Stop
	dog   *bench.Watchdog
	link  *link
	ender *ender
	arms  []*arm

	deadline time.Time // the zero time is never

	local int          // rank of this process on its node
	bar   *ProgressBar // on rank 0, or nil
}

// Measure plans and runs one configuration, or several in turns, on all processes of the world, and returns the exit
// status of this process. refuse reports an error of usage, and returns its status. Collective.
func Measure(p Process, world mpi.Comm, t Tool, all []Configuration, refuse func(error) int) int {
	j := &job{Process: p, Tool: t, world: world}
	hang := all[0].Hang
	for i, c := range all {
		gateway, err := openGateway(world, c.Request)
		if err != nil {
			return refuse(err)
		}
		a := &arm{job: j, request: c.Request, gateway: gateway}
		if len(all) > 1 {
			a.name = result.All[result.Arm]()[i]
		}
		j.arms = append(j.arms, a)
		if hang = max(hang, c.Hang); c.Hang == 0 {
			hang = 0
		}
	}
	err := mpi.OnFirst(world, func() (err error) {
		j.deadline, err = all[0].Deadline.From(p.Now())
		return err
	})
	if err != nil {
		return refuse(err)
	}
	j.deadline = mpi.Broadcast(world, j.deadline, 0)
	j.Patience.Limit(hang, j.deadline)
	end, err := j.guard(hang)
	if err != nil {
		if world.Rank() == 0 {
			j.printError(err)
		}
		return result.ExitFailed
	}
	defer end()
	if err := j.plan(all); err != nil {
		return refuse(err)
	}
	return j.run()
}

// guard starts what can end this process from outside the work: signals, which set the stop flag, and a watchdog, which
// ends the job if a call lasts longer than timeout. The function that is returned undoes it.
func (j *job) guard(timeout time.Duration) (func(), error) {
	j.host, _ = os.Hostname() // an error leaves it unnamed
	var err error
	if j.stop, err = engine.NewStop(); err != nil {
		return nil, err
	}
	j.link = &link{deadline: j.messages}
	j.ender = newEnder(j.Process, j.world, j.host, j.link)
	release := j.ender.catchSignals(j.stop)
	cfg := bench.WatchdogConfig{Timeout: timeout, Grace: j.Grace, OnHang: j.ender.hung}
	if j.world.Size() > 1 {
		cfg.Pulse = j.link.pulse
	}
	j.dog = bench.StartWatchdog(cfg)
	j.world = comm{j.world, j.dog, j.ender}
	return func() {
		j.dog.Stop()
		release()
		j.ender.yield()
		j.link.close()
	}, nil
}

// plan plans all arms. They get the same seed; it returns an error if their cases cannot be measured in turns.
func (j *job) plan(all []Configuration) error {
	var seed uint64
	var plans []plan.Plan
	for i, a := range j.arms {
		a.at = a.place()
		if i == 0 {
			seed = a.at.Seed
		}
		a.at.Seed = seed
		var err error
		if a.plan, err = all[i].Plan(a.at); err != nil {
			return a.named(err)
		}
		if err := a.checkFiles(); err != nil {
			return a.named(err)
		}
		if err := a.checkPrograms(); err != nil {
			return a.named(err)
		}
		plans = append(plans, a.plan)
	}
	return bench.CheckArms(plans...)
}

// run runs the plans and returns the exit status of this process.
func (j *job) run() int {
	if j.world.Rank() == 0 {
		for _, a := range j.arms {
			a.out = newArmOutput(a)
		}
		j.ender.planned(j.arms)
	}
	if err := j.start(); err != nil {
		return j.refused(err)
	}
	j.announce()
	collect := j.Uncollected() // no garbage collection inside a clock: bench runs it in between
	cfg := bench.Config{
		World: j.world, Stop: j.stop, Now: j.Now, Clock: j.Clock, Host: j.host, Grace: j.Grace,
		Patience: j.Patience, Enter: j.enter, Abort: j.ender.abort, Deadline: j.deadline,
	}
	for _, a := range j.arms {
		cfg.Arms = append(cfg.Arms, a.forBench())
	}
	state := bench.Run(cfg)
	collect()
	return j.close(state)
}

// enter passes where this process is to watchdog and progress bar.
func (j *job) enter(w bench.Where) {
	j.bar.Working(w.Progress, w.Done)
	j.dog.Enter(w)
}

// quiet reports whether nothing but errors and cautions is to be printed on standard error: all arms ask for that.
func (j *job) quiet() bool {
	return !slices.ContainsFunc(j.arms, func(a *arm) bool { return !a.request.Quiet })
}

// printError prints an error on standard error, with the lines that it has.
func (j *job) printError(err error) { _, _ = fmt.Fprintf(j.Stderr, "h5perf: %v\n", err) }

// say prints a text for people on standard error, in lines that fit a terminal.
func (j *job) say(text string) { _, _ = fmt.Fprintln(j.Stderr, plain.Wrap("h5perf: "+text)) }

// each calls a function for each arm. It goes on after an error, since the function may be collective.
func (j *job) each(do func(*arm) error) error {
	var all []error
	for _, a := range j.arms {
		all = append(all, a.named(do(a)))
	}
	return errors.Join(all...)
}

// arm is a configuration that the run measures.
type arm struct {
	job        *job
	request    Request
	name       result.Arm // "" if there is only one
	at         plan.Job   // what the plan depends on
	plan       plan.Plan
	base       string // the directory that contains dir
	tree       string // the directory in which each user has a base; "" if base is none of these
	dir        rundir.Dir
	held       *rundir.Held // dir, once it is made
	left       bool         // some of dir could not be removed
	neighbours []string     // private directories of other runs that were told of
	watcher    Watcher      // on the first process of each node; nil elsewhere
	// unwritten is the error of writing the document at its end
	unwritten error
	out       *armOutput // on rank 0; nil elsewhere
	gateway   *metrics.Gateway
}

// forBench returns the arm as package bench takes it.
func (a *arm) forBench() bench.Arm {
	return bench.Arm{Plan: a.plan, Engines: a.job.Engines, Dir: a.held, Observer: a.out}
}

// tryOut tries out the libraries in the private directory. It is called on rank 0.
func (a *arm) tryOut() error {
	a.job.enter(bench.Where{Phase: result.PhaseStart, Path: a.dir.Path})
	return bench.TryOut(a.forBench(), a.job.world, a.job.stop)
}

// named adds the name of the arm to an error, if there are several arms.
func (a *arm) named(err error) error { return named(a.name, err) }

// named adds a name to an error; nil stays nil, and an empty name adds nothing.
func named(name result.Arm, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
