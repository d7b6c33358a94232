//go:build cgo && !nompi

package h5

// #include "calls.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/mpi"
	"h5perf/pkg/units"

	"gonum.org/v1/hdf5"
)

// CheckSubfiling returns an error if the library was built without the subfiling driver.
func CheckSubfiling() error {
	if C.BUILT_SUBFILING == 0 {
		return missing("the file driver subfiling",
			"an HDF5 that was configured with --enable-subfiling-vfd, or the container image")
	}
	return nil
}

// SetSubfiling sets the subfiling driver: the data are striped over several files, the subfiles, and some processes,
// the I/O concentrators, write and read them for all processes, in threads of their own. comm and hints are as for
// SetMPIO. stripe is the stripe size in bytes, files the number of subfiles, or 0 for one of each concentrator, and
// threads the number of threads of a concentrator. MPI must have the thread level MPI_THREAD_MULTIPLE.
//
// Implements: H5Pset_fapl_subfiling
func SetSubfiling(
	fapl *hdf5.PropList, comm unsafe.Pointer, hints []units.KeyValue, stripe uint64, files, threads int,
) error {
	if err := CheckSubfiling(); err != nil {
		return err
	}
	info, err := mpi.NewInfo(hints)
	if err != nil {
		return err
	}
	defer info.Free()
	rc := C.h5perf_set_subfiling(C.hid_t(fapl.ID()), comm, info.Handle(),
		C.int64_t(stripe), C.int32_t(files), C.int32_t(threads))
	return status(rc, "H5Pset_fapl_subfiling")
}
