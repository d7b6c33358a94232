package script

import (
	"bytes"
	"fmt"

	"go.starlark.net/starlark"

	"h5perf/pkg/workload"
)

// fillValueOf returns the fill value of a dataset, as its elements are in the file, or nil for None. Numbers and texts
// get the form of the type; b"..." has the bytes of an element of any type.
func fillValueOf(t workload.Type, v starlark.Value) ([]byte, error) {
	var value []byte
	if t.IsVariable() && v != nil && v != starlark.None {
		return nil, fmt.Errorf("fillvalue of type %s, which has a variable length: leave it out; HDF5 fills with "+
			"empty values", t)
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return nil, nil
	case starlark.Bytes:
		if value = []byte(v); uint64(len(value)) != t.Bytes() {
			return nil, fmt.Errorf("fillvalue has %d bytes, but an element %d: give as many", len(value), t.Bytes())
		}
	case starlark.Int:
		if n, fits := v.Int64(); fits {
			value = t.IntegerBytes(n)
		}
		if value == nil {
			value = t.RealBytes(float64(v.Float()))
		}
	case starlark.Float:
		value = t.RealBytes(float64(v))
	case starlark.String:
		if t.Class == workload.Text && t.Array == nil && uint64(len(v)) <= t.Size {
			fill := map[bool]byte{true: ' '}[t.Padding == workload.SpacePadding]
			value = append([]byte(v), bytes.Repeat([]byte{fill}, int(t.Size)-len(v))...)
		}
	}
	switch {
	case value == nil:
		return nil, fmt.Errorf("fillvalue is %s, which no element of type %s has: give such a value, or its %d bytes "+
			"in the file, as b\"..\"", valueText(v), t, t.Bytes())
	case len(value) > maxFillBytes:
		return nil, fmt.Errorf("fillvalue has more than %d bytes, the limit of HDF5 for one in an object header: "+
			"leave it out", maxFillBytes)
	}
	return value, nil
}
