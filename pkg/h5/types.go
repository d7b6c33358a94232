package h5

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/workload"
)

// NewFileType returns the datatype of elements in a file.
func NewFileType(t workload.Type) (*hdf5.Datatype, error) { return typeObject(newDatatype(t, 0)) }

// NewMemoryType returns the datatype of elements in memory. It is like NewFileType, but numbers have the byte order of
// the machine. Big-endian numbers stay big-endian, because elements are not converted.
func NewMemoryType(t workload.Type) (*hdf5.Datatype, error) { return typeObject(newDatatype(t, 1)) }

// NewMemberType returns the datatype in memory for a transfer of only one member of each structure. at is the offset of
// the member in the structure, and bytes the size of the structure, both in bytes. The member has the same name as in
// the compound in the file.
func NewMemberType(m workload.Member, at, bytes uint64) (*hdf5.Datatype, error) {
	m.Gap = 0
	return typeObject(newCompoundType(bytes, []workload.Member{m}, at, 1))
}

// typeObject converts the identifier of a datatype to an object of the Go binding.
func typeObject(id C.hid_t, err error) (*hdf5.Datatype, error) {
	if err != nil {
		return nil, err
	}
	return objectFromID(hdf5.NewDatatype, id), nil
}

// newDatatype returns the datatype of t in the file if native is 0, and in memory if native is 1.
func newDatatype(t workload.Type, native C.int) (C.hid_t, error) {
	id, err := newElementType(t, native)
	if err != nil || len(t.Array) == 0 {
		return id, err
	}
	return newArrayType(id, t.Array)
}

// newElementType is like newDatatype, but if t is an array, it returns the datatype of the elements of the array.
func newElementType(t workload.Type, native C.int) (C.hid_t, error) {
	switch t.Class {
	case workload.Unsigned, workload.Signed, workload.BitField:
		if t.Size < 1 || t.Size > 8 {
			return 0, fmt.Errorf("an integer has %d bytes, not 1 to 8", t.Size)
		}
		id, err := newNumberType(t, native)
		if err != nil || t.Words == nil {
			return id, err
		}
		return newEnumType(id, t)
	case workload.Float:
		if !slices.Contains([]uint64{2, 4, 8, 16}, t.Size) {
			return 0, fmt.Errorf("a number of floating point has %d bytes, not 2, 4, 8 or 16", t.Size)
		}
		return newNumberType(t, native)
	case workload.Text:
		return newStringType(t)
	case workload.Opaque:
		tag := C.CString(t.Tag)
		defer C.free(unsafe.Pointer(tag))
		return idOrError(C.h5perf_opaque(C.size_t(t.Size), tag), "H5Tset_tag")
	case workload.Sequence:
		return newSequenceType(t.Members[0].Type, native)
	default:
		t.Array = nil
		return newCompoundType(t.MemoryBytes(), t.Members, 0, native)
	}
}

// newSequenceType returns the datatype of sequences of values of the given type.
//
// Implements: H5Tvlen_create
func newSequenceType(of workload.Type, native C.int) (C.hid_t, error) {
	value, err := newDatatype(of, native)
	if err != nil {
		return 0, err
	}
	defer C.H5Tclose(value)
	return idOrError(C.H5Tvlen_create(value), "H5Tvlen_create")
}

// newNumberType returns the datatype of a number or bit field.
func newNumberType(t workload.Type, native C.int) (C.hid_t, error) {
	class := map[workload.TypeClass]C.int{
		workload.Unsigned: C.H5PERF_UNSIGNED, workload.Signed: C.H5PERF_SIGNED, workload.Float: C.H5PERF_FLOAT,
		workload.BitField: C.H5PERF_BITS,
	}[t.Class]
	return idOrError(C.h5perf_number(class, C.size_t(t.Size), boolToC(t.BigEndian), native), "H5Tset_size")
}

// boolToC converts a bool for C.
func boolToC(is bool) C.int {
	if is {
		return 1
	}
	return 0
}

// newEnumType returns an enumeration datatype with the given datatype of its numbers, which it closes.
//
// Implements: H5Tenum_create H5Tenum_insert
func newEnumType(number C.hid_t, t workload.Type) (C.hid_t, error) {
	defer C.H5Tclose(number)
	id, err := idOrError(C.H5Tenum_create(number), "H5Tenum_create")
	if err != nil {
		return 0, err
	}
	for _, w := range t.Words {
		name := C.CString(w.Name)
		err := status(C.h5perf_enum_insert(id, name, C.int64_t(w.Value), C.size_t(t.Size), boolToC(t.BigEndian)),
			"H5Tenum_insert")
		C.free(unsafe.Pointer(name))
		if err != nil {
			C.H5Tclose(id)
			return 0, fmt.Errorf("word %s: %w", w.Name, err)
		}
	}
	return id, nil
}

// newStringType returns a string datatype.
func newStringType(t workload.Type) (C.hid_t, error) {
	bytes := C.size_t(t.Size)
	if t.Variable {
		bytes = C.H5T_VARIABLE
	}
	return idOrError(C.h5perf_text(bytes, C.int(t.Padding), boolToC(t.UTF8)), "H5Tset_size")
}

// newCompoundType returns a compound datatype of the given size in bytes. Its members follow each other, each after its
// gap, from offset at on. Offsets and size are those in memory; in a file, the library adapts them.
//
// Implements: H5Tcreate
func newCompoundType(bytes uint64, members []workload.Member, at uint64, native C.int) (C.hid_t, error) {
	if len(members) == 0 {
		return 0, errors.New("a compound has no members")
	}
	id, err := idOrError(C.H5Tcreate(C.H5T_COMPOUND, C.size_t(bytes)), "H5Tcreate")
	if err != nil {
		return 0, err
	}
	for _, m := range members {
		at += m.Gap
		if err := insertMember(id, m, at, native); err != nil {
			C.H5Tclose(id)
			return 0, err
		}
		at += m.Type.MemoryBytes()
	}
	return id, nil
}

// insertMember adds a member to a compound.
//
// Implements: H5Tinsert
func insertMember(compound C.hid_t, m workload.Member, at uint64, native C.int) error {
	id, err := newDatatype(m.Type, native)
	if err != nil {
		return fmt.Errorf("member %s: %w", m.Name, err)
	}
	defer C.H5Tclose(id)
	name := C.CString(m.Name)
	defer C.free(unsafe.Pointer(name))
	return status(C.H5Tinsert(compound, name, C.size_t(at), id), "H5Tinsert")
}

// newArrayType returns an array datatype with the given datatype of its values, which it closes.
//
// Implements: H5Tarray_create2
func newArrayType(value C.hid_t, extent []uint64) (C.hid_t, error) {
	defer C.H5Tclose(value)
	return idOrError(C.H5Tarray_create2(value, C.uint(len(extent)), sizePointer(extent)), "H5Tarray_create2")
}

// idOrError returns id, the identifier that a call has returned, or the error of that call if id is negative.
func idOrError(id C.hid_t, call string) (C.hid_t, error) {
	if id < 0 {
		return 0, NewCallError(call)
	}
	return id, nil
}
