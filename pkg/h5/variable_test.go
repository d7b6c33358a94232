//go:build cgo

package h5_test

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/fill"
	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

// variableTypes holds types of all forms that have a variable length, with the output of h5dump.
var variableTypes = func() map[string]workload.Type {
	text := workload.Type{Class: workload.Text, Size: 5, Variable: true, UTF8: true, Padding: workload.NullTerminated}
	numbers := workload.Type{Class: workload.Sequence, Size: 12, Members: []workload.Member{
		{Type: workload.Type{Class: workload.Signed, Size: 4}},
	}}
	boxes := workload.Type{Class: workload.Sequence, Size: 3 * box.Bytes(), Members: []workload.Member{{Type: box}}}
	pairs := text
	pairs.Array = []uint64{2}
	return map[string]workload.Type{
		"H5T_STRING { STRSIZE H5T_VARIABLE; STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_UTF8;": text,
		"H5T_VLEN { H5T_STD_I32LE}": numbers,
		`H5T_VLEN { H5T_COMPOUND { H5T_STD_U16LE "id"; H5T_ARRAY { [2] H5T_COMPOUND`: boxes,
		"H5T_ARRAY { [2] H5T_STRING { STRSIZE H5T_VARIABLE;":                         pairs,
		`H5T_COMPOUND { H5T_STD_U8LE "n"; H5T_ARRAY { [2] H5T_STRING { STRSIZE H5T_VARIABLE;`: {
			Class: workload.Compound, Members: []workload.Member{
				{Name: "n", Type: workload.Byte}, {Name: "texts", Type: pairs, Gap: 2}, {Name: "list", Type: numbers},
			},
		},
	}
}()

// What is written is read back, as far as the elements have it. What was written for other elements is not.
func TestVariableMemory(t *testing.T) {
	const elements = 6
	number := func(i uint64) uint64 { return 3 + i }
	other := func(i uint64) uint64 { return 4 + i }
	for want, typ := range variableTypes {
		path := serial(t, func(o *objects, file *hdf5.File) {
			a := o.attribute("a", typ, 1, elements)
			values := fill.FieldValues{Seed: 1, ElementSize: typ.Bytes(), Fields: typ.Fields()}
			at := number(0) * typ.Bytes()
			buffer := make([]byte, elements*typ.Bytes())
			values.Fill(buffer, at)
			toWrite, err := h5.NewVariableMemory(typ, elements)
			must(t, err)
			defer toWrite.Free()
			must(t, toWrite.Fill(buffer, number))
			n, err := h5.WriteAttributes(file.ID(), a, toWrite.Elements())
			done(t, "write", n, err, 1)
			toRead, err := h5.NewVariableMemory(typ, elements)
			must(t, err)
			defer toRead.Free()
			n, err = h5.ReadAttributes(file.ID(), a, toRead.Elements())
			done(t, "read", n, err, 1)
			clear(buffer)
			must(t, toRead.Read(buffer, number))
			if wrong, found := values.Check(buffer, at, 1); wrong > 0 {
				t.Errorf("%s: %d bytes are wrong: %v", want, wrong, found)
			}
			clear(buffer)
			must(t, toRead.Read(buffer, other))
			if wrong, _ := values.Check(buffer, other(0)*typ.Bytes(), 1); wrong == 0 {
				t.Errorf("%s: the values of other elements are not found wrong", want)
			}
			var copied [2]int // equal values do not hide wrong lengths
			must(t, toWrite.Fill(bytes.Repeat([]byte{'x'}, len(buffer)), number))
			for i, of := range []func(uint64) uint64{number, other} {
				clear(buffer)
				must(t, toWrite.Read(buffer, of))
				copied[i] = bytes.Count(buffer, []byte{'x'})
			}
			if copied[1] >= copied[0] {
				t.Errorf("%s: the lengths of other elements are not found wrong: %d bytes", want, copied)
			}
			must(t, toRead.Reclaim())
			if !bytes.Equal(toRead.Elements(), make([]byte, elements*typ.MemoryBytes())) {
				t.Errorf("%s: elements that were freed are left", want)
			}
			if err := toRead.Read(buffer, number); err == nil {
				t.Errorf("%s: elements that were not read are taken for good ones", want)
			}
		})
		// newer versions of h5dump print a space before the bracket
		contains(t, strings.ReplaceAll(dumped(t, path, "-A"), "LE }", "LE}"), want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
