package h5

/*
#include "h5perf_hdf5.h"

#ifdef H5_HAVE_DIRECT
enum { HAVE_DIRECT = 1 };
static herr_t set_direct(hid_t fapl, size_t alignment, size_t block, size_t buffer)
{
    return H5Pset_fapl_direct(fapl, alignment, block, buffer);
}
#else
enum { HAVE_DIRECT = 0 };
static herr_t set_direct(hid_t fapl, size_t alignment, size_t block, size_t buffer)
{
    (void)fapl, (void)alignment, (void)block, (void)buffer;
    return -1;
}
#endif
*/
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
	if C.HAVE_DIRECT == 0 {
		return fmt.Errorf("the file driver direct: %w (HDF5 %s, %s): use an HDF5 that was configured with --enable-direct-vfd, or the container image",
			ErrNotInLibrary, Version(), Library())
	}
	rc := C.set_direct(C.hid_t(fapl.ID()), C.size_t(alignment), C.size_t(block), C.size_t(buffer))
	return status(rc, "H5Pset_fapl_direct")
}
