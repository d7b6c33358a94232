package h5

/*
#include <stdlib.h>
#include "h5perf_hdf5.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"gonum.org/v1/hdf5"
)

// CreateFile creates a file, or empties it, with an access list.
func CreateFile(path string, fapl *hdf5.PropList) (*hdf5.File, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	id := C.H5Fcreate(name, C.uint(hdf5.F_ACC_TRUNC), C.H5P_DEFAULT, C.hid_t(fapl.ID()))
	if id < 0 {
		return nil, Failed("H5Fcreate")
	}
	return adopt(id)
}

// OpenFile opens a file with an access list; flags are hdf5.F_ACC_RDONLY or hdf5.F_ACC_RDWR.
func OpenFile(path string, flags int, fapl *hdf5.PropList) (*hdf5.File, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	id := C.H5Fopen(name, C.uint(flags), C.hid_t(fapl.ID()))
	if id < 0 {
		return nil, Failed("H5Fopen")
	}
	return adopt(id)
}

// lost: a file could not be closed. HDF5 1.10 keeps its identifier nevertheless, of memory that it has freed, and whatever
// closes it again, H5close too, crashes.
var lost bool

// CloseFile closes a file. It is gone also after an error.
func CloseFile(file *hdf5.File) error {
	if rc, errno := C.H5Fclose(C.hid_t(file.ID())); rc < 0 {
		lost = true
		return FailedWith("H5Fclose", errno)
	}
	return nil
}

// adopt makes a file of the binding from an identifier, and takes it over.
func adopt(id C.hid_t) (*hdf5.File, error) {
	file := object(hdf5.NewDatatype, id).File() // with a reference of its own
	if file == nil {
		return nil, errors.Join(Failed("H5Iget_file_id"), status(C.H5Fclose(id), "H5Fclose"))
	}
	return file, status(C.H5Idec_ref(id), "H5Idec_ref")
}

// object makes an object of the binding from an identifier, whose type there has no name outside.
func object[ID ~int64, T any](newObject func(ID) T, id C.hid_t) T { return newObject(ID(id)) }

// status is the error of a call that returned rc.
func status(rc C.herr_t, call string) error {
	if rc < 0 {
		return Failed(call)
	}
	return nil
}

// vfd is what the driver of a file calls its open file: MPI_File* (mpio).
func vfd(file *hdf5.File) (unsafe.Pointer, error) {
	var handle unsafe.Pointer
	err := status(C.H5Fget_vfd_handle(C.hid_t(file.ID()), C.H5P_DEFAULT, &handle), "H5Fget_vfd_handle")
	return handle, err
}
