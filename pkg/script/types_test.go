package script_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// dataset returns the program of a rank that creates a dataset with the given arguments of create_dataset.
func dataset(arguments string) (workload.Program, error) {
	return program(fmt.Sprintf(`
def write(job):
    f = job.create("f")
    f.create_dataset("d", %s)
    f.close()
`, arguments), 0)
}

func TestTypesOfElements(t *testing.T) {
	for text, want := range map[string]workload.Type{
		`">i2"`:   {Class: workload.Signed, Size: 2, BigEndian: true},
		`"<u8"`:   {Class: workload.Unsigned, Size: 8},
		`"f16"`:   {Class: workload.Float, Size: 16},
		`">f2"`:   {Class: workload.Float, Size: 2, BigEndian: true},
		`"S16"`:   {Class: workload.Text, Size: 16},
		`"V7"`:    {Class: workload.Opaque, Size: 7},
		`bits(8)`: {Class: workload.BitField, Size: 1},
		`text(5, padding = "spaces", utf8 = True)`: {
			Class: workload.Text, Size: 5, Padding: workload.SpacePadding, UTF8: true,
		},
		`text(64, padding = "terminated")`: {Class: workload.Text, Size: 64, Padding: workload.NullTerminated},
		`text(5, padding = "zeros")`:       {Class: workload.Text, Size: 5},
		`string(5, utf8 = True)`: {
			Class: workload.Text, Size: 5, Padding: workload.NullTerminated, UTF8: true, Variable: true,
		},
		`vlen("f8", mean = 3)`: {
			Class: workload.Sequence, Size: 24, Members: []workload.Member{
				{Type: workload.Type{Class: workload.Float, Size: 8}},
			},
		},
		`array(string(2, padding = "spaces"), 3)`: {
			Class: workload.Text, Size: 2, Padding: workload.SpacePadding, Variable: true, Array: []uint64{3},
		},
		`opaque(7, tag = "a \"tag\"")`: {Class: workload.Opaque, Size: 7, Tag: `a "tag"`},
		`enum({"FALSE": -1, "a b": 1}, "i1")`: {
			Class: workload.Signed, Size: 1,
			Words: []workload.EnumValue{{Name: "FALSE", Value: -1}, {Name: "a b", Value: 1}},
		},
		`array(enum({"x": 65535}, ">u2"), 2)`: {
			Class: workload.Unsigned, Size: 2, BigEndian: true, Words: []workload.EnumValue{{Name: "x", Value: 65535}},
			Array: []uint64{2},
		},
		`compound([("a", "u1"), ("b", "f8")], offsets = [1, 8], size = 24)`: {
			Class: workload.Compound, Size: 24, Members: []workload.Member{
				{Name: "a", Type: workload.Byte, Gap: 1},
				{Name: "b", Type: workload.Type{Class: workload.Float, Size: 8}, Gap: 6},
			},
		},
		`">i3"`: {Class: workload.Signed, Size: 3, BigEndian: true},
		`[("x", "f4", (2, 3))]`: {Class: workload.Compound, Members: []workload.Member{
			{Name: "x", Type: workload.Type{Class: workload.Float, Size: 4, Array: []uint64{2, 3}}},
		}},
	} {
		p, err := dataset(text + ", shape = 4")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := p.Objects[0].Type; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestTypesThatCannotBeAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`"f8be"`:                             "V16 bytes) \"f8be\": must be one of f16, f2",
		`text(5, padding = "blanks")`:        "the padding \"blanks\": must be one of zeros, terminated, spaces",
		`string(0)`:                          "the type has 0 bytes: it must have",
		`vlen("f8", mean = 0)`:               "the type has 0 bytes: it must have",
		`vlen("f8", mean = 1 << 30)`:         "the type has 8589934592 bytes: it must have",
		`vlen(string(4), mean = 2)`:          "a sequence of text of about 4 bytes: take values of a fixed size",
		`vlen([("a", string(4))], mean = 2)`: "a sequence of compound of 4 bytes: take values of a fixed size",
		`text(0)`:                            "the type has 0 bytes: it must have from 1 to 2147483647",
		`opaque(0)`:                          "the type has 0 bytes: it must have",
		`bits(7)`:                            "a field of 7 bits: give 8, 16, 32 or 64",
		`compound([], size = 3)`:             "a compound of 0 members",
		`enum({"a": "b"}, "u1")`:             "\"b\" is no word with a number",
		`enum({"a": 1}, "f4")`:               "an enumeration of f32: take an integer type",
		`compound([("a", "u2"), ("b", "u1")], offsets = [0, 1])`: "the member b is at 1, but those before it end at 2",
		`compound([("a", "u2"), ("b", "u1")], size = 2)`:         "the size is 2, but the members end at 3",
	} {
		_, err := dataset(text + ", shape = 4")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "w.star:4:") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestEmptyObjectsAndAttributes(t *testing.T) {
	p, err := program(`
def write(job):
    f = job.create("f")
    d = f.create_dataset("100 %d {%}", "f8", empty = True)
    d.attrs.create("a %{x}", "f8", empty = True)
    d.attrs.create("t", string(9), shape = 2)
    f.close()
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	o := p.Objects[0]
	if !o.Null || o.Bytes() != 0 || o.NameOf(1) != "100 %d {%}" || o.Name != "100 %%d {%%}" {
		t.Errorf("%+v of %d bytes, %q", o, o.Bytes(), o.NameOf(1))
	}
	a := p.Attributes
	if len(a) != 2 || a[0].Name != "a %%{x}" || !a[0].Null || a[0].NumElements() != 0 || !a[1].Type.Variable ||
		a[1].NumElements() != 2 {
		t.Errorf("%+v", a)
	}
	_, err = program(`
def write(job):
    f = job.create("f")
    f.create_dataset("d", "f8", empty = True).write(everything())
`, 0)
	if err == nil || !strings.Contains(err.Error(), "f:/d is empty: there is nothing to transfer") {
		t.Errorf("a transfer of nothing: %v", err)
	}
}

func TestDatasetsHaveTheRatioOfTheirData(t *testing.T) {
	p, err := dataset(`"f8", 64, chunks = 8, compression = "gzip", ratio = 4.7`)
	if err != nil {
		t.Fatal(err)
	}
	if o := &p.Objects[0]; o.CompressionRatio != 4.7 || o.Values(1).Ratio != 4.7 {
		t.Errorf("ratio %g, of its values %g", o.CompressionRatio, o.Values(1).Ratio)
	}
	for _, ratio := range []string{"0.5", "4097", `"high"`} {
		if _, err := dataset(`"f8", 64, ratio = ` + ratio); err == nil ||
			!strings.Contains(err.Error(), "give a number from 1 to 4096") {
			t.Errorf("%s: %v", ratio, err)
		}
	}
}

func TestDatasetsHaveTheKindOfTheirData(t *testing.T) {
	for data, want := range map[string]fill.ValueKind{
		"": fill.RandomValues, `, data = "random", ratio = 2`: fill.RandomValues,
		`, data = "smooth"`:  fill.SmoothValues,
		`, data = "repeats"`: fill.RepeatedValues,
	} {
		p, err := dataset(`"f8", 64` + data)
		if err != nil || p.Objects[0].ValueKind != want || p.Objects[0].Values(1).Kind != want {
			t.Errorf("%s: %v, %+v", data, err, p.Objects)
		}
	}
	for data, want := range map[string]string{
		`"rough"`:             "must be one of random, smooth, repeats",
		`"smooth", ratio = 2`: "data = \"smooth\" and ratio both say how the data compress: leave out one of them",
	} {
		if _, err := dataset(`"f8", 64, data = ` + data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// Datasets that HDF5 cannot create are refused. Datasets just within its limits are not.
func TestDatasetsAreThoseThatHDF5CanCreate(t *testing.T) {
	for arguments, want := range map[string]string{
		`"u1", 5, chunks = 5, maxshape = 5`:                                          "",
		`"u1", 5, chunks = 5, maxshape = 4`:                                          "maxshape is 4, less than",
		`"u1", 5, chunks = 8, maxshape = (None,)`:                                    "",
		`"u1", 5, chunks = 8, maxshape = 8`:                                          "",
		`"u1", 5, chunks = 9, maxshape = 8`:                                          "a chunk of 9 elements",
		`"u1", 5, chunks = 6`:                                                        "the dataset has at most 5",
		`"u1", 0, chunks = 6`:                                                        "",
		`"u1", 1 << 32, chunks = (1 << 32) - 1`:                                      "",
		`"u1", 1 << 32, chunks = 1 << 32`:                                            "from 1 to less than 2^32",
		`"u1", 5, chunks = 0`:                                                        "from 1 to less than 2^32",
		`"u8", (64, 1 << 23), chunks = (64, (1 << 23) - 1)`:                          "",
		`"u8", (64, 1 << 23), chunks = (64, 1 << 23)`:                                "a chunk has 4 GiB or more",
		`"u1", 65524, compact = True`:                                                "",
		`"u1", 65525, compact = True`:                                                "has more than 65524 bytes",
		`"f8", (2048, 4), compact = True`:                                            "has more than 65524 bytes",
		`"f8", 4, compact = True, chunks = 2`:                                        "leave out chunks or compact",
		`"f8", 4, external = True, fill_time = "never"`:                              "",
		`"f8", 4, external = True, chunks = 2`:                                       "leave out external, or chunks",
		`"f8", 4, external = True, maxshape = (None,)`:                               "contiguous data of a fixed size",
		`"f8", 4, external = True, chunks = 4, compression = 1`:                      "contiguous data of a fixed size",
		`"f8", 4, external = True, compact = True`:                                   "maxshape, filters and compact",
		`"f8", 0, external = True`:                                                   "has nothing to store",
		`"f8", empty = True, external = True`:                                        "has nothing to store",
		`string(9), 4, external = True`:                                              "a heap of the HDF5 file itself",
		`"f8", 4, external = True, fill_time = "alloc"`:                              "neither allocates nor fills",
		`"f8", 4, external = True, fillvalue = 7`:                                    "neither allocates nor fills",
		`"f8", (4, 4), chunks = 2`:                                                   "chunks 1: give as many",
		`"f8", 32, chunks = 32, compression = "szip", compression_opts = 32`:         "",
		`array("i1", 2), 8, chunks = 8, compression = "szip"`:                        "",
		`"f8", 32, chunks = 32, compression = "szip", compression_opts = 7`:          "their number is even",
		`"f8", 32, chunks = 32, compression = "szip", compression_opts = 34`:         "at most 32",
		`"f8", (8, 2), chunks = (8, 2), compression = "szip", compression_opts = 18`: "at most that of a chunk, 16",
		`"f8", 32, chunks = 31, compression = "szip", compression_opts = 32`:         "at most that of a chunk, 31",
		`"S4", 32, chunks = 32, compression = "szip"`:                                "sequences, opaque bytes and",
		`"V3", 32, chunks = 32, compression = "szip"`:                                "sequences, opaque bytes and",
		`"f8", 32, chunks = 32, compression = "gzip", compression_opts = 10`:         "from 0 to 9, not 10",
		`"f8", 32, chunks = 32, compression_opts = 4`:                                "opts without compression",
		`vlen("f8", mean = 1 << 20), 4096, compact = True`:                           "has more than 65524 bytes",
		`vlen("f8", mean = 1 << 20), 4000, compact = True`:                           "",
		`string(9), 4, fillvalue = "x"`:                                              "HDF5 fills with empty values",
		`string(9), 4, fill_time = "never"`:                                          "HDF5 always fills",
		`vlen("u1", 9), 4, chunks = 2, compression = 4, ratio = 2`:                   "leave out ratio",
		`"f8", (1 << 62, 4), chunks = (1, 1)`:                                        "2^63 bytes or more",
		`"f8", 1 << 60`:                                                              "2^63 bytes or more",
		`"f8", (1 << 60) - 1`:                                                        "",
	} {
		_, err := dataset(arguments)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", arguments, err, want)
		case err != nil && !strings.HasPrefix(err.Error(), "w.star:4:21: "):
			t.Errorf("no place: %v", err)
		}
	}
}
