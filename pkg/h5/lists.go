package h5

// #include "calls.h"
import "C"

import "gonum.org/v1/hdf5"

// NewAccessList returns a new file access list.
func NewAccessList() (*hdf5.PropList, error) { return newPropList(C.h5perf_file_access()) }

// NewTransferList returns a new data transfer list for independent transfers.
func NewTransferList() (*hdf5.PropList, error) { return newPropList(C.h5perf_dataset_transfer()) }

// NewFileCreationList returns a new file creation list.
func NewFileCreationList() (*hdf5.PropList, error) { return newPropList(C.h5perf_file_create()) }

// newPropList returns a new property list of the given class.
//
// Implements: H5Pcreate
func newPropList(class C.hid_t) (*hdf5.PropList, error) {
	list, err := hdf5.NewPropList(hdf5.PropType(class))
	if err != nil {
		return nil, NewCallError("H5Pcreate")
	}
	return list, nil
}

// SetChunkCache sets the size in bytes of the chunk cache of each dataset with chunked storage. Each slot of the cache
// can hold one chunk; the number of slots is the larger of the parameter slots and the library's default.
//
// Implements: H5Pset_cache
func SetChunkCache(fapl *hdf5.PropList, slots, bytes uint64) error {
	return status(C.h5perf_set_chunk_cache(C.hid_t(fapl.ID()), C.size_t(slots), C.size_t(bytes)), "H5Pset_cache")
}

// SetSharedSec2 sets the sec2 driver so that several processes can write to different parts of one dataset at the same
// time. It turns off file locks. It also turns off the sieve buffer and the chunk cache, which would overwrite data
// from other processes.
func SetSharedSec2(fapl *hdf5.PropList) error {
	if err := SetSec2(fapl); err != nil {
		return err
	}
	if err := status(C.h5perf_no_locking(C.hid_t(fapl.ID())), "H5Pset_file_locking"); err != nil {
		return err
	}
	if err := SetByName(fapl, "sieve-buffer", "0"); err != nil {
		return err
	}
	return SetChunkCache(fapl, 0, 0)
}

// SetEarlyAllocationNoFill makes HDF5 allocate all storage of a dataset when the dataset is created, without writing
// fill values.
func SetEarlyAllocationNoFill(dcpl *hdf5.PropList) error {
	if err := SetByName(dcpl, "allocation-time", "early"); err != nil {
		return err
	}
	return SetByName(dcpl, "fill-time", "never")
}
