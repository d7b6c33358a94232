package h5

// #include "calls.h"
import "C"

import (
	"errors"
	"fmt"

	"gonum.org/v1/hdf5"
)

// ErrNotInLibrary is the reason of what the library was built without.
var ErrNotInLibrary = errors.New("not in this library")

// SetDirect chooses the direct driver, which opens files with O_DIRECT: memory and file are accessed in multiples of
// alignment and block bytes, and what is not aligned is copied through a buffer.
func SetDirect(fapl *hdf5.PropList, alignment, block, buffer uint64) error {
	if C.BUILT_DIRECT == 0 {
		return fmt.Errorf("the file driver direct: %w (HDF5 %s, %s): use an HDF5 that was configured with --enable-direct-vfd, or the container image",
			ErrNotInLibrary, Version(), Library())
	}
	rc := C.h5perf_set_direct(C.hid_t(fapl.ID()), C.size_t(alignment), C.size_t(block), C.size_t(buffer))
	return status(rc, "H5Pset_fapl_direct")
}
