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

// SetCollectiveMetadata makes writes or reads of metadata, or both, collective in files that processes open together.
// If reads are collective, all these processes must take part in each operation that reads metadata.
//
// Implements: H5Pset_coll_metadata_write H5Pset_all_coll_metadata_ops
func SetCollectiveMetadata(fapl *hdf5.PropList, writes, reads bool) error {
	id := C.hid_t(fapl.ID())
	err := status(C.H5Pset_coll_metadata_write(id, C.hbool_t(writes)), "H5Pset_coll_metadata_write")
	if err != nil {
		return err
	}
	return status(C.H5Pset_all_coll_metadata_ops(id, C.hbool_t(reads)), "H5Pset_all_coll_metadata_ops")
}

// readMetadataSettings reads from an access list which operations on metadata are collective.
//
// Implements: H5Pget_coll_metadata_write H5Pget_all_coll_metadata_ops
func readMetadataSettings(f *FileSettings, fapl C.hid_t) error {
	var writes, reads C.hbool_t
	if err := status(C.H5Pget_coll_metadata_write(fapl, &writes), "H5Pget_coll_metadata_write"); err != nil {
		return err
	}
	err := status(C.H5Pget_all_coll_metadata_ops(fapl, &reads), "H5Pget_all_coll_metadata_ops")
	f.CollectiveMetadataWrites, f.CollectiveMetadataReads = bool(writes), bool(reads)
	return err
}

// FileHints returns the MPI-IO hints of a file with the mpio driver, as MPI_File_get_info returns them.
func FileHints(file *hdf5.File) ([]units.KeyValue, error) {
	handle, err := vfdHandle(file)
	if err != nil {
		return nil, err
	}
	return mpi.FileHints(handle)
}
