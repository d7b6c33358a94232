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

// runRerun repeats a run on all processes of a job, and returns the exit status of this process. Only the first one
// reads the document, so MPI is started before it is known. A serial run is measured after MPI has ended, by each
// process for itself.
func runRerun(r cli.Rerun, stdout, stderr *output.Stream) int {
	own := r.OwnMeasurement()
	if err := setIOComponent(own.Options.MPIIO.IOComponent); err != nil {
		return r.PrintUsageError(firstRankWriter(stderr), err)
	}
	process := run.NewProcess(stdout, stderr, os.Exit)
	l := launchFor(own)
	var serial *cli.Measurement
	l.Close = func() error {
		if serial != nil { // it will use HDF5
			return nil
		}
		return h5.Close()
	}
	status := l.Run(process, func(world mpi.Comm) int {
		return r.Run(world, func(p cli.Measurement) int {
			if err := mpi.OnFirstRank(world, func() error { return checkMPIStart(p, own, r) }); err != nil {
				return r.PrintUsageError(firstRankWriter(stderr), err)
			}
			return measureOnRanks(p, process, world)
		}, func(s cli.Measurement) int {
			serial = &s
			return result.ExitFailed // holds only if MPI does not end
		})
	})
	if serial != nil {
		return runSerial(*serial, stdout, stderr)
	}
	return status
}

// checkMPIStart returns an error if MPI was not started as a request needs it. own is what was known then.
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
	return r.LateOptionsError(late)
}
