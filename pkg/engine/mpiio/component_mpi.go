//go:build cgo && !nompi

package mpiio

// #include "component.h"
import "C"

import (
	"strings"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
)

// ImplementationName returns the name of the implementation of MPI-IO in use, for messages; "" if it is unknown. MPI
// must be initialised.
func ImplementationName() string { return componentName(mpi.LibraryVersion(), ioParameter()) }

// LibraryInUse returns the MPI library and the implementation of MPI-IO in use. MPI must be initialised.
func LibraryInUse() option.MPILibrary { return parseLibrary(mpi.LibraryVersion(), ioParameter()) }

// ioParameter returns the value of Open MPI's parameter io; "" if it is not set.
func ioParameter() string {
	var value [C.H5PERF_IO_ROOM]C.char
	if strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") && C.h5perf_io_parameter(&value[0]) != 0 {
		return C.GoString(&value[0])
	}
	return ""
}
