//go:build cgo

package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
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
	"h5perf/pkg/units"
)

// tuning is the state of h5perf tune on a process. Only rank 0 has a tuner, and decides.
type tuning struct {
	process run.Process
	world   mpi.Comm
	tool    run.Tool
	base    cli.Measurement // the unchanged configuration
	job     plan.JobFacts
	tuner   *command.Tuner
	found   command.Tuned // on rank 0
	firstID string        // run_id of the first arm of the first stage, on rank 0
}

// tuneOnRanks searches the fastest variant of a configuration on all processes of the world, prints the result, and
// returns the exit status of this process. Collective.
func tuneOnRanks(base cli.Measurement, process run.Process, world mpi.Comm, tool run.Tool) int {
	u := &tuning{process: process, world: world, tool: tool, base: base}
	if err := u.makeTuner(); err != nil {
		return u.refuse(err)
	}
	status := u.warmUp()
	if status != result.ExitOK {
		return status
	}
	if err := mpi.CheckOnRoot(world, u.tuner.CheckTime); err != nil {
		return u.refuse(err)
	}
	for {
		next := mpi.Broadcast(world, u.nextStage(), 0)
		if next.Trials == nil {
			break
		}
		ended, refused := u.measureStage(next)
		if ended == result.ExitUsage && next.Name == result.TuneSearch {
			return u.refuse(refused)
		}
		if status = max(status, mpi.Broadcast(world, u.endStage(next, ended, refused), 0)); status != result.ExitOK {
			break
		}
	}
	if world.Rank() == 0 && status != result.ExitStopped && u.firstID != "" {
		if _, err := fmt.Fprint(process.Stdout, u.found.Text()); err != nil {
			return result.ExitFailed
		}
	}
	return status
}

// makeTuner makes the tuner. It sets the seed and the deadline of all stages. Collective.
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
	limit := asked.Time
	if d := &u.base.Deadline; *d != (run.Deadline{}) {
		at, err := d.EndTime(now)
		if err = mpi.CheckOnRoot(u.world, func() error { return err }); err != nil {
			return err
		}
		*d, limit = run.Deadline{At: at}, min(cmp.Or(limit, at.Sub(now)), at.Sub(now))
	}
	changes, left, err := asked.ProposeChanges(u.base, u.job)
	u.found = command.Tuned{LeftOut: left, TrialWords: map[string][]string{}}
	u.tuner = &command.Tuner{
		Changes: changes, Runs: asked.Runs, Time: limit, Draw: rand.New(rand.NewPCG(seed, 1)), Now: u.process.Now,
	}
	return err
}

func (u *tuning) refuse(err error) int {
	return u.base.PrintUsageError(firstRankWriter(u.process.Stderr), err)
}

// printStatus prints what happens on standard error, on rank 0, unless the run is quiet.
func (u *tuning) printStatus(format string, args ...any) {
	if u.world.Rank() == 0 && !u.base.Quiet {
		_, _ = fmt.Fprintf(u.process.Stderr, "h5perf: "+format+"\n", args...)
	}
}

// warmUp measures the unchanged configuration twice, without documents: whether it works at all, and how long it takes.
func (u *tuning) warmUp() int {
	m, tool := u.base, u.tool
	m.Form, m.JSON, m.Results, m.Quiet, m.Variant = report.FormNone, "", "", true, ""
	m.Options.Iterations = new(2)
	var times []time.Time
	tool.NextRound = func([]string) func([]float64) []int {
		return func([]float64) []int {
			times = append(times, u.process.Now())
			return []int{0}
		}
	}
	status := run.Measure(u.process, u.world, tool, []run.Configuration{u.configuration(&m)}, u.refuse)
	if status != result.ExitOK || u.world.Rank() != 0 {
		return status
	}
	u.tuner.Pace = times[len(times)-1].Sub(times[len(times)-2])
	limit := ""
	if u.tuner.Time > 0 {
		limit = " in at most " + units.FormatDuration(u.tuner.Time)
	}
	u.printStatus("tune: %s; a measurement takes about %s; up to %d of them search%s, then 24 to %d prove the gain",
		units.Count(len(u.tuner.Changes), "change", "changes"), units.FormatSeconds(u.tuner.Pace.Seconds()),
		u.tuner.Runs, limit, 2*command.MaxHoldOutPairs)
	return status
}

