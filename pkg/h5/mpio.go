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

// SetMPIO sets the mpio driver. comm points to an MPI_Comm. If hints is nil, it passes MPI_INFO_NULL; if hints is
// empty, an MPI_Info without keys. HDF5 copies both the communicator and the MPI_Info.
//
// Implements: H5Pset_fapl_mpio
func SetMPIO(fapl *hdf5.PropList, comm unsafe.Pointer, hints []units.KeyValue) error {
	info, err := mpi.NewInfo(hints)
	if err != nil {
		return err
	}
	defer info.Free()
	return status(C.h5perf_set_mpio(C.hid_t(fapl.ID()), comm, info.Handle()), "H5Pset_fapl_mpio")
}

// SetCollective makes the transfers with a transfer list collective. All processes that opened the file together must
// then take part in each transfer.
//
// Implements: H5Pset_dxpl_mpio
func SetCollective(dxpl *hdf5.PropList) error {
	return status(C.H5Pset_dxpl_mpio(C.hid_t(dxpl.ID()), C.H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio")
}

// FileHints returns the MPI-IO hints of a file with the mpio driver, as MPI_File_get_info returns them.
func FileHints(file *hdf5.File) ([]units.KeyValue, error) {
	handle, err := vfdHandle(file)
	if err != nil {
		return nil, err
	}
	return mpi.FileHints(handle)
}
