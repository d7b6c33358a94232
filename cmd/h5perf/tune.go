//go:build cgo

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/history"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/rundir"
	"h5perf/pkg/workload"
)

// tuning is the state of h5perf tune on a process. Only rank 0 has a tuner that decides.
type tuning struct {
	process run.Process
	world   mpi.Comm
	tool    run.Tool
	base    cli.Measurement // the unchanged configuration
	job     plan.JobFacts
	tuner   *command.Tuner
	found   command.Tuned // on rank 0
	// measuring reports, on rank 0, that the stage has something to measure after its earlier runs.
	measuring bool
	goesOn    bool // with a search in the tree of --resume
	refuse    func(error) int
}

// tuneOnRanks searches the fastest variant of a configuration on all processes of the world, prints the result, and
// returns the exit status of this process. Collective.
func tuneOnRanks(base cli.Measurement, process run.Process, world mpi.Comm, tool run.Tool) int {
	tool.Claim = &rundir.Claim{}
	u := &tuning{process: process, world: world, tool: tool, base: base, refuse: func(err error) int {
		return base.PrintUsageError(firstRankWriter(process.Stderr), err)
	}}
	if err := u.makeTuner(); err != nil {
		return u.refuse(err)
	}
	defer func() { _ = u.tool.Claim.Release() }()
	status := u.warmUp()
	for status == result.ExitOK && mpi.Broadcast(world, u.found.Short == "", 0) {
		next := mpi.Broadcast(world, u.tuner.NextStage(), 0)
		if next.Trials == nil {
			break
		}
		measured, refused := u.measureStage(next)
		if measured == result.ExitUsage && next.Name == result.TuneSearch {
			return u.refuse(refused)
		}
		status = mpi.Broadcast(world, u.endStage(next, measured, refused), 0)
	}
	if world.Rank() == 0 && status != result.ExitStopped && (u.found.Stages != nil || status == result.ExitOK) {
		if _, err := fmt.Fprint(process.Stdout, u.found.Text()); err != nil {
			return result.ExitFailed
		}
	}
	if status == result.ExitOK && mpi.Broadcast(world, u.found.Short != "", 0) {
		return result.ExitUsage
	}
	return status
}

// makeTuner makes the tuner, sets the seed and the deadline of all stages, and returns an error if even the fastest
// storage would need more time than there is. Collective.
func (u *tuning) makeTuner() error {
	asked, now := u.base.Tuning, u.process.Now()
	_, nodes := mpi.Node(u.world)
	u.job = plan.JobFacts{
		Processes: u.world.Size(), Nodes: nodes, HDF5: hdf5Library(), MPIIO: mpiio.LibraryInUse(),
	}
	seed := mpi.Broadcast(u.world, rand.Uint64N(1<<53), 0)
	if asked.Seed != nil {
		seed = *asked.Seed
	}
	u.base.Options.Seed = &seed
	at, err := u.base.Deadline.EndTime(now)
	if err = mpi.CheckOnRoot(u.world, func() error { return err }); err != nil {
		return err
	}
	u.base.Deadline = run.Deadline{At: at}
	changes, left, err := asked.ProposeChanges(u.base, u.job)
	if err != nil {
		return err
	}
	u.found = command.Tuned{LeftOut: left}
	u.tuner = &command.Tuner{
		Changes: changes, Runs: *asked.Runs, Time: asked.Time, Deadline: at, Seed: seed, Now: u.process.Now,
	}
	u.base.Tune = result.TunePart{TuneChanges: changes, TuneRuns: u.tuner.Runs, TuneTime: asked.Time.Seconds()}
	made, err := newPlanner(&u.base)(u.job)
	if err != nil {
		return err
	}
	shortest, err := made.ShortestIteration()
	if err != nil {
		return err
	}
	err = mpi.CheckOnRoot(u.world, func() error {
		if err := u.findEarlier(made.Parameters); err != nil || u.goesOn {
			return err
		}
		return u.tuner.CheckTime(shortest)
	})
	u.goesOn = mpi.Broadcast(u.world, u.goesOn, 0)
	return err
}

// findEarlier looks for a search in the tree of --resume to go on with. It returns an error if this search was asked
// for something else. It is called on rank 0.
func (u *tuning) findEarlier(p result.Parameters) error {
	if u.base.Resume == "" {
		return nil
	}
	records, skipped, err := history.LoadTree(u.base.Resume)
	if err != nil {
		return fmt.Errorf("--resume %s: %w", u.base.Resume, err)
	}
	if len(skipped) > 0 {
		u.printStatus("tune: %s", history.SkippedText(u.base.Resume, skipped))
	}
	now := u.base.Tune
	now.Stage = result.TuneSearch
	found := history.FindTuning(records, result.Document{
		Kind: u.tool.Kind, Parameters: p, Job: result.Job{Processes: u.world.Size()},
		Pair: &result.Pair{Arm: result.ArmA, Variant: workload.UnchangedLayout, TunePart: now},
	})
	if found == nil {
		return nil
	}
	u.goesOn = true
	return found.CheckAsked(u.base.Resume, now, u.base.Tuning.Seed)
}

