package main

import (
	"io"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
)

// checkLaunch finds out whether this process is one of the world that its launcher started: by what MPI sees, or before MPI
// is initialised (nil) where that can be told already. The error is a *launcher.Error.
func checkLaunch(world mpi.Comm) error {
	switch {
	case world != nil:
		return launcher.Check(launcher.Here(), world.Size(), mpi.LibraryVersion())
	case mpi.SpeaksPMIxAlone():
		return launcher.CheckBefore(launcher.Here(), mpi.LibraryVersion())
	}
	return nil
}

// refuseLaunch tells of a wrong launch, by the first of the processes that were launched, and returns the status. The others
// live a little longer: a launcher may end the job at the first that ends.
func refuseLaunch(stderr io.Writer, err error) int {
	if launcher.Rank(launcher.Here().Getenv) != 0 {
		time.Sleep(cli.HeadStart)
	}
	return tellOnce(stderr, exitLaunch, err)
}
