//go:build cgo

package main

import (
	"os"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/output"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// runRerun repeats a run on all processes of a job, and returns the exit status of this process. Only rank 0 reads the
// document, so MPI starts before the options of the old run are known. If the old run was serial, each process repeats
// that run for itself after MPI has ended.
func runRerun(r cli.Rerun, stdout, stderr *output.Stream) int {
	own := r.OwnMeasurement()
	if err := setIOComponent(own.Options.MPIIO.IOComponent); err != nil {
		return r.PrintUsageError(firstRankWriter(stderr), err)
	}
	process := run.NewProcess(stdout, stderr, os.Exit)
	l := launchFunctions(own)
	var serial *cli.Measurement
	l.Close = func() error {
		if serial != nil { // runSerial will use HDF5
			return nil
		}
		return h5.Close()
	}
	status := l.Run(process, func(world mpi.Comm) int {
		return r.Run(world, func(p cli.Measurement) int {
			if err := mpi.CheckOnRoot(world, func() error { return checkMPIStart(p, own, r) }); err != nil {
				return r.PrintUsageError(firstRankWriter(stderr), err)
			}
			return measureOnRanks(p, process, world)
		}, func(s cli.Measurement) int {
			serial = &s
			return result.ExitFailed // used only if MPI does not end
		})
	})
	if serial != nil {
		return runSerial(*serial, stdout, stderr)
	}
	return status
}

// checkMPIStart returns an error if MPI was started with other settings than the request p needs. own is the request on
// the command line of rerun, with which MPI was started.
func checkMPIStart(p, own cli.Measurement, r cli.Rerun) error {
	var late []string
	if component := p.Options.MPIIO.IOComponent; component != "" {
		key, value, err := mpiio.ComponentVariable(component, mpi.LibraryVersion())
		if err != nil {
			return err
		}
		if key != "" && os.Getenv(key) != value {
			late = append(late, "--io-component", string(component))
		}
	}
	if p.UsesThreads() && !own.UsesThreads() && mpi.ThreadLevel() != mpi.Multiple {
		late = append(late, "--driver", string(option.Subfiling))
	}
	if late == nil {
		return nil
	}
	return r.StartupOptionsError(late)
}
