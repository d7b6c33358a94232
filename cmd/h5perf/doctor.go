package main

import (
	"os"
	"syscall"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/doctor"
	"h5perf/pkg/mpi"
	"h5perf/pkg/output"
	"h5perf/pkg/run"
)

// runDoctor checks the environment for a run, and returns the exit status of this process.
func runDoctor(d cli.Doctor, stdout, stderr *output.Stream) int {
	process := run.NewProcess(stdout, stderr, os.Exit)
	return doctor.Examine(
		doctor.Process{
			Stdout: stdout, Stderr: stderr, LimitWrites: process.LimitWrites,
			Now: process.Now, After: process.After, Grace: process.Grace,
			Exit: process.Exit, Signals: run.CatchSignals(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP),
			Processors: process.Processors,
		},
		doctor.Libraries{
			Guard: launchGuard(), MPI: mpi.Available, Init: mpi.InitMultiple,
			Finalize: func(world mpi.Comm, status int) { process.Finalize(world, status, mpi.Finalize) },
			Standard: mpi.StandardVersion, PMIx: mpi.PMIx, Ring: mpi.Ring,
			Software: describeSoftware, HDF5: hdf5Facts, Close: closeHDF5,
		},
		doctor.ExamineOptions{Directory: d.Directory, Timeout: d.Timeout, Serial: d.Serial, JSON: d.JSON},
	)
}
