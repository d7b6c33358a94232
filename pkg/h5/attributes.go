package h5

// #include "calls.h"
import "C"

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
)

// Attributes describes the attributes with the numbers First to First + Count - 1 of one object. They differ only in
// name and value.
type Attributes struct {
	Names        *engine.MemberNames
	First, Count uint64
	Type, Memory *hdf5.Datatype // datatypes in the file, and in memory
	Space        *hdf5.Dataspace
	Stop         unsafe.Pointer // see FamilyMembers
}

// WriteAttributes creates attributes of a group, dataset or file, and writes their values, which follow each other in
// values. It returns how many attributes it created and wrote: see FamilyMembers.
//
// Implements: H5Acreate2 H5Awrite H5Aclose
func WriteAttributes(object int64, a Attributes, values []byte) (done uint64, err error) {
	c, err := a.cAttributes(values)
	if err != nil {
		return 0, err
	}
	return resultFromC(C.h5perf_write_attributes(C.hid_t(object), c, unsafe.Pointer(unsafe.SliceData(values))))
}

// ReadAttributes reads the values of attributes into values, where they follow each other. It returns how many
// attributes it read: see FamilyMembers.
//
// Implements: H5Aopen H5Aread H5Aclose
func ReadAttributes(object int64, a Attributes, values []byte) (done uint64, err error) {
	c, err := a.cAttributes(values)
	if err != nil {
		return 0, err
	}
	return resultFromC(C.h5perf_read_attributes(C.hid_t(object), c, unsafe.Pointer(unsafe.SliceData(values))))
}

// cAttributes converts the attributes for C. It returns an error if values has the wrong size.
func (a Attributes) cAttributes(values []byte) (C.h5perf_attributes, error) {
	bytes := a.Memory.Size() * uint(a.Space.SimpleExtentNPoints())
	if uint64(bytes)*a.Count != uint64(len(values)) {
		return C.h5perf_attributes{}, fmt.Errorf("%d attributes of %d bytes with values of %d bytes",
			a.Count, bytes, len(values))
	}
	return C.h5perf_attributes{
		names: (*C.h5perf_names)(a.Names.Pointer()), first: C.uint64_t(a.First), count: C.uint64_t(a.Count),
		_type: C.hid_t(a.Type.ID()), memory: C.hid_t(a.Memory.ID()), space: C.hid_t(a.Space.ID()),
		bytes: C.size_t(bytes), stop: (*C.int32_t)(a.Stop),
	}, nil
}
