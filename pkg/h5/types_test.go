//go:build cgo

package h5_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/fill"
	"h5perf/pkg/h5"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/workload"
)

// box is a compound with an array of compounds, as AMR codes use it.
var box = workload.Type{Class: workload.Compound, Members: []workload.Member{
	{Name: "id", Type: workload.Type{Class: workload.Unsigned, Size: 2}},
	{Name: "corner", Type: workload.Type{
		Class: workload.Compound, Array: []uint64{2},
		Members: []workload.Member{
			{Name: "i", Type: workload.Type{Class: workload.Signed, Size: 4}},
			{Name: "x", Type: workload.Type{Class: workload.Float, Size: 8}},
		},
	}},
	{Name: "name", Type: workload.Type{Class: workload.Text, Size: 5}},
}}

// valueOfBox returns a value of type box as it is in memory, and on a little-endian machine in the file.
func valueOfBox() []byte {
	var b []byte
	b = binary.NativeEndian.AppendUint16(b, 513)
	for _, n := range []int32{-7, 9} {
		b = binary.NativeEndian.AppendUint32(b, uint32(n))
		b = binary.NativeEndian.AppendUint64(b, math.Float64bits(float64(n)/2))
	}
	return append(b, "abcde"...)
}

// attribute returns one or more attributes of type t.
func (o *objects) attribute(format string, t workload.Type, count uint64, dims ...uint64) h5.Attributes {
	o.t.Helper()
	file, err := h5.NewFileType(t)
	o.keep(file, err)
	memory, err := h5.NewMemoryType(t)
	o.keep(memory, err)
	return h5.Attributes{
		Names: names(o.t, format, 0), Count: count, Type: file, Memory: memory, Space: o.space(dims, nil),
	}
}

// The file has the expected types, and reading returns the values that were written.
func TestTypesOfAttributes(t *testing.T) {
	var want []string
	path := serial(t, func(o *objects, file *hdf5.File) {
		all := []workload.Type{
			box, {Class: workload.Text, Size: 1}, {Class: workload.Unsigned, Size: 2, Array: []uint64{2, 3}},
		}
		for class := range workload.Text {
			for size := uint64(1); size <= 8; size++ {
				if class != workload.Float || size%4 == 0 {
					all = append(all, workload.Type{Class: class, Size: size})
				}
			}
		}
		for i, datatype := range all {
			a := o.attribute(fmt.Sprintf("a%02d", i), datatype, 1, 2)
			if got := uint64(a.Type.Size()); got != datatype.Bytes() || a.Memory.Size() != a.Type.Size() {
				t.Errorf("%+v: %d bytes, want %d", datatype, got, datatype.Bytes())
			}
			values := make([]byte, 2*datatype.Bytes())
			for k := range values {
				values[k] = byte(1 + k)
			}
			n, err := h5.WriteAttributes(file.ID(), a, values)
			done(t, "write", n, err, 1)
			got := make([]byte, len(values))
			n, err = h5.ReadAttributes(file.ID(), a, got)
			done(t, "read", n, err, 1)
			if !bytes.Equal(got, values) {
				t.Errorf("%+v: %v, want %v", datatype, got, values)
			}
			name := map[workload.TypeClass]string{
				workload.Unsigned: "H5T_STD_U%dLE", workload.Signed: "H5T_STD_I%dLE", workload.Float: "H5T_IEEE_F%dLE",
			}[datatype.Class]
			if name != "" && datatype.Array == nil && datatype.Size&(datatype.Size-1) == 0 {
				want = append(want, fmt.Sprintf(`ATTRIBUTE "a%02d" { DATATYPE `+name, i, 8*datatype.Size))
			}
		}
	})
	text := dumped(t, path, "-A")
	contains(t, text, `"a00" { DATATYPE H5T_COMPOUND { H5T_STD_U16LE "id"; `+
		`H5T_ARRAY { [2] H5T_COMPOUND { H5T_STD_I32LE "i"; H5T_IEEE_F64LE "x"; } } "corner"; `+
		`H5T_STRING { STRSIZE 5; STRPAD H5T_STR_NULLPAD; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; } "name"; }`,
		`"a02" { DATATYPE H5T_ARRAY { [2][3] H5T_STD_U16LE }`)
	contains(t, text, want...)
	if len(want) != 10 {
		t.Errorf("%d standard types, want 10", len(want))
	}
}

