//go:build cgo

package main

import (
	"fmt"
	"os"
	"slices"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/h5"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/rundir"
)

// repeatedStartCautions returns a caution if a launcher, such as mpiexec, started several processes of the serial tool,
// which then all measure alone.
func repeatedStartCautions(getenv launcher.Getenv) []plain.Caution {
	sizes := launcher.LaunchSizes(getenv)
	i := slices.IndexFunc(sizes, func(s launcher.LaunchSize) bool { return s.Processes > 1 })
	if i < 0 {
		return nil
	}
	return []plain.Caution{{
		Keyword: "started several times",
		Text: fmt.Sprintf("A launcher started this program %d times (%s): each process makes a serial run of its own, "+
			"and the runs disturb each other.", sizes[i].Processes, sizes[i].Variable),
		Help: "h5perf serial without mpiexec or srun",
	}}
}

// runSerial runs the serial tool, without MPI, and returns the exit status.
func runSerial(s cli.Measurement, stdout, stderr *output.Stream) int {
	tool := run.Tool{
		Kind: s.Options.Kind(), Prefix: rundir.SerialPrefix,
		Engines:      map[string]func() engine.Engine{result.POSIX: posix.New, result.HDF5: hdf5.New},
		CallCounters: map[string]engine.CallCounter{result.POSIX: posix.CallCounter()},
		Software:     func() result.Software { return describeSoftware(false) },
	}
	process := run.NewProcess(stdout, stderr, os.Exit)
	process.DescribeEarly(describeBuild)
	arms, err := s.AllInTurns()
	if err != nil {
		return s.PrintUsageError(stderr, err)
	}
	setComparison(&tool, s)
	var all []run.Configuration
	for _, c := range arms {
		options := c.Options
		all = append(all, run.Configuration{
			Request: c.Request, HangTimeout: options.HangTimeout(),
			Plan: func(at plan.JobFacts) (plan.Plan, error) {
				at.HDF5 = hdf5Library()
				made, err := plan.New(options, at)
				made.Cautions = append(made.Cautions, repeatedStartCautions(os.Getenv)...)
				if err != nil || !slices.Contains(made.Parameters.APIs, result.HDF5) {
					return made, err
				}
				return made, hdf5.CheckSerialRun(made.Parameters.HDF5Settings, os.LookupEnv)
			},
		})
	}
	status := run.Measure(process, mpi.Self{}, tool, all, func(err error) int { return s.PrintUsageError(stderr, err) })
	if err := h5.Close(); err != nil {
		return printErrorOnce(stderr, max(status, result.ExitFailed), err)
	}
	return status
}
