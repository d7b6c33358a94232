package main

import (
	"fmt"
	"io"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
)

// guard finds out whether this process is one of the world that its launcher started.
func guard() launcher.Guard {
	return launcher.Guard{Source: launcher.Settled, Library: mpi.LibraryVersion(), PMIxAlone: mpi.SpeaksPMIxAlone}
}

// isFirst reports whether this process is the first of those that were launched.
func isFirst() bool { return launcher.Here().Rank() == 0 }

// first is the stream for what all processes have to tell, on the first of them; the others' text goes nowhere.
func first(stream io.Writer) io.Writer {
	if isFirst() {
		return stream
	}
	return io.Discard
}

// tellOnce tells of an error that all processes have, by the first of them, and returns the status.
func tellOnce(stderr io.Writer, status int, err error) int {
	_, _ = fmt.Fprintf(first(stderr), "h5perf: %v\n", err)
	return status
}
