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

// Dataset is a created dataset. The binding's keeps a datatype that nothing closes.
type Dataset struct {
	id C.hid_t
}

// CreateDataset creates a dataset with a creation list.
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

// ID is the identifier of the dataset.
func (d *Dataset) ID() int64 { return int64(d.id) }

// Close closes the dataset.
func (d *Dataset) Close() error {
	if rc, errno := C.H5Dclose(d.id); rc < 0 {
		return FailedWith("H5Dclose", errno)
	}
	return nil
}
