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

// CreateFile creates a file, or truncates it. fcpl is a file creation list, or nil for the library's defaults. fapl is
// a file access list.
//
// Implements: H5Fcreate
func CreateFile(path string, fcpl, fapl *hdf5.PropList) (*hdf5.File, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	creation := C.hid_t(C.H5P_DEFAULT)
	if fcpl != nil {
		creation = C.hid_t(fcpl.ID())
	}
	id := C.H5Fcreate(name, C.uint(hdf5.F_ACC_TRUNC), creation, C.hid_t(fapl.ID()))
	if id < 0 {
		return nil, NewCallError("H5Fcreate")
	}
	return fileFromID(id)
}

// OpenFile opens a file with a file access list. flags is hdf5.F_ACC_RDONLY or hdf5.F_ACC_RDWR.
//
// Implements: H5Fopen
func OpenFile(path string, flags int, fapl *hdf5.PropList) (*hdf5.File, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	id := C.H5Fopen(name, C.uint(flags), C.hid_t(fapl.ID()))
	if id < 0 {
		return nil, NewCallError("H5Fopen")
	}
	return fileFromID(id)
}

// closeFailed is true if a file could not be closed. HDF5 1.10 then keeps the identifier but has freed its memory.
// Closing it again would crash, and so would H5close.
var closeFailed bool

// CloseFile closes a file. The file must not be closed again, even after an error.
//
// Implements: H5Fclose
func CloseFile(file *hdf5.File) error {
	if rc, errno := C.H5Fclose(C.hid_t(file.ID())); rc < 0 {
		closeFailed = true
		return NewCallErrorWith("H5Fclose", errno)
	}
	return nil
}

// fileFromID converts the identifier of a file to an object of the Go binding, which then owns the identifier.
func fileFromID(id C.hid_t) (*hdf5.File, error) {
	file := objectFromID(hdf5.NewDatatype, id).File() // File adds a reference
	if file == nil {
		return nil, errors.Join(NewCallError("H5Iget_file_id"), status(C.H5Fclose(id), "H5Fclose"))
	}
	return file, status(C.H5Idec_ref(id), "H5Idec_ref")
}

// objectFromID converts an identifier to an object of the Go binding. The binding does not export its type of
// identifiers; here it is inferred from newObject.
func objectFromID[ID ~int64, T any](newObject func(ID) T, id C.hid_t) T { return newObject(ID(id)) }

// status returns the error of a call that returned rc; nil if the call succeeded.
func status(rc C.herr_t, call string) error {
	if rc < 0 {
		return NewCallError(call)
	}
	return nil
}

// vfdHandle returns the address of the handle that the file driver has for an open file. For mpio it is an MPI_File*.
//
// Implements: H5Fget_vfd_handle
func vfdHandle(file *hdf5.File) (unsafe.Pointer, error) {
	var handle unsafe.Pointer
	err := status(C.H5Fget_vfd_handle(C.hid_t(file.ID()), C.H5P_DEFAULT, &handle), "H5Fget_vfd_handle")
	return handle, err
}
