package main

import (
	"fmt"
	"io"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
)

// guard returns the check whether this process belongs to the MPI world that its launcher started.
func guard() launcher.Guard {
	return launcher.Guard{Source: launcher.Settled, Library: mpi.LibraryVersion(), PMIxAlone: mpi.SpeaksPMIxAlone}
}

// isFirst reports whether this process is the first of those that were launched.
func isFirst() bool { return launcher.Here().Rank() == 0 }

// first returns the stream on the first process, and one that discards everything on the others. It is for texts that
// all processes write.
func first(stream io.Writer) io.Writer {
	if isFirst() {
		return stream
	}
	return io.Discard
}

// tellOnce reports an error that all processes have, on the first one, and returns the status.
func tellOnce(stderr io.Writer, status int, err error) int {
	_, _ = fmt.Fprintf(first(stderr), "h5perf: %v\n", err)
	return status
}
