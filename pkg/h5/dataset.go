package h5

/*
#include <stdlib.h>
#include "h5perf_hdf5.h"
*/
import "C"

import (
	"unsafe"

	"gonum.org/v1/hdf5"
)

// Dataset is a dataset that was created. It takes the place of hdf5.Dataset, which holds a datatype that is never
// closed.
type Dataset struct {
	id C.hid_t
}

// CreateDataset creates a dataset with a dataset creation list.
//
// Implements: H5Dcreate2
func CreateDataset(
	file *hdf5.File, name string, datatype *hdf5.Datatype, space *hdf5.Dataspace, dcpl *hdf5.PropList,
) (*Dataset, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	id := C.H5Dcreate2(C.hid_t(file.ID()), text, C.hid_t(datatype.ID()), C.hid_t(space.ID()),
		C.H5P_DEFAULT, C.hid_t(dcpl.ID()), C.H5P_DEFAULT)
	if id < 0 {
		return nil, Failed("H5Dcreate2")
	}
	return &Dataset{id}, nil
}

// ID returns the identifier of the dataset.
func (d *Dataset) ID() int64 { return int64(d.id) }

// Close closes the dataset.
//
// Implements: H5Dclose
func (d *Dataset) Close() error {
	if rc, errno := C.H5Dclose(d.id); rc < 0 {
		return FailedWith("H5Dclose", errno)
	}
	return nil
}
