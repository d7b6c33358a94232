//go:build cgo && !nompi

package mpiio

// #cgo LDFLAGS: -ldl
// #include "calls.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/engine"
)

// CallCounter counts the calls of MPI-IO. Bytes are those that the arguments of calls ask for.
func CallCounter() engine.CallCounter { return callCounter{} }

type callCounter struct{}

// Start starts counting. Only data files are opened through MPI-IO, so all calls count.
func (callCounter) Start(string) { C.h5perf_mpiio_count(1) }

// Stop ends counting.
func (callCounter) Stop() []engine.FunctionCalls {
	return engine.ReadCalls(unsafe.Pointer(C.h5perf_mpiio_count(0)), C.H5PERF_MPIIO_COUNT)
}
