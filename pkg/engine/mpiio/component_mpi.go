//go:build cgo && !nompi

package mpiio

// #include "component.h"
import "C"

import (
	"strings"

	"h5perf/pkg/mpi"
)

// Component returns the name of the implementation of MPI-IO in use, for people; "" if it is not known. MPI must be
// initialised.
func Component() string {
	var value [C.H5PERF_IO_ROOM]C.char
	library, parameter := mpi.LibraryVersion(), ""
	if strings.HasPrefix(library, "Open MPI") && C.h5perf_io_parameter(&value[0]) != 0 {
		parameter = C.GoString(&value[0])
	}
	return describe(library, parameter)
}
