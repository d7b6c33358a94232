//go:build !cgo || nompi

// Package mpiio is the engine of MPI-IO. In this build, without MPI, it refuses every case.
package mpiio

import (
	"fmt"

	"h5perf/pkg/engine"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// New returns an engine whose Prepare always returns an error, because the program has no MPI.
func New() engine.Engine { return noEngine{} }

type noEngine struct{}

// Prepare returns an error.
func (noEngine) Prepare(engine.Env, workload.Program) (engine.Session, error) {
	return nil, fmt.Errorf("MPI-IO: %w: built without MPI", engine.ErrUnsupported)
}

// ImplementationName returns "": there is no MPI-IO.
func ImplementationName() string { return "" }

// LibraryInUse returns the zero value: there is no MPI-IO.
func LibraryInUse() option.MPILibrary { return option.MPILibrary{} }

// CallCounter returns a counter without functions.
func CallCounter() engine.CallCounter { return noCounter{} }

type noCounter struct{}

func (noCounter) Start(string)                 {}
func (noCounter) Stop() []engine.FunctionCalls { return nil }
