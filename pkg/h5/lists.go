package h5

// #include "calls.h"
import "C"

import "gonum.org/v1/hdf5"

// NewAccessList makes a file access list.
func NewAccessList() (*hdf5.PropList, error) { return newList(C.h5perf_file_access()) }

// NewTransferList makes a data transfer list, of independent transfers.
func NewTransferList() (*hdf5.PropList, error) { return newList(C.h5perf_dataset_transfer()) }

func newList(class C.hid_t) (*hdf5.PropList, error) {
	list, err := hdf5.NewPropList(hdf5.PropType(class))
	if err != nil {
		return nil, Failed("H5Pcreate")
	}
	return list, nil
}

// SetAlignment makes objects of at least threshold bytes start at multiples of alignment bytes.
func SetAlignment(fapl *hdf5.PropList, threshold, alignment uint64) error {
	return status(C.H5Pset_alignment(C.hid_t(fapl.ID()), C.hsize_t(threshold), C.hsize_t(alignment)), "H5Pset_alignment")
}

// SetSieveBuffer gives each dataset of contiguous storage a buffer for small transfers. Drivers for several processes do
// without.
func SetSieveBuffer(fapl *hdf5.PropList, bytes uint64) error {
	return status(C.H5Pset_sieve_buf_size(C.hid_t(fapl.ID()), C.size_t(bytes)), "H5Pset_sieve_buf_size")
}

// SetChunkCache gives each dataset of chunked storage a cache of so many bytes, with the library's default number of slots,
// which each hold a chunk, or as many as given if that is more.
func SetChunkCache(fapl *hdf5.PropList, slots, bytes uint64) error {
	return status(C.h5perf_set_chunk_cache(C.hid_t(fapl.ID()), C.size_t(slots), C.size_t(bytes)), "H5Pset_cache")
}

// ShareSec2 chooses the sec2 driver, so that several processes can write to different parts of one dataset at a time:
// without file locks, and without sieve buffer and chunk cache, which write back what others have changed since.
func ShareSec2(fapl *hdf5.PropList) error {
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

// AllocateUnfilled makes a dataset get all its storage when it is created, and no content.
func AllocateUnfilled(dcpl *hdf5.PropList) error {
	id := C.hid_t(dcpl.ID())
	if err := status(C.H5Pset_alloc_time(id, C.H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time"); err != nil {
		return err
	}
	return SetFillTime(dcpl, "never")
}

// SetFillTime makes a dataset be filled, when it gets its storage, never, ifset (contiguous storage only with a fill value of the
// user's, chunked storage always), or alloc (always).
func SetFillTime(dcpl *hdf5.PropList, name string) error {
	when := map[string]C.H5D_fill_time_t{
		"never": C.H5D_FILL_TIME_NEVER, "ifset": C.H5D_FILL_TIME_IFSET, "alloc": C.H5D_FILL_TIME_ALLOC,
	}[name]
	return status(C.H5Pset_fill_time(C.hid_t(dcpl.ID()), when), "H5Pset_fill_time")
}
