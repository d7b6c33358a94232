//go:build cgo

package main

import (
	"os"
	"testing"

	"h5perf/cmd/faultfs/faulttest"
	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// beTool makes the test binary the tool, so that tests can launch it for real.
const beTool = "H5PERF_BE_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(beTool) != "" || len(os.Args) == 2 && os.Args[1] == watch.Argument {
		mpi.Exit(run(os.Args, os.Stdout, os.Stderr))
	}
	faulttest.Main()
	faulttest.Alone() // tests mount small, read-only and faulty file systems
	os.Exit(m.Run())
}
