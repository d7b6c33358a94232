//go:build !cgo

package main

import (
	"errors"
	"io"

	"h5perf/cmd/h5perf/cli"
)

var errNone = errors.New("built without MPI and HDF5: this program reads results and measures nothing; build with FLAVOUR=openmpi, mpich or serial to measure")

func runParallel(_ cli.Parallel, _, stderr io.Writer) int {
	return tellOnce(stderr, exitUsage, errNone)
}

func runSerial(_ cli.Serial, _, stderr io.Writer) int { return tellOnce(stderr, exitUsage, errNone) }
