//go:build cgo

package main

import (
	"io"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// runSerial runs the serial tool, without MPI, and returns the exit status.
func runSerial(s cli.Serial, stdout, stderr io.Writer) int {
	j := &job{
		kind: result.KindSerial, prefix: rundir.SerialPrefix, world: mpi.Self{}, stdout: stdout, stderr: stderr,
		engines: map[string]func() engine.Engine{result.POSIX: posix.New, result.HDF5: hdf5.New},
	}
	var all []configuration
	for c := &s; c != nil; c = c.Partner {
		options := c.Options
		all = append(all, configuration{c.Request, options.Conditions.Hang(), func(at plan.Job) (plan.Plan, error) { return plan.NewSerial(options, at) }})
	}
	status := j.measure(all, func(err error) int { return s.Refuse(stderr, err) })
	if err := h5.Close(); err != nil {
		return tellOnce(stderr, max(status, exitFailed), err)
	}
	return status
}
