package script_test

import (
	"reflect"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// made returns the program of base with parts replaced.
func made(t *testing.T, edits ...string) (workload.Program, error) {
	t.Helper()
	w, err := script.Read("w.yaml", edited(t, edits...))
	if err != nil {
		return workload.Program{}, err
	}
	text, err := w.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := script.Read("w.json", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := script.Resolve(again, "", nil, script.Job{})
	if err != nil {
		return workload.Program{}, err
	}
	return r.Compile(0, script.Job{Ranks: 2, Nodes: 1})
}

func TestTypesOfElements(t *testing.T) {
	for text, want := range map[string]workload.Type{
		"i16be": {Class: workload.Signed, Size: 2, BigEndian: true},
		"f80":   {Class: workload.Float, Size: 16},
		"f16be": {Class: workload.Float, Size: 2, BigEndian: true},
		"b8":    {Class: workload.Bits, Size: 1},
		"{text: 5, padding: spaces, characters: utf8}": {
			Class: workload.Text, Size: 5, Padding: workload.Spaces, UTF8: true,
		},
		"{text: n, padding: terminated}":      {Class: workload.Text, Size: 64, Padding: workload.Terminated},
		"{text: 5, padding: zeros}":           {Class: workload.Text, Size: 5},
		"{opaque: 7, tag: \"a \\\"tag\\\"\"}": {Class: workload.Opaque, Size: 7, Tag: `a "tag"`},
		"{enum: [{name: \"FALSE\", value: -1}, {name: \"a b\", value: 1}], of: i8}": {
			Class: workload.Signed, Size: 1,
			Words: []workload.EnumWord{{Name: "FALSE", Value: -1}, {Name: "a b", Value: 1}},
		},
		"{array: [2], of: {enum: [{name: x, value: 65535}], of: u16be}}": {
			Class: workload.Unsigned, Size: 2, BigEndian: true, Words: []workload.EnumWord{{Name: "x", Value: 65535}},
			Array: []uint64{2},
		},
		"{compound: [{name: a, type: u8, offset: 1}, {name: b, type: f64, offset: 8}], size: 24}": {
			Class: workload.Compound, Size: 24, Members: []workload.Member{
				{Name: "a", Type: workload.Byte, Gap: 1},
				{Name: "b", Type: workload.Type{Class: workload.Float, Size: 8}, Gap: 6},
			},
		},
	} {
		p, err := made(t, "type: pair,", "type: "+text+",")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := p.Objects[len(p.Objects)-1].Type; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"f8":                                          `unknown type "f8"`,
		"{text: 5, tag: x}":                           "a type is a word, or has exactly one of the keys",
		"{enum: [{name: a, value: 1}]}":               "enum and array go with of",
		"{text: 5, of: u8}":                           "enum and array go with of",
		"{text: 5, padding: blanks}":                  `"blanks" must be one of zeros, terminated, spaces`,
		"{text: 5, variable: true}":                   "texts of variable length are of attributes only",
		"{enum: [], of: i8}":                          "an enumeration needs a word",
		"{opaque: 0}":                                 "the number of bytes is 0, but must be",
		"{compound: [], size: 3}":                     "a compound type needs a member",
		"{array: [2], of: {text: 1, variable: true}}": "is the whole value of an attribute",
		"{enum: [{name: a, value: 128}], of: i8}":     "128 is not a number of type i8",
		"{enum: [{name: a, value: -1}], of: u8}":      "-1 is not a number of type u8",
		"{enum: [{name: a, value: n}], of: u8}":       "is a number, not an expression",
		"{enum: [{name: a, value: 1}, {name: b, value: 1}], of: u8}":         "stands twice",
		"{enum: [{name: a, value: 1}], of: f32}":                             "words of an enumeration are integers",
		"{compound: [{name: a, type: u16}, {name: b, type: u8, offset: 1}]}": "the offset is 1, but",
		"{compound: [{name: a, type: u16}, {name: b, type: u8}], size: 2}":   "the size is 2, but the members end at 3",
		"{compound: [{name: a, type: {text: 2, variable: true}}]}":           "is the whole value of an attribute",
		"pair, empty: true": "empty goes with extent: []",
	} {
		if _, err := made(t, "type: pair,", "type: "+text+","); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestEmptyObjectsAndAttributes(t *testing.T) {
	p, err := made(t, "attributes: 3", "attributes: [{name: \"a/%{{x}}\", type: f64, empty: true}, "+
		"{name: t, type: {text: 9, variable: true}, extent: [2]}]",
		"extent: [half]", "extent: [], empty: true", "  half: div(n, 2)\n", "",
		"dataset: pairs", "dataset: \"100 %d {{%}}\"",
		"    - write: pairs\n      select: {rule: root}\n      mode: independent\n", "",
		"- create: data", "- create: data\n    - attributes: data")
	if err != nil {
		t.Fatal(err)
	}
	o := p.Objects[len(p.Objects)-1]
	if !o.Null || o.Bytes() != 0 || o.NameOf(1) != "100 %d {%}" || o.Name != "100 %%d {%%}" {
		t.Errorf("%+v of %d bytes, %q", o, o.Bytes(), o.NameOf(1))
	}
	a := p.Attributes
	if len(a) != 2 || a[0].Name != "a/%%{x}" || !a[0].Null || a[0].Values() != 0 || !a[1].Type.Variable ||
		a[1].Values() != 2 {
		t.Errorf("%+v", a)
	}
	_, err = made(t, "extent: [half]", "extent: [], empty: true")
	if err == nil || !strings.Contains(err.Error(), `"pairs" is empty: there is nothing to transfer`) {
		t.Errorf("a transfer of nothing: %v", err)
	}
}

func TestDatasetsHaveTheRatioOfTheirData(t *testing.T) {
	p, err := made(t, "type: f64", "type: f64, data: {ratio: 4.7}")
	if err != nil {
		t.Fatal(err)
	}
	ratios := map[float64]bool{}
	for i := range p.Objects {
		ratios[p.Objects[i].Ratio] = true
		if o := &p.Objects[i]; o.Values(1).Ratio != o.Ratio {
			t.Errorf("%s: its values have the ratio %g instead of %g", o.Name, o.Values(1).Ratio, o.Ratio)
		}
	}
	if !ratios[4.7] {
		t.Errorf("datasets have the ratios %v, want one of 4.7", ratios)
	}
}
