//go:build cgo

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// runParallel runs the parallel tool on all processes of the job and returns this process's exit status.
func runParallel(p cli.Parallel, stdout, stderr io.Writer) int {
	if err := setIOComponent(p.Options.MPIIO.IOComponent); err != nil {
		return p.Refuse(first(stderr), err)
	}
	if err := checkLaunch(nil); err != nil {
		return refuseLaunch(stderr, err)
	}
	start := mpi.Init
	if p.Threads() {
		start = mpi.InitMultiple
	}
	world, err := start()
	if err != nil {
		return tellOnce(stderr, exitFailed, err)
	}
	status := runWorld(p, world, stdout, stderr)
	if err := h5.Close(); err != nil { // what is open at MPI_Finalize would end in a crash
		_, _ = fmt.Fprintf(stderr, "h5perf: rank %d: %v\n", world.Rank(), err)
		status = max(status, exitFailed)
	}
	// Told to end, MPICH's mpiexec often returns 0 when its ranks end by themselves; Open MPI's does not, and tells of an abort.
	if status == exitStopped && !strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") {
		world.Abort(status)
		return status
	}
	finalize(world, status, stderr)
	return status
}

// setIOComponent chooses the MPI-IO component, which MPI reads from the environment when it starts.
func setIOComponent(component mpiioconf.Component) error {
	if component == "" {
		return nil
	}
	key, value, err := mpiio.ComponentVariable(component, mpi.LibraryVersion())
	if err != nil || key == "" {
		return err
	}
	return os.Setenv(key, value)
}

func runWorld(p cli.Parallel, world mpi.Comm, stdout, stderr io.Writer) int {
	if err := checkLaunch(world); err != nil {
		return refuseLaunch(stderr, err)
	}
	j := &job{
		kind: result.KindParallel, prefix: rundir.ParallelPrefix, world: world, stdout: stdout, stderr: stderr,
		engines: map[string]func() engine.Engine{result.POSIX: posix.New, result.MPIIO: mpiio.New, result.PHDF5: hdf5.New},
	}
	var all []configuration
	for c := &p; c != nil; c = c.Partner {
		options := c.Options
		all = append(all, configuration{c.Request, options.Conditions.Hang(), func(at plan.Job) (plan.Plan, error) {
			made, err := plan.New(options, at)
			if err != nil {
				return made, err
			}
			return made, hdf5.CheckRun(made.Parameters.HDF5Settings, os.LookupEnv)
		}})
	}
	return j.measure(all, func(err error) int { return p.Refuse(first(stderr), err) })
}
