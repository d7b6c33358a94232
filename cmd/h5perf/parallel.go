//go:build cgo

package main

import (
	"os"
	"slices"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/output"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/rundir"
)

// runParallel runs the parallel tool on all processes of the job, and returns the exit status of this process.
func runParallel(p cli.Measurement, stdout, stderr *output.Stream) int {
	if err := setIOComponent(p.Options.MPIIO.IOComponent); err != nil {
		return p.PrintUsageError(firstRankWriter(stderr), err)
	}
	if t := p.Tuning; t != nil && p.Options.HDF5.Driver == "" {
		t.Subfiling = slices.Contains(h5.Drivers(), string(option.Subfiling))
	}
	process := run.NewProcess(stdout, stderr, os.Exit)
	if isFirstRank() {
		process.DescribeEarly(describeBuild)
	}
	return launchFunctions(p).Run(process, func(world mpi.Comm) int { return measureOnRanks(p, process, world) })
}

// minInitTimeout is the smallest time limit for MPI_Init, which can take some seconds on busy nodes.
const minInitTimeout = 30 * time.Second

// launchFunctions returns the functions that start and end MPI for a request.
func launchFunctions(p cli.Measurement) run.Launch {
	l := run.Launch{Guard: launchGuard(), IsFirst: isFirstRank, Init: mpi.Init, Close: h5.Close, Finalize: mpi.Finalize}
	if p.UsesThreads() {
		l.Init = mpi.InitMultiple
	}
	if hang := p.Options.HangTimeout(); hang > 0 {
		l.InitTimeout = max(hang, minInitTimeout)
	}
	return l
}

// measureOnRanks measures on all processes of the world, and returns the exit status of this process.
func measureOnRanks(p cli.Measurement, process run.Process, world mpi.Comm) int {
	if err := readWorkloads(world, &p); err != nil {
		return p.PrintUsageError(firstRankWriter(process.Stderr), err)
	}
	tool := run.Tool{
		Kind: p.Options.Kind(), Prefix: rundir.ParallelPrefix,
		Engines: map[string]func() engine.Engine{
			result.POSIX: posix.New, result.MPIIO: mpiio.New, result.PHDF5: hdf5.New,
		},
		CallCounters: map[string]engine.CallCounter{
			result.MPIIO: mpiio.CallCounter(), result.POSIX: posix.CallCounter(),
		},
		Software: func() result.Software { return describeSoftware(true) },
		Library:  mpi.LibraryVersion(), Component: mpiio.ImplementationName,
	}
	if p.Tuning != nil {
		return tuneOnRanks(p, process, world, tool)
	}
	refuse := func(err error) int { return p.PrintUsageError(firstRankWriter(process.Stderr), err) }
	arms, err := p.AllInTurns()
	if err != nil {
		return refuse(err)
	}
	setComparison(&tool, p)
	var all []run.Configuration
	for i := range arms {
		all = append(all, newConfiguration(&arms[i]))
	}
	return run.Measure(process, world, tool, all, refuse)
}

// setComparison sets how a tool compares arms: it ranks variants, and compares two other arms.
func setComparison(tool *run.Tool, m cli.Measurement) {
	tool.Compare, tool.ComparisonIterations = command.Comparison, command.ComparisonIterations
	if m.Variant != "" {
		tool.Compare, tool.ComparisonIterations = command.Ranking, command.RankingIterations
	}
}

// readWorkloads reads the workload files of a request on rank 0, and sends them to the other ranks. Collective.
func readWorkloads(world mpi.Comm, p *cli.Measurement) error {
	all := []*plan.WorkloadOptions{p.Options.Workload}
	for _, other := range p.Others {
		all = append(all, other.Options.Workload)
	}
	for _, w := range all {
		if w == nil || !w.IsFromFile() {
			continue
		}
		if err := mpi.CheckOnRoot(world, w.ReadFile); err != nil {
			return err
		}
		w.Text = mpi.Broadcast(world, w.Text, 0)
	}
	return nil
}

// newConfiguration returns what run.Measure needs to measure a request.
func newConfiguration(p *cli.Measurement) run.Configuration {
	return run.Configuration{Request: p.Request, HangTimeout: p.Options.HangTimeout(), Plan: newPlanner(p)}
}

// newPlanner returns a function that plans the configuration p in a given job.
func newPlanner(p *cli.Measurement) func(plan.JobFacts) (plan.Plan, error) {
	return func(at plan.JobFacts) (plan.Plan, error) {
		at.HDF5, at.MPIIO = hdf5Library(), mpiio.LibraryInUse()
		made, err := plan.New(p.Options, at)
		if err != nil {
			return made, err
		}
		settings := made.Parameters.HDF5Settings
		if err := settings.CheckEnvironment(os.LookupEnv); err != nil {
			return made, err
		}
		return made, hdf5.CheckRun(settings, os.LookupEnv)
	}
}

// setIOComponent sets the environment variable that selects the MPI-IO component. MPI reads this variable when MPI
// starts.
func setIOComponent(component option.Component) error {
	if component == "" {
		return nil
	}
	key, value, err := mpiio.ComponentVariable(component, mpi.LibraryVersion())
	if err != nil || key == "" {
		return err
	}
	return os.Setenv(key, value)
}
