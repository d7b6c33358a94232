// Command h5perf measures a file system the way HDF5 applications use it.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// MPI and HDF5 are called from the main thread only.
func init() { runtime.LockOSThread() }

func main() {
	mpi.Exit(program(os.Args, os.Stdout, os.Stderr))
}

// program is the program, or its watcher, and returns the exit status.
func program(args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[1] == watch.Argument {
		return watch.Main(os.Stdin, stderr)
	}
	return cli.Run(args, os.LookupEnv, stdout, stderr, cli.Tools{
		Parallel: func(p cli.Parallel) int { return runParallel(p, stdout, stderr) },
		Serial:   func(s cli.Serial) int { return runSerial(s, stdout, stderr) },
		Doctor:   func(d cli.Doctor) int { return runDoctor(d, stdout, stderr) },
	})
}

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
