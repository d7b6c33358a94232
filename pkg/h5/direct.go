package h5

// #include "calls.h"
import "C"

import (
	"errors"
	"fmt"

	"gonum.org/v1/hdf5"
)

// ErrNotInLibrary is the reason if the library was built without what is asked for.
var ErrNotInLibrary = errors.New("not available in this library")

// missing returns an error that says that the library was built without the feature what, and which library to use
// instead.
func missing(what, use string) error {
	return fmt.Errorf("%s: %w (HDF5 %s, %s): use %s", what, ErrNotInLibrary, Version(), Library(), use)
}

// CheckDirect returns an error if the library was built without the direct driver.
func CheckDirect() error {
	if C.BUILT_DIRECT == 0 {
		return missing("the file driver direct",
			"an HDF5 that was configured with --enable-direct-vfd, or the container image")
	}
	return nil
}

// SetDirect sets the direct driver, which opens files with O_DIRECT. Memory is accessed at multiples of alignment, the
// file at multiples of block; what is not aligned is copied through a buffer. All sizes are in bytes.
//
// Implements: H5Pset_fapl_direct
func SetDirect(fapl *hdf5.PropList, alignment, block, buffer uint64) error {
	if err := CheckDirect(); err != nil {
		return err
	}
	rc := C.h5perf_set_direct(C.hid_t(fapl.ID()), C.size_t(alignment), C.size_t(block), C.size_t(buffer))
	return status(rc, "H5Pset_fapl_direct")
}
