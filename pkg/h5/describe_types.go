package h5

// #include <stdlib.h>
// #include "describe.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"h5perf/pkg/workload"
)

const (
	maxMembers = 5000 // of a compound or an enumeration
	maxNested  = 8    // depth of types within types
)

// describeType describes a type. If workloads cannot have it, it returns the reason. nested is the number of types
// around it. The mean sizes of sequences and texts of variable length are not known: they have one value or byte.
//
// Implements: H5Tget_class
func describeType(id C.hid_t, nested int) (t workload.Type, reason string, err error) {
	if nested > maxNested {
		return t, fmt.Sprintf("more than %d types within one another", maxNested), nil
	}
	t.Size = uint64(C.H5Tget_size(id))
	if t.Size == 0 || t.Size > math.MaxInt32 {
		return t, "a type of 0 bytes, or of more than 2^31", nil
	}
	switch C.H5Tget_class(id) {
	case C.H5T_INTEGER:
		return describeNumber(id, t, workload.Unsigned, workload.Signed)
	case C.H5T_FLOAT:
		return describeNumber(id, t, workload.Float)
	case C.H5T_BITFIELD:
		return describeNumber(id, t, workload.BitField)
	case C.H5T_STRING:
		return describeText(id, t)
	case C.H5T_OPAQUE:
		t.Class = workload.Opaque
		tag := C.H5Tget_tag(id)
		if tag == nil {
			return t, "", NewCallError("H5Tget_tag")
		}
		defer C.H5free_memory(unsafe.Pointer(tag))
		t.Tag = C.GoString(tag)
		if t.Tag != "" && unusableNameReason(t.Tag) != "" {
			return t, "opaque bytes with a tag that is no text", nil
		}
		return t, "", nil
	case C.H5T_ENUM:
		return describeEnum(id)
	case C.H5T_COMPOUND:
		return describeCompound(id, t, nested)
	case C.H5T_ARRAY:
		return describeArray(id, nested)
	case C.H5T_VLEN:
		return describeSequence(id, nested)
	case C.H5T_REFERENCE:
		return t, "references", nil
	case C.H5T_TIME:
		return t, "times", nil
	default:
		return t, "a type of an unknown class", nil
	}
}

// describeNumber makes a type of each given class in both byte orders, and returns the first one that is equal to the
// HDF5 type id. If none is equal, it returns the reason why the type is left out.
//
// Implements: H5Tequal
func describeNumber(id C.hid_t, t workload.Type, classes ...workload.TypeClass) (workload.Type, string, error) {
	for _, t.Class = range classes {
		for _, t.BigEndian = range []bool{false, true} {
			like, err := newElementType(t, 0)
			if err != nil {
				continue // there is no number of this size
			}
			same := C.H5Tequal(id, like)
			C.H5Tclose(like)
			if same < 0 {
				return t, "", NewCallError("H5Tequal")
			}
			if same > 0 {
				return t, "", nil
			}
		}
	}
	return t, "numbers of an uncommon form", nil
}

// describeText describes a string type.
//
// Implements: H5Tis_variable_str H5Tget_strpad H5Tget_cset
func describeText(id C.hid_t, t workload.Type) (workload.Type, string, error) {
	t.Class = workload.Text
	variable := C.H5Tis_variable_str(id)
	if variable < 0 {
		return t, "", NewCallError("H5Tis_variable_str")
	}
	if t.Variable = variable > 0; t.Variable {
		t.Size = 1
	}
	switch C.H5Tget_strpad(id) {
	case C.H5T_STR_NULLPAD:
	case C.H5T_STR_NULLTERM:
		t.Padding = workload.NullTerminated
	case C.H5T_STR_SPACEPAD:
		t.Padding = workload.SpacePadding
	default:
		return t, "texts with an unknown padding", nil
	}
	switch C.H5Tget_cset(id) {
	case C.H5T_CSET_ASCII:
	case C.H5T_CSET_UTF8:
		t.UTF8 = true
	default:
		return t, "texts of unknown characters", nil
	}
	return t, "", nil
}

// numMembers returns the number of members of a compound or an enumeration. If there are none or too many, it returns
// the reason why the type is left out.
//
// Implements: H5Tget_nmembers
func numMembers(id C.hid_t) (n int, reason string, err error) {
	n = int(C.H5Tget_nmembers(id))
	switch {
	case n < 0:
		return 0, "", NewCallError("H5Tget_nmembers")
	case n == 0 || n > maxMembers:
		return 0, fmt.Sprintf("a type of no members, or of more than %d", maxMembers), nil
	}
	return n, "", nil
}

// memberName returns the name of member i of a compound or an enumeration. If the name is unusable, it returns the
// reason why the type is left out.
//
// Implements: H5Tget_member_name
func memberName(id C.hid_t, i int) (name, reason string, err error) {
	text := C.H5Tget_member_name(id, C.uint(i))
	if text == nil {
		return "", "", NewCallError("H5Tget_member_name")
	}
	defer C.H5free_memory(unsafe.Pointer(text))
	name = C.GoString(text)
	if unusableNameReason(name) != "" {
		return "", "a type with a name that is no text", nil
	}
	return name, "", nil
}