// printStatus prints what happens on standard error, on rank 0, unless the run is quiet.
func (u *tuning) printStatus(format string, args ...any) {
	if u.world.Rank() == 0 && !u.base.Quiet {
		_, _ = fmt.Fprintf(u.process.Stderr, "h5perf: "+format+"\n", args...)
	}
}

// warmUp measures the unchanged configuration twice, without documents: whether it works at all, and how long it takes.
// It claims what is measured in the tree of --resume. It does nothing if there is an earlier run to go on with, which
// shows both. Collective.
func (u *tuning) warmUp() int {
	if u.goesOn {
		return result.ExitOK
	}
	m, tool := u.base, u.tool
	m.Form, m.JSON, m.Results, m.Quiet, m.Variant = report.FormNone, "", "", true, ""
	m.Options.Iterations = new(2)
	tool.NextRound = func([]string, history.EarlierTurns) ([]int, func([]float64) []int) {
		var began time.Time
		return []int{0}, func([]float64) []int {
			now := u.process.Now()
			if !began.IsZero() {
				u.tuner.Pace = now.Sub(began)
			}
			if began = now; u.tuner.CheckTime(u.tuner.Pace/2) != nil { // the first measurement may be slow
				return nil
			}
			return []int{0}
		}
	}
	status := run.Measure(u.process, u.world, tool, []run.Configuration{newConfiguration(&m)}, u.refuse)
	if status != result.ExitOK || u.world.Rank() != 0 {
		return status
	}
	if err := u.tuner.CheckTime(u.tuner.Pace); err != nil {
		u.found.Short = err.Error()
		for _, name := range u.tuner.Changes {
			u.found.LeftOut = append(u.found.LeftOut, plan.LeftOut{Variant: name, Reason: "there was no time"})
		}
		return status
	}
	u.printStatus("tune: %s", u.tuner.PlanText())
	return status
}

// measureStage measures the trials of a stage, and returns the exit status. With ExitUsage, it returns the error of the
// plan. Collective.
func (u *tuning) measureStage(stage command.TuneStage) (status int, refused error) {
	measured := command.TunedStage{TuneStage: stage}
	u.base.Tune.TuneFirstID = mpi.Broadcast(u.world, u.found.FirstID(), 0)
	var all []run.Configuration
	for i, trial := range stage.Trials {
		name := u.tuner.TrialName(trial)
		m, sized, err := u.base.Tuning.Arm(u.base, stage, name, trial, u.job)
		measured.Sized = sized
		switch {
		case err != nil && i == 0:
			return result.ExitUsage, err
		case err != nil:
			measured.LeftOut = append(measured.LeftOut, plan.LeftOut{Variant: name, Reason: err.Error()})
			continue
		}
		all = append(all, newConfiguration(&m))
	}
	tool := u.tool
	tool.LeftOut, tool.NextRound = measured.LeftOut, u.nextRound
	tool.Compare = func(runs []history.Record, left []plan.LeftOut) (string, error) {
		measured.Records, measured.LeftOut = runs, left
		if !u.measuring || runs[len(runs)-1].State != result.Interrupted {
			return "", nil
		}
		soFar := u.found // told at once, since launchers may kill this process soon
		soFar.Stages, soFar.Interrupted = append(slices.Clip(soFar.Stages), measured), stage.Name
		return soFar.Text(), nil
	}
	status = run.Measure(u.process, u.world, tool, all, func(err error) int {
		// Only the first trial refuses a stage, which is told with the stage's name.
		refused = errors.New(strings.TrimPrefix(err.Error(), u.tuner.TrialName(stage.Trials[0])+": "))
		return result.ExitUsage
	})
	if len(measured.Records) > 0 {
		u.found.Stages = append(u.found.Stages, measured)
	}
	return status, refused
}

// nextRound is the method of the tuner, and prints how many configurations are left. It is called on rank 0.
func (u *tuning) nextRound(variants []string, earlier history.EarlierTurns) (
	first []int, next func(seconds []float64) []int,
) {
	switch {
	case earlier.RunIDs != nil:
		u.printStatus("tune: this goes on with run %s", earlier.RunIDs[0])
	case earlier.Differences != nil:
		u.printStatus("tune: %s", earlier.Text())
	}
	first, decide := u.tuner.NextRound(variants, earlier)
	before := 0
	u.measuring = len(first) > 0
	return first, func(seconds []float64) []int {
		chosen := decide(seconds)
		if n := len(chosen); n != before && n > 0 {
			u.printStatus("tune: %s", u.tuner.Progress())
		}
		before = len(chosen)
		return chosen
	}
}

// endStage ends a stage on rank 0, and returns the exit status: a variant that has failed does not count.
func (u *tuning) endStage(stage command.TuneStage, status int, refused error) int {
	switch {
	case status == result.ExitUsage:
		u.found.LeftOut = append(u.found.LeftOut, plan.LeftOut{Variant: string(stage.Name), Reason: refused.Error()})
		return result.ExitOK
	case status == result.ExitFailed && slices.ContainsFunc(u.found.Stages, func(s command.TunedStage) bool {
		return s.Name == stage.Name && s.OnlyVariantsFailed()
	}):
		return result.ExitOK
	}
	return status
}
