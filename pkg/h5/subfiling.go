//go:build cgo && !nompi

package h5

// #include "calls.h"
import "C"

import (
	"fmt"
	"unsafe"

	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"

	"gonum.org/v1/hdf5"
)

// CheckSubfiling tells whether the library has the subfiling driver.
func CheckSubfiling() error {
	if C.BUILT_SUBFILING == 0 {
		return fmt.Errorf("the file driver subfiling: %w (HDF5 %s, %s): use an HDF5 that was configured with --enable-subfiling-vfd, or the container image",
			ErrNotInLibrary, Version(), Library())
	}
	return nil
}

// SetSubfiling chooses the subfiling driver: some processes, its I/O concentrators, write and read for all, each in threads of
// its own, files over which the data are striped. comm and hints are as in SetMPIO. stripe is in bytes; files is their number,
// 0 for one of each concentrator; threads are those of a concentrator. MPI must be at MPI_THREAD_MULTIPLE.
func SetSubfiling(fapl *hdf5.PropList, comm unsafe.Pointer, hints []kv.KeyValue, stripe uint64, files, threads int) error {
	if err := CheckSubfiling(); err != nil {
		return err
	}
	info, err := mpi.NewInfo(hints)
	if err != nil {
		return err
	}
	defer info.Free()
	rc := C.h5perf_set_subfiling(C.hid_t(fapl.ID()), comm, info.Handle(), C.int64_t(stripe), C.int32_t(files), C.int32_t(threads))
	return status(rc, "H5Pset_fapl_subfiling")
}
