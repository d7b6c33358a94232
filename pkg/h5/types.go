package h5

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/workload"
)

// NewFileType returns the datatype of elements in a file: numbers are little-endian, compounds have no gaps.
func NewFileType(t workload.Type) (*hdf5.Datatype, error) { return typeObject(newType(t, 0)) }

// NewMemoryType returns the datatype of elements in memory: as NewFileType, but numbers have the byte order of the
// machine.
func NewMemoryType(t workload.Type) (*hdf5.Datatype, error) { return typeObject(newType(t, 1)) }

// NewMemberType returns the datatype in memory of structures of which one member is transferred. It is at byte at of a
// structure of the given size in bytes, and belongs to the member of the same name of a compound in the file.
func NewMemberType(m workload.Member, at, bytes uint64) (*hdf5.Datatype, error) {
	return typeObject(newCompound(bytes, []workload.Member{m}, at, 1))
}

// typeObject converts the identifier of a type to an object of the Go binding.
func typeObject(id C.hid_t, err error) (*hdf5.Datatype, error) {
	if err != nil {
		return nil, err
	}
	return object(hdf5.NewDatatype, id), nil
}

// newType returns a type in the file, or with native = 1 in memory.
func newType(t workload.Type, native C.int) (C.hid_t, error) {
	id, err := newValue(t, native)
	if err != nil || len(t.Array) == 0 {
		return id, err
	}
	return newArray(id, t.Array)
}

// newValue is newType without the array.
func newValue(t workload.Type, native C.int) (C.hid_t, error) {
	switch t.Class {
	case workload.Unsigned:
		return newInteger(C.H5PERF_UNSIGNED, t.Size, native)
	case workload.Signed:
		return newInteger(C.H5PERF_SIGNED, t.Size, native)
	case workload.Float:
		if t.Size != 4 && t.Size != 8 {
			return 0, fmt.Errorf("a number of floating point has %d bytes, not 4 or 8", t.Size)
		}
		return made(C.h5perf_number(C.H5PERF_FLOAT, C.size_t(t.Size), native), "H5Tcopy")
	case workload.Text:
		return made(C.h5perf_text(C.size_t(t.Size)), "H5Tset_size")
	default:
		return newCompound(workload.Type{Class: workload.Compound, Members: t.Members}.Bytes(), t.Members, 0, native)
	}
}

// newInteger returns the type of an integer.
func newInteger(class C.int, bytes uint64, native C.int) (C.hid_t, error) {
	if bytes < 1 || bytes > 8 {
		return 0, fmt.Errorf("an integer has %d bytes, not 1 to 8", bytes)
	}
	return made(C.h5perf_number(class, C.size_t(bytes), native), "H5Tset_size")
}

// newCompound returns a compound of a size in bytes. Its members follow each other from an offset on.
//
// Implements: H5Tcreate
func newCompound(bytes uint64, members []workload.Member, at uint64, native C.int) (C.hid_t, error) {
	if len(members) == 0 {
		return 0, errors.New("a compound has no members")
	}
	id, err := made(C.H5Tcreate(C.H5T_COMPOUND, C.size_t(bytes)), "H5Tcreate")
	if err != nil {
		return 0, err
	}
	for _, m := range members {
		if err := insert(id, m, at, native); err != nil {
			C.H5Tclose(id)
			return 0, err
		}
		at += m.Type.Bytes()
	}
	return id, nil
}

// insert adds a member to a compound.
//
// Implements: H5Tinsert
func insert(compound C.hid_t, m workload.Member, at uint64, native C.int) error {
	id, err := newType(m.Type, native)
	if err != nil {
		return fmt.Errorf("member %s: %w", m.Name, err)
	}
	defer C.H5Tclose(id)
	name := C.CString(m.Name)
	defer C.free(unsafe.Pointer(name))
	return status(C.H5Tinsert(compound, name, C.size_t(at), id), "H5Tinsert")
}

// newArray returns the type of an array, and closes the type of its values.
//
// Implements: H5Tarray_create2
func newArray(value C.hid_t, extent []uint64) (C.hid_t, error) {
	defer C.H5Tclose(value)
	return made(C.H5Tarray_create2(value, C.uint(len(extent)), sizes(extent)), "H5Tarray_create2")
}

// made returns the identifier that a call has returned, or the error of that call.
func made(id C.hid_t, call string) (C.hid_t, error) {
	if id < 0 {
		return 0, Failed(call)
	}
	return id, nil
}