// describeEnum describes an enumeration type.
//
// Implements: H5Tget_super H5Tget_member_value
func describeEnum(id C.hid_t) (t workload.Type, reason string, err error) {
	number, err := idOrError(C.H5Tget_super(id), "H5Tget_super")
	if err != nil {
		return t, "", err
	}
	defer C.H5Tclose(number)
	if t, reason, err = describeType(number, 0); reason != "" || err != nil {
		return t, reason, err
	}
	if t.Class != workload.Unsigned && t.Class != workload.Signed || t.Words != nil {
		return t, "an enumeration of what are no integers", nil
	}
	n, reason, err := numMembers(id)
	if reason != "" || err != nil {
		return t, reason, err
	}
	for i := range n {
		name, reason, err := memberName(id, i)
		if reason != "" || err != nil {
			return t, reason, err
		}
		var value C.uint64_t
		err = status(C.h5perf_enum_value(id, C.uint(i), C.size_t(t.Size), boolToC(t.BigEndian), &value),
			"H5Tget_member_value")
		if err != nil {
			return t, "", err
		}
		word := workload.EnumValue{Name: name, Value: int64(value)}
		if t.Class == workload.Signed {
			unused := 64 - 8*t.Size
			word.Value = word.Value << unused >> unused
		} else if word.Value < 0 {
			return t, "an enumeration with a number of 2^63 or more", nil
		}
		t.Words = append(t.Words, word)
	}
	return t, "", nil
}

// describeCompound describes a compound type.
//
// Implements: H5Tget_member_offset H5Tget_member_type
func describeCompound(id C.hid_t, t workload.Type, nested int) (workload.Type, string, error) {
	t.Class = workload.Compound
	n, reason, err := numMembers(id)
	if reason != "" || err != nil {
		return t, reason, err
	}
	at := uint64(0)
	for i := range n {
		name, reason, err := memberName(id, i)
		if reason != "" || err != nil {
			return t, reason, err
		}
		m, size, reason, err := describeMember(id, i, nested)
		if reason != "" || err != nil {
			return t, reason, err
		}
		offset := uint64(C.H5Tget_member_offset(id, C.uint(i)))
		if offset < at {
			return t, "a compound whose members are not in the order of their places", nil
		}
		t.Members = append(t.Members, workload.Member{Name: name, Type: m, Gap: offset - at})
		at = offset + size
	}
	switch {
	case at > t.Size:
		return t, "a compound that is smaller than its members", nil
	case at == t.Size || t.IsVariable(): // the size of a variable compound is not known yet
		t.Size = 0
	}
	return t, "", nil
}

// describeMember describes the type of member i of a compound. size is its size in the compound, in bytes.
func describeMember(id C.hid_t, i, nested int) (t workload.Type, size uint64, reason string, err error) {
	one, err := idOrError(C.H5Tget_member_type(id, C.uint(i)), "H5Tget_member_type")
	if err != nil {
		return t, 0, "", err
	}
	defer C.H5Tclose(one)
	size = uint64(C.H5Tget_size(one))
	t, reason, err = describeType(one, nested+1)
	return t, size, reason, err
}

// describeSequence describes the type of sequences of variable length.
func describeSequence(id C.hid_t, nested int) (t workload.Type, reason string, err error) {
	one, err := idOrError(C.H5Tget_super(id), "H5Tget_super")
	if err != nil {
		return t, "", err
	}
	defer C.H5Tclose(one)
	of, reason, err := describeType(one, nested+1)
	if reason == "" && of.IsVariable() {
		reason = "sequences of what has a variable length itself"
	}
	return workload.Type{
		Class: workload.Sequence, Size: of.Bytes(), Members: []workload.Member{{Type: of}},
	}, reason, err
}

// describeArray describes an array type.
//
// Implements: H5Tget_array_ndims H5Tget_array_dims2
func describeArray(id C.hid_t, nested int) (t workload.Type, reason string, err error) {
	n := C.H5Tget_array_ndims(id)
	if n < 1 || n > C.H5S_MAX_RANK {
		return t, "", NewCallError("H5Tget_array_ndims")
	}
	dims := make([]uint64, n)
	if C.H5Tget_array_dims2(id, sizePointer(dims)) < 0 {
		return t, "", NewCallError("H5Tget_array_dims2")
	}
	of, err := idOrError(C.H5Tget_super(id), "H5Tget_super")
	if err != nil {
		return t, "", err
	}
	defer C.H5Tclose(of)
	if t, reason, err = describeType(of, nested+1); reason != "" || err != nil {
		return t, reason, err
	}
	if len(t.Array) > 0 {
		return t, "arrays of arrays", nil
	}
	if !isSmallerThan4EiB(t.Bytes(), dims) {
		return t, "an array of 2^62 bytes, or more", nil
	}
	t.Array = dims
	return t, "", nil
}
