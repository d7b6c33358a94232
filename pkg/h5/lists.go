package h5

/*
#include "h5perf_hdf5.h"

// Macros that call functions.
static hid_t file_access(void) { return H5P_FILE_ACCESS; }
static hid_t dataset_transfer(void) { return H5P_DATASET_XFER; }

static herr_t no_locking(hid_t fapl)
{
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
    return H5Pset_file_locking(fapl, 0, 1);
#else
    return H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_CANTSET,
                    "HDF5 " H5_VERS_INFO " cannot do without file locks"), -1;
#endif
}
*/
import "C"

import "gonum.org/v1/hdf5"

// NewAccessList makes a file access list.
func NewAccessList() (*hdf5.PropList, error) { return newList(C.file_access()) }

// NewTransferList makes a data transfer list, of independent transfers.
func NewTransferList() (*hdf5.PropList, error) { return newList(C.dataset_transfer()) }

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

// ShareSec2 chooses the sec2 driver, so that several processes can write to different parts of one dataset of contiguous
// storage at a time: without file locks, and without a sieve buffer, which writes back what others have changed since.
func ShareSec2(fapl *hdf5.PropList) error {
	id := C.hid_t(fapl.ID())
	if err := status(C.H5Pset_fapl_sec2(id), "H5Pset_fapl_sec2"); err != nil {
		return err
	}
	if err := status(C.no_locking(id), "H5Pset_file_locking"); err != nil {
		return err
	}
	return status(C.H5Pset_sieve_buf_size(id, 0), "H5Pset_sieve_buf_size")
}

// AllocateUnfilled makes a dataset get all its storage when it is created, and no content.
func AllocateUnfilled(dcpl *hdf5.PropList) error {
	id := C.hid_t(dcpl.ID())
	if err := status(C.H5Pset_alloc_time(id, C.H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time"); err != nil {
		return err
	}
	return status(C.H5Pset_fill_time(id, C.H5D_FILL_TIME_NEVER), "H5Pset_fill_time")
}
