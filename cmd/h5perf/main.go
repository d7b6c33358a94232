// Command h5perf measures a file system the way HDF5 applications use it.
package main

import (
	"fmt"
	"os"
	"runtime"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/output"
	"h5perf/pkg/process"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// Only the main thread calls MPI and HDF5.
func init() { runtime.LockOSThread() }

func main() { mpi.Exit(runProgram(os.Args)) }

// describeArgument is the first argument of a process that describes an HDF5 file. The second argument is the path of
// the file.
const describeArgument = "h5perf-describe"

// runProgram calls execute with the output streams of the process. If the terminal belongs to the launcher, such as
// mpiexec, it formats the output as for a file.
func runProgram(args []string) int {
	stdout, stderr := output.StandardStreams(launcher.HasOwnTerminal(os.Getenv))
	return execute(args, stdout, stderr)
}

// execute runs a command of h5perf or its watcher, and returns the exit status. If the only failure was writing to
// standard output, it returns result.ExitFailed.
func execute(args []string, stdout, stderr *output.Stream) int {
	status := dispatch(args, stdout, stderr)
	if err := stdout.Err(); err != nil && status == result.ExitOK {
		_, _ = fmt.Fprintf(stderr, "h5perf: %v\n", err)
		return result.ExitFailed
	}
	return status
}

// dispatch runs what the arguments ask for, and returns the exit status. The arguments ask for a command of h5perf, for
// its watcher, or for the description of an HDF5 file.
func dispatch(args []string, stdout, stderr *output.Stream) int {
	if len(args) == 2 && args[1] == watch.Argument {
		stderr.LimitWrites() // the run may have ended, and removing data files must not wait for a reader of the stream
		return watch.WatcherMain(os.Stdin, stderr)
	}
	if len(args) == 3 && args[1] == describeArgument {
		return describeFile(args[2], stdout, stderr)
	}
	tools := cli.Tools{
		Parallel: func(p cli.Measurement) int { return runParallel(p, stdout, stderr) },
		Serial:   func(s cli.Measurement) int { return runSerial(s, stdout, stderr) },
		Doctor:   func(d cli.Doctor) int { return runDoctor(d, stdout, stderr) },
		Describe: describeInChild,

		Library:   hdf5Library,
		Documents: process.UseAllProcessors,
	}
	if mpi.Available {
		tools.Rerun = func(r cli.Rerun) int { return runRerun(r, stdout, stderr) }
	}
	return cli.Run(args, os.LookupEnv, stdout, stderr, tools)
}
