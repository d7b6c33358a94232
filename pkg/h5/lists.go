package h5

// #include "calls.h"
import "C"

import (
	"fmt"

	"gonum.org/v1/hdf5"
)

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

// SetAlignment makes objects of at least threshold bytes begin at multiples of alignment, in bytes.
//
// Implements: H5Pset_alignment
func SetAlignment(fapl *hdf5.PropList, threshold, alignment uint64) error {
	rc := C.H5Pset_alignment(C.hid_t(fapl.ID()), C.hsize_t(threshold), C.hsize_t(alignment))
	return status(rc, "H5Pset_alignment")
}

// SetMetaBlock sets the size in bytes of the blocks in which the metadata of a file are allocated. With 0, each object
// has its own allocation.
//
// Implements: H5Pset_meta_block_size
func SetMetaBlock(fapl *hdf5.PropList, bytes uint64) error {
	return status(C.H5Pset_meta_block_size(C.hid_t(fapl.ID()), C.hsize_t(bytes)), "H5Pset_meta_block_size")
}

// SetEvictOnClose removes the metadata of an object from the cache when the object is closed. HDF5 with MPI refuses
// this setting before version 1.14.3.
//
// Implements: H5Pset_evict_on_close
func SetEvictOnClose(fapl *hdf5.PropList) error {
	return status(C.H5Pset_evict_on_close(C.hid_t(fapl.ID()), true), "H5Pset_evict_on_close")
}

// SetSieveBuffer sets the size in bytes of the sieve buffer, which combines small transfers of a dataset with
// contiguous storage. File drivers for several processes do not use it.
//
// Implements: H5Pset_sieve_buf_size
func SetSieveBuffer(fapl *hdf5.PropList, bytes uint64) error {
	return status(C.H5Pset_sieve_buf_size(C.hid_t(fapl.ID()), C.size_t(bytes)), "H5Pset_sieve_buf_size")
}

// SetChunkCache sets the size in bytes of the chunk cache of each dataset with chunked storage. Each slot of the cache
// can hold one chunk; the number of slots is the larger of the parameter slots and the library's default.
//
// Implements: H5Pset_cache
func SetChunkCache(fapl *hdf5.PropList, slots, bytes uint64) error {
	return status(C.h5perf_set_chunk_cache(C.hid_t(fapl.ID()), C.size_t(slots), C.size_t(bytes)), "H5Pset_cache")
}

// DeferMetadata keeps the metadata of a file in the cache until the file is flushed or closed. The cache evicts nothing
// and keeps its size.
//
// Implements: H5Pset_mdc_config
func DeferMetadata(fapl *hdf5.PropList) error {
	return status(C.h5perf_defer_metadata(C.hid_t(fapl.ID())), "H5Pset_mdc_config")
}

// SetPageAllocation allocates the space of a file in pages of the given size in bytes. The file does not keep track of
// its free space.
//
// Implements: H5Pset_file_space_strategy H5Pset_file_space_page_size
func SetPageAllocation(fcpl *hdf5.PropList, bytes uint64) error {
	id := C.hid_t(fcpl.ID())
	rc := C.H5Pset_file_space_strategy(id, C.H5F_FSPACE_STRATEGY_PAGE, C.hbool_t(false), 1)
	if err := status(rc, "H5Pset_file_space_strategy"); err != nil {
		return err
	}
	return status(C.H5Pset_file_space_page_size(id, C.hsize_t(bytes)), "H5Pset_file_space_page_size")
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
	if err := SetSieveBuffer(fapl, 0); err != nil {
		return err
	}
	return SetChunkCache(fapl, 0, 0)
}

// SetEarlyAllocationNoFill makes HDF5 allocate all storage of a dataset when the dataset is created, without writing
// fill values.
func SetEarlyAllocationNoFill(dcpl *hdf5.PropList) error {
	id := C.hid_t(dcpl.ID())
	if err := status(C.H5Pset_alloc_time(id, C.H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time"); err != nil {
		return err
	}
	return SetFillTime(dcpl, "never")
}

// SetFillTime sets when HDF5 writes fill values to newly allocated storage of a dataset. name is never, ifset, or alloc
// (always). ifset means always for chunked storage, and for contiguous storage only if the user has set a fill value.
//
// Implements: H5Pset_fill_time
func SetFillTime(dcpl *hdf5.PropList, name string) error {
	when, known := map[string]C.H5D_fill_time_t{
		"never": C.H5D_FILL_TIME_NEVER, "ifset": C.H5D_FILL_TIME_IFSET, "alloc": C.H5D_FILL_TIME_ALLOC,
	}[name]
	if !known {
		return fmt.Errorf("fill time %q is not known", name)
	}
	return status(C.H5Pset_fill_time(C.hid_t(dcpl.ID()), when), "H5Pset_fill_time")
}