// The file has the expected types, which other machines and libraries use.
func TestUncommonTypes(t *testing.T) {
	enum := workload.Type{
		Class: workload.Signed, Size: 2, BigEndian: true,
		Words: []workload.EnumValue{{Name: "no", Value: -2}, {Name: "a b", Value: 258}},
	}
	all := []struct {
		t    workload.Type
		want string
	}{
		{workload.Type{Class: workload.Unsigned, Size: 2, BigEndian: true}, "H5T_STD_U16BE"},
		{workload.Type{Class: workload.Signed, Size: 8, BigEndian: true}, "H5T_STD_I64BE"},
		{workload.Type{Class: workload.Float, Size: 4, BigEndian: true}, "H5T_IEEE_F32BE"},
		{workload.Type{Class: workload.Float, Size: 8, BigEndian: true}, "H5T_IEEE_F64BE"},
		{workload.Type{Class: workload.BitField, Size: 1}, "H5T_STD_B8LE"},
		{workload.Type{Class: workload.BitField, Size: 4, BigEndian: true}, "H5T_STD_B32BE"},
		{workload.Type{Class: workload.Float, Size: 2}, "16-bit little-endian floating-point"},
		{workload.Type{Class: workload.Float, Size: 16}, "128-bit little-endian floating-point 80-bit precision"},
		{enum, `H5T_ENUM { H5T_STD_I16BE; "no" -2; "a b" 258; }`},
		{workload.Type{Class: workload.Opaque, Size: 3, Tag: "a tag"}, `H5T_OPAQUE { OPAQUE_TAG "a tag"; }`},
		{
			workload.Type{Class: workload.Text, Size: 4, Padding: workload.NullTerminated},
			"STRSIZE 4; STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_ASCII;",
		},
		{
			workload.Type{Class: workload.Text, Size: 4, Padding: workload.SpacePadding, UTF8: true},
			"STRSIZE 4; STRPAD H5T_STR_SPACEPAD; CSET H5T_CSET_UTF8;",
		},
		{workload.Type{Class: workload.Compound, Size: 12, Members: []workload.Member{
			{Name: "a", Type: workload.Byte, Gap: 1}, {Name: "b", Type: workload.Byte, Gap: 2},
		}}, `H5T_COMPOUND { H5T_STD_U8LE "a"; H5T_STD_U8LE "b"; }`},
	}
	path := serial(t, func(o *objects, file *hdf5.File) {
		for i, c := range all {
			a := o.attribute(fmt.Sprintf("a%02d", i), c.t, 1, 2)
			values := make([]byte, 2*c.t.Bytes())
			fill.FieldValues{Seed: 1, ElementSize: c.t.Bytes(), Fields: c.t.Fields()}.Fill(values, 0)
			if got := uint64(a.Type.Size()); got != c.t.Bytes() {
				t.Errorf("%s: %d bytes, want %d", c.want, got, c.t.Bytes())
			}
			n, err := h5.WriteAttributes(file.ID(), a, values)
			done(t, "write", n, err, 1)
			got := make([]byte, len(values))
			n, err = h5.ReadAttributes(file.ID(), a, got)
			done(t, "read", n, err, 1)
			if !bytes.Equal(got, values) {
				t.Errorf("%s: %v, want %v", c.want, got, values)
			}
		}
		null, err := h5.NewNullSpace()
		o.keep(null, err)
		a := o.attribute("null", workload.Byte, 1)
		a.Space = null
		n, err := h5.WriteAttributes(file.ID(), a, nil)
		done(t, "write", n, err, 1)
	})
	// h5dump of HDF5 1.14.4 and newer prints a name for half floats, older versions a description.
	text := strings.ReplaceAll(dumped(t, path, "-A"), "H5T_IEEE_F16LE", "16-bit little-endian floating-point")
	for i, c := range all {
		_, one, _ := strings.Cut(text, fmt.Sprintf(`ATTRIBUTE "a%02d"`, i))
		one, _, _ = strings.Cut(one, "DATASPACE")
		if !strings.Contains(one, c.want) {
			t.Errorf("attribute %d: %s, want %s", i, one, c.want)
		}
	}
	contains(t, text, `ATTRIBUTE "null" { DATATYPE H5T_STD_U8LE DATASPACE NULL`)
}

func TestTypesThatAreNone(t *testing.T) {
	serial(t, func(_ *objects, _ *hdf5.File) {
		good := workload.Member{Name: "a", Type: workload.Byte}
		for _, c := range []struct {
			t      workload.Type
			reason string
		}{
			{workload.Type{Class: workload.Unsigned}, "0 bytes"},
			{workload.Type{Class: workload.Signed, Size: 9}, "9 bytes"},
			{workload.Type{Class: workload.Float, Size: 3}, "3 bytes"},
			{workload.Type{Class: workload.Opaque}, "H5Tset_tag"},
			{workload.Type{Class: workload.Text}, "H5Tset_size"},
			{workload.Type{Class: workload.Compound}, "no members"},
			{workload.Type{Class: workload.Compound, Members: []workload.Member{good, good}}, "unique"},
			{workload.Type{Class: workload.Compound, Members: []workload.Member{
				good, {Name: "b", Type: workload.Type{Class: workload.Float, Size: 3}},
			}}, "member b: "},
			{workload.Type{Class: workload.Unsigned, Size: 1, Array: []uint64{2, 0}}, "H5Tarray_create2"},
		} {
			for _, make := range []func(workload.Type) (*hdf5.Datatype, error){h5.NewFileType, h5.NewMemoryType} {
				if _, err := make(c.t); err == nil || !strings.Contains(err.Error(), c.reason) {
					t.Errorf("%+v: %v, want %q", c.t, err, c.reason)
				}
			}
		}
	})
}