// configuration returns what run.Measure needs to measure a request.
func (u *tuning) configuration(m *cli.Measurement) run.Configuration {
	return run.Configuration{Request: m.Request, HangTimeout: m.Options.HangTimeout(), Plan: newPlanner(m)}
}

// nextStage returns the next stage, on rank 0. It has no trials if there is none.
func (u *tuning) nextStage() (next command.TuneStage) {
	if u.world.Rank() == 0 {
		next, _ = u.tuner.NextStage()
	}
	return next
}

// measureStage measures the trials of a stage, and returns the exit status. With ExitUsage, it returns the error of the
// plan. Collective.
func (u *tuning) measureStage(stage command.TuneStage) (status int, refused error) {
	measured := command.TunedStage{TuneStage: stage}
	firstID := mpi.Broadcast(u.world, u.firstID, 0)
	var all []run.Configuration
	for i, trial := range stage.Trials {
		name := u.tuner.TrialName(trial)
		m, sized, err := u.base.Tuning.Arm(u.base, stage, name, trial, u.job)
		m.TuneFirstID, measured.Sized = firstID, sized
		switch {
		case err != nil && i == 0:
			return result.ExitUsage, err
		case err != nil:
			measured.LeftOut = append(measured.LeftOut, plan.LeftOut{Variant: name, Reason: err.Error()})
			continue
		}
		all = append(all, u.configuration(&m))
	}
	tool := u.tool
	tool.LeftOut = measured.LeftOut
	tool.NextRound = func([]string) func([]float64) []int { return func([]float64) []int { return nil } }
	if u.world.Rank() == 0 {
		tool.NextRound = u.nextRound
	}
	tool.Compare = func(arms []history.Record, left []plan.LeftOut) (string, error) {
		measured.Records, measured.LeftOut = arms, left
		return "", nil
	}
	status = run.Measure(u.process, u.world, tool, all, func(err error) int {
		refused = err
		return result.ExitUsage
	})
	if u.world.Rank() == 0 && status != result.ExitUsage {
		u.found.Stages = append(u.found.Stages, measured)
	}
	return status, refused
}

// nextRound is the method of the tuner, and prints how many configurations are left.
func (u *tuning) nextRound(variants []string) func(seconds []float64) []int {
	next, rounds, before := u.tuner.NextRound(variants), 0, 0
	return func(seconds []float64) []int {
		chosen := next(seconds)
		if n := len(chosen); n != before && n > 0 {
			u.printStatus("tune: %s: %s after %s", u.tuner.StageName(),
				units.Count(n, "configuration", "configurations"), units.Count(rounds, "round", "rounds"))
		}
		rounds, before = rounds+1, len(chosen)
		return chosen
	}
}

// endStage ends a stage on rank 0, and returns the exit status so far: a variant that has failed does not count.
func (u *tuning) endStage(stage command.TuneStage, status int, refused error) int {
	if u.world.Rank() != 0 {
		return result.ExitOK
	}
	u.tuner.EndStage()
	for _, trial := range stage.Trials {
		u.found.TrialWords[u.tuner.TrialName(trial)] = u.base.Tuning.Words(trial)
	}
	if status == result.ExitUsage {
		u.found.LeftOut = append(u.found.LeftOut, plan.LeftOut{Variant: string(stage.Name), Reason: refused.Error()})
		return result.ExitOK
	}
	last := u.found.Stages[len(u.found.Stages)-1]
	if len(last.Records) > 0 && u.firstID == "" {
		u.firstID = last.Records[0].RunID
	}
	if status == result.ExitFailed && last.OnlyVariantsFailed() {
		return result.ExitOK
	}
	return status
}
