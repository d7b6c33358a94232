package h5

// #include "h5perf_hdf5.h"
import "C"

import "gonum.org/v1/hdf5"

// Flush writes to the operating system everything that the library holds in memory for a file. The mpio driver also
// calls MPI_File_sync, so that the data are on stable storage; with this driver, Flush is collective.
//
// Implements: H5Fflush
func Flush(file *hdf5.File) error {
	if rc, errno := C.H5Fflush(C.hid_t(file.ID()), C.H5F_SCOPE_GLOBAL); rc < 0 {
		return NewCallErrorWith("H5Fflush", errno)
	}
	return nil
}