// A member of a compound in the file is read into a member of a larger structure in memory.
func TestAMemberAtAnOffsetOfAStructure(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		set := o.datasets(file.ID(), "boxes", 1, o.shape(workload.Object{Type: box, Dims: []uint64{2}}))[0]
		whole, err := h5.NewMemoryType(box)
		o.keep(whole, err)
		space := o.space([]uint64{2}, nil)
		o.must(h5test.Write(set, whole, space, space, hdf5.P_DEFAULT, bytes.Repeat(valueOfBox(), 2)))
		const at, structure = 8, 24
		id, err := h5.NewMemberType(box.Members[0], at, structure)
		o.keep(id, err)
		structures := bytes.Repeat([]byte{0xee}, 2*structure)
		o.must(h5test.Read(set, id, space, space, structures))
		want := bytes.Repeat([]byte{0xee}, 2*structure)
		binary.NativeEndian.PutUint16(want[at:], 513)
		binary.NativeEndian.PutUint16(want[structure+at:], 513)
		if !bytes.Equal(structures, want) {
			t.Errorf("structures %v, want %v", structures, want)
		}
		if _, err := h5.NewMemberType(box.Members[0], structure-1, structure); err == nil {
			t.Error("a member beyond the end of the structure")
		}
	})
}

func TestManyAttributesOfAnObject(t *testing.T) {
	path := serial(t, func(o *objects, file *hdf5.File) {
		set := o.datasets(file.ID(), "d", 1, o.shape(workload.Object{Type: workload.Byte}))[0]
		a := o.attribute("a%d", box, 5)
		values := bytes.Repeat(valueOfBox(), 5)
		for i := range 5 {
			values[i*len(values)/5] = byte(i)
		}
		n, err := h5.WriteAttributes(set, a, values)
		done(t, "write", n, err, 5)
		a.First, a.Count = 1, 4
		got := make([]byte, len(values)/5*4)
		n, err = h5.ReadAttributes(set, a, got)
		done(t, "read", n, err, 4)
		if !bytes.Equal(got, values[len(values)/5:]) {
			t.Errorf("values %v, want %v", got, values)
		}
		if _, err := h5.ReadAttributes(set, a, got[1:]); err == nil {
			t.Error("values of fewer bytes than the attributes have are taken")
		}
	})
	contains(t, dumped(t, path, "-a", "/d/a3"), "DATASPACE SCALAR",
		`(0): { 515, [ { -7, -3.5 }, { 9, 4.5 } ], "abcde" }`)
}

func TestTheIndexOfTheAttributeThatFailed(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		one := o.attribute("a3", workload.Byte, 1)
		n, err := h5.WriteAttributes(file.ID(), one, []byte{1})
		done(t, "write", n, err, 1)
		all := o.attribute("a%d", workload.Byte, 5)
		values := make([]byte, 5)
		n, err = h5.WriteAttributes(file.ID(), all, values)
		failed(t, n, err, 3, "H5Acreate2", "already exists")
		all.First, all.Count = 2, 3
		n, err = h5.ReadAttributes(file.ID(), all, values[:3])
		failed(t, n, err, 2, "H5Aopen", "can't locate attribute")
		if values[1] != 1 {
			t.Errorf("values %v; attribute 3 is 1", values)
		}
		text := o.attribute("b%d", workload.Type{Class: workload.Text, Size: 1}, 2)
		text.Type = all.Type // a string cannot be converted to a number
		n, err = h5.WriteAttributes(file.ID(), text, values[:2])
		failed(t, n, err, 0, "H5Awrite", "unable to convert between src and dst datatypes")
		text.Names = all.Names
		n, err = h5.ReadAttributes(file.ID(), text, values[:2])
		failed(t, n, err, 0, "H5Aread", "unable to convert between src and dst datatypes")
	})
}

// The stop flag is among the values that are read.
func TestTheStopFlagIsPolledBetweenAttributes(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		a := o.attribute("a%d", workload.Type{Class: workload.Unsigned, Size: 4}, 4)
		values := make([]byte, 16)
		for i := range values {
			values[i] = 1
		}
		n, err := h5.WriteAttributes(file.ID(), a, values)
		done(t, "write", n, err, 4)
		got := make([]byte, 16)
		a.Stop = unsafe.Pointer(&got[8])
		n, err = h5.ReadAttributes(file.ID(), a, got)
		done(t, "read", n, err, 3)
		a.Names = names(t, "b%d", 0)
		n, err = h5.WriteAttributes(file.ID(), a, values)
		done(t, "write with the flag set", n, err, 0)
	})
}
