package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
)

// checkLaunch finds out whether this process is one of the world that its launcher started: by what MPI sees, or before MPI
// is initialised (nil) where that can be told already. The error is a *launcher.Error.
func checkLaunch(world mpi.Comm) error {
	if world != nil {
		return launcher.Check(launcher.Settled(), world.Size(), mpi.LibraryVersion())
	}
	if err := launcher.CheckBefore(launcher.Settled(), mpi.LibraryVersion()); err != nil && mpi.SpeaksPMIxAlone() {
		return err
	}
	return nil
}

// refuseLaunch tells of a wrong launch, by the first of the processes that were launched, and returns the status. The others
// live a little longer: a launcher may end the job at the first that ends.
func refuseLaunch(stderr io.Writer, err error) int {
	if launcher.Here().Rank() != 0 {
		time.Sleep(cli.HeadStart)
	} else {
		_, _ = fmt.Fprintf(stderr, "h5perf: %v\n", err)
	}
	stay(err)
	return exitLaunch
}

// stay lets a process that was refused live on as long as others may need it.
func stay(err error) {
	if wrong, ok := errors.AsType[*launcher.Error](err); ok {
		time.Sleep(wrong.Stay())
	}
}

// abortTime is how long the MPI library has to tell the launcher that the job ends, before this process ends by itself.
const abortTime = 2 * time.Second

// lastWordsTime is how long the launcher has to pass on what was told last, before it hears that the job is to end: MPICH's now
// and then loses what it has not passed on by then.
const lastWordsTime = 500 * time.Millisecond

// finalizeTime is how long MPI has to end.
const finalizeTime = 10 * time.Second

// finalize ends MPI. What was found is told, and stays true: under MPICH 4.0 on UCX a rank now and then waits here for ranks of
// other nodes, which wait for it without answering.
func finalize(world mpi.Comm, status int, stderr io.Writer) {
	end := time.AfterFunc(finalizeTime, func() {
		_, _ = fmt.Fprintf(stderr, "h5perf: rank %d: MPI_Finalize lasts longer than %v; the process ends without it\n", world.Rank(), finalizeTime)
		os.Exit(status)
	})
	mpi.Finalize(world)
	end.Stop()
}
