package h5

// #include "h5perf_hdf5.h"
import "C"

import "gonum.org/v1/hdf5"

// Flush writes everything that the library holds of a file to the system. The mpio driver also calls MPI_File_sync, so
// that the data are durable; with it, Flush is collective.
//
// Implements: H5Fflush
func Flush(file *hdf5.File) error {
	if rc, errno := C.H5Fflush(C.hid_t(file.ID()), C.H5F_SCOPE_GLOBAL); rc < 0 {
		return NewCallErrorWith("H5Fflush", errno)
	}
	return nil
}
