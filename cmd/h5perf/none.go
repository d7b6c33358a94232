//go:build !cgo

package main

import (
	"errors"
	"runtime"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/doctor"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/output"
	"h5perf/pkg/result"
	"h5perf/pkg/script/fromfile"
)

var errNone = errors.New("built without MPI and HDF5: this program reads results and measures nothing; " +
	"to measure, use a build with FLAVOUR=openmpi, mpich or serial")

func runParallel(_ cli.Measurement, _, stderr *output.Stream) int {
	return printErrorOnce(stderr, result.ExitUsage, errNone)
}

func runSerial(_ cli.Measurement, _, stderr *output.Stream) int {
	return printErrorOnce(stderr, result.ExitUsage, errNone)
}

func runRerun(_ cli.Rerun, _, stderr *output.Stream) int {
	return printErrorOnce(stderr, result.ExitUsage, errNone)
}

// describeInChild returns an error, because this program has no HDF5.
func describeInChild(string) (fromfile.Description, error) { return fromfile.Description{}, errNone }

// describeFile prints an error and returns its exit status, because this program has no HDF5.
func describeFile(_ string, _, stderr *output.Stream) int {
	return printErrorOnce(stderr, result.ExitFailed, errNone)
}

func describeSoftware(bool) result.Software {
	version, revision, flavour := node.BuildInfo()
	return result.Software{Version: version, Revision: revision, Flavour: flavour, Go: runtime.Version()}
}

// hdf5Library returns the zero value, because this program has no HDF5.
func hdf5Library() option.HDF5Library { return option.HDF5Library{} }

// hdf5Facts returns nil, because this program has no HDF5.
func hdf5Facts() *doctor.HDF5 { return nil }

// closeHDF5 does nothing, because this program has no HDF5.
func closeHDF5() error { return nil }
