package main

import (
	"fmt"
	"io"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
)

// launchGuard returns the guard that checks whether this process belongs to the MPI world that its launcher started.
func launchGuard() launcher.LaunchGuard {
	return launcher.LaunchGuard{
		Source: launcher.WaitForSiblings, Library: mpi.LibraryVersion(),
		OnlyPMIx: mpi.UsesPMIxOnly,
	}
}

// isFirstRank reports whether this process is the first of the processes that the launcher started.
func isFirstRank() bool { return launcher.ThisProcess().Rank() == 0 }

// firstRankWriter returns stream on the first process. On the other processes, it returns a writer that discards
// everything. It is for messages that all processes write, but that should appear only once.
func firstRankWriter(stream io.Writer) io.Writer {
	if isFirstRank() {
		return stream
	}
	return io.Discard
}

// printErrorOnce prints an error that occurs on all processes, but only on the first process, and returns status.
func printErrorOnce(stderr io.Writer, status int, err error) int {
	_, _ = fmt.Fprintf(firstRankWriter(stderr), "h5perf: %v\n", err)
	return status
}
