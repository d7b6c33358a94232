// Command h5perf measures a file system the way HDF5 applications use it.
package main

import (
	"io"
	"os"
	"runtime"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// MPI and HDF5 are called from the main thread only.
func init() { runtime.LockOSThread() }

func main() {
	mpi.Exit(execute(os.Args, os.Stdout, os.Stderr))
}

// execute runs h5perf, or its watcher, and returns the exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[1] == watch.Argument {
		return watch.Main(os.Stdin, stderr)
	}
	return cli.Run(args, os.LookupEnv, stdout, stderr, cli.Tools{
		Parallel: func(p cli.Parallel) int { return runParallel(p, stdout, stderr) },
		Serial:   func(s cli.Serial) int { return runSerial(s, stdout, stderr) },
		Doctor:   func(d cli.Doctor) int { return runDoctor(d, stdout, stderr) },
	})
}
