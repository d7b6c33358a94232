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
	"h5perf/pkg/rundir"
)

// runSerial runs the serial tool, without MPI, and returns the exit status.
func runSerial(s cli.Serial, stdout, stderr io.Writer) int {
	gateway, err := openGateway(mpi.Self{}, s.Request)
	if err != nil {
		return cli.RefuseSerial(stderr, err)
	}
	j := &job{
		Request: s.Request, gateway: gateway, kind: "serial", prefix: rundir.SerialPrefix, world: mpi.Self{}, stdout: stdout, stderr: stderr,
		engines: map[string]func() engine.Engine{plan.POSIX: posix.New, plan.HDF5: hdf5.New},
	}
	end, err := j.begin(s.Options.Conditions.Hang())
	if err != nil {
		return tellOnce(stderr, exitFailed, err)
	}
	defer end()
	if j.plan, err = plan.NewSerial(s.Options, j.place()); err != nil {
		return cli.RefuseSerial(stderr, err)
	}
	status := j.run()
	if err := h5.Close(); err != nil {
		return tellOnce(stderr, max(status, exitFailed), err)
	}
	return status
}
