package workload

import (
	"testing"

	"h5perf/pkg/fill"
)

func TestSizesOfVariableTypes(t *testing.T) {
	text := Type{Class: Text, Size: 10, Variable: true}
	list := Type{Class: Sequence, Size: 24, Members: []Member{{Type: Type{Class: Float, Size: 8}}}}
	pairs := list
	pairs.Array = []uint64{2}
	row := Type{Class: Compound, Members: []Member{
		{Name: "n", Type: Byte}, {Name: "text", Type: text, Gap: 3}, {Name: "pairs", Type: pairs},
	}}
	for _, c := range []struct {
		t                           Type
		bytes, memory, file, stored uint64
		name                        string
	}{
		{text, 10, 8, 16, 50, "text of about 10 bytes"},
		{list, 24, 16, 16, 64, "sequence of about 3 f64"},
		{pairs, 48, 32, 32, 128, "array [2] of sequence of about 3 f64"},
		{row, 62, 44, 52, 182, "compound of 62 bytes"},
		{Byte, 1, 1, 1, 1, "u8"},
	} {
		if c.t.Bytes() != c.bytes || c.t.MemoryBytes() != c.memory || c.t.FileBytes() != c.file ||
			c.t.StoredBytes() != c.stored || c.t.String() != c.name || c.t.IsVariable() != (c.name != "u8") {
			t.Errorf("%s: %q has %d bytes, %d in memory, %d and %d in a file, variable: %v", c.name, c.t,
				c.t.Bytes(), c.t.MemoryBytes(), c.t.FileBytes(), c.t.StoredBytes(), c.t.IsVariable())
		}
		fields := c.t.Fields()
		v := fill.FieldValues{ElementSize: c.t.Bytes(), Fields: fields}
		data := make([]byte, 6*c.t.Bytes())
		v.Fill(data, 0)
		if wrong, _ := v.Check(data, 0, 1); wrong != 0 {
			t.Errorf("%s: %d bytes of what was filled are wrong", c.name, wrong)
		}
	}
}

// The fields of an array of millions of values need no more memory than those of a few.
func TestFieldsOfAnArrayAreFew(t *testing.T) {
	pair := Type{Class: Compound, Members: []Member{
		{Name: "a", Type: Type{Class: Float, Size: 8}},
		{Name: "b", Type: Type{Class: Text, Size: 4, Padding: NullTerminated}},
	}}
	for _, of := range []Type{Byte, pair} {
		of.Array = []uint64{4096, 4096}
		fields := of.Fields()
		if len(fields) != 1 || fields[0].Count != 4096*4096 || fields[0].Count*fields[0].Size != of.Bytes() {
			t.Errorf("%v: fields %+v", of, fields)
		}
	}
}
