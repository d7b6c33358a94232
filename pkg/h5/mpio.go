//go:build cgo && !nompi

package h5

// #include "calls.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"

	"gonum.org/v1/hdf5"
)

// SetMPIO chooses the mpio driver. comm points to an MPI_Comm; nil hints are MPI_INFO_NULL, empty ones an info object
// without keys. Both are copied.
func SetMPIO(fapl *hdf5.PropList, comm unsafe.Pointer, hints []kv.KeyValue) error {
	info, err := mpi.NewInfo(hints)
	if err != nil {
		return err
	}
	defer info.Free()
	return status(C.h5perf_set_mpio(C.hid_t(fapl.ID()), comm, info.Handle()), "H5Pset_fapl_mpio")
}

// SetCollective makes the transfers of a list collective; all processes of the file must then take part in each.
func SetCollective(dxpl *hdf5.PropList) error {
	return status(C.H5Pset_dxpl_mpio(C.hid_t(dxpl.ID()), C.H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio")
}

// Hints are the MPI-IO hints in effect for a file of the mpio driver, as MPI_File_get_info tells them.
func Hints(file *hdf5.File) ([]kv.KeyValue, error) {
	handle, err := vfd(file)
	if err != nil {
		return nil, err
	}
	return mpi.FileHints(handle)
}
