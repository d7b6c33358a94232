package script

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"h5perf/pkg/workload"
)

// described returns a file with a group for objects, and these objects in it.
func described(objects ...DescribedObject) FileDescription {
	d := FileDescription{Objects: []DescribedObject{
		{Path: "/", Object: workload.Object{Parent: workload.NoParent}},
		{Path: "/g", Object: workload.Object{Name: "g"}},
	}}
	for _, o := range objects {
		o.Parent, o.Path = 1, "/g/"+o.Name
		d.Objects = append(d.Objects, o)
	}
	return d
}

func datasetLikeness(name string, dims ...uint64) DescribedObject {
	return DescribedObject{Object: workload.Object{
		Kind: workload.DatasetObject, Name: name, Type: workload.Type{Class: workload.Float, Size: 8}, Dims: dims,
	}}
}

// program returns the program of a rank of two.
func program(t *testing.T, text string) workload.Program {
	t.Helper()
	w, err := Read("w.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, text)
	}
	r, err := Resolve(w, "", nil, Job{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Compile(0, Job{Ranks: 2, Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// names returns the names of all objects, as many as there are.
func names(p workload.Program) (all []string) {
	for i := range p.Objects {
		for m := range p.Objects[i].Count {
			_, path, _ := strings.Cut(p.PathOf(i, m), ":")
			all = append(all, path)
		}
	}
	return all
}

// Names of all kinds are those of the file, in both forms of the text, which say the same.
func TestNamesSurviveBothForms(t *testing.T) {
	var all []DescribedObject
	for _, name := range []string{
		"plain", "two words", "{k}", "{{}}", "%d", "100%", "a\"b", `a\b`, "null", "~", "#x", "- x", "a: b", "1", "1.5",
		"on", "ümläut", "数据", "🙂", "a\u2028b", "a\u00a0b", "a\u0300", "..", "'", " ", "@", "`", "x,y]", "\ue000",
		"\U000e0001",
	} {
		all = append(all, datasetLikeness(name, 3))
	}
	d := described(all...)
	d.Objects[0].Attributes = []workload.Attributes{{Name: "{%d} \"", Type: workload.Byte, Dims: []uint64{2}}}
	d.Left = []LeftOutOfFile{{"/g/soft", "a soft link"}}
	text, err := FromFile("/x/a b.h5", d, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := program(t, text)
	want := []string{"/g"}
	for _, o := range all {
		want = append(want, "/g/"+o.Name)
	}
	if got := names(p); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
	if a := p.Attributes; len(a) != 1 || a[0].Name != "{%%d} \"" {
		t.Errorf("attributes %+v", a)
	}
	if !strings.Contains(text, `- "/g/soft: a soft link"`) {
		t.Errorf("what is left out is not named:\n%.1000s", text)
	}
	m := fileMaker{FileDescription: d, path: "a b.h5", entries: entries(&d, nil)}
	var forms [2][]byte
	for i, json := range []bool{false, true} {
		text := document(m.head(), m.file(), json)
		if json {
			text += strings.Repeat("# padding\n", 10_000) // then it is read as JSON, not as YAML
		}
		w, err := Read("w", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if forms[i], err = w.JSON(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(forms[0], forms[1]) {
		t.Errorf("YAML\n%.2000s\nJSON\n%.2000s", forms[0], forms[1])
	}
}

func TestLikeObjectsAreOneRowOnlyIfItIsExact(t *testing.T) {
	var all []DescribedObject
	add := func(format string, first, end int, dims ...uint64) {
		for k := first; k < end; k++ {
			all = append(all, datasetLikeness(fmt.Sprintf(format, k), dims...))
		}
	}
	add("a%d", 0, 12, 3)
	add("a%d", 12, 13, 4)  // another extent
	add("b%02d", 0, 12, 3) // decimalNumbers with zeros
	add("c%d x", 1, 9, 3)  // not from 0
	add("d%d", 0, 3, 3)    // few
	add("e%d", 0, 5, 3)    // a name that the row would have
	add("e{k%d}", 0, 1, 3) //
	add("é%dé", 0, 5, 3)   // a row in other characters
	add("f0%d", 0, 10, 3)  // f00 to f09, and f0 to f3
	add("f%d", 0, 4, 3)    //
	add("f%d", 10, 12, 3)  // of both rows
	all = append(all, datasetLikeness("e{k}", 3))
	d := described(all...)
	text, err := FromFile("a.h5", d, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	p := program(t, text)
	for _, name := range names(p) {
		if got[name] {
			t.Errorf("%s is there twice", name)
		}
		got[name] = true
	}
	for _, o := range d.Objects[1:] {
		if !got[o.Path] {
			t.Errorf("%s is missing", o.Path)
		}
	}
	if len(got) != len(d.Objects)-1 {
		t.Errorf("%d objects, want %d", len(got), len(d.Objects)-1)
	}
	for _, want := range []string{
		`"a{k}", in: /g, for: {k: 12}`, `"b{k:2}", in: /g, for: {k: 12}`, `"é{k}é", in: /g, for: {k: 5}`,
		`"c8 x", in: /g, type`, `"d0", in: /g, type`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestHowRanksDivideDatasets(t *testing.T) {
	compact := datasetLikeness("compact", 5)
	compact.Compact = true
	filtered := datasetLikeness("filtered", 5)
	filtered.Chunk, filtered.Filters = []uint64{2}, []workload.Filter{{Name: "shuffle"}}
	d := described(datasetLikeness("scalar"), datasetLikeness("small", 100), datasetLikeness("large", 100, 100, 100),
		datasetLikeness("short", 2, 3, 1e5), datasetLikeness("zero", 0, 5), compact, filtered)
	for _, c := range []struct {
		rules, want string
	}{
		{"", "scalar root, small root, large slab, short block [1 1 0], compact all, filtered root collective"},
		{"block", "scalar root, small block, large block, short block, compact all, filtered block"},
		{
			"/g/large=root /g/small=slab", "scalar root, small slab, large root, short block [1 1 0], compact all, " +
				"filtered root collective",
		},
		{"slab /g/large=none", "scalar root, small slab, short slab, compact all, filtered slab"},
		{"/=none", ""},
	} {
		var all []Decomposition
		for text := range strings.FieldsSeq(c.rules) {
			one, err := ParseDecomposition(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		text, err := FromFile("a.h5", d, all)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Read("w.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		rules := map[string]string{}
		for i := range w.Write.Dump {
			s := &w.Write.Dump[i]
			for _, name := range s.Write {
				rule := string(s.Select.Rule)
				if s.Select.Grid != nil {
					rule += " [1 1 0]"
				}
				if mode, err := s.Mode.MarshalJSON(); err == nil && rule == "root" && string(mode) == `"collective"` {
					rule += " collective"
				}
				rules[strings.TrimPrefix(name.String(), "/g/")] = rule
			}
		}
		var got []string
		for _, o := range d.Objects[2:] {
			if rule := rules[o.Name]; rule != "" {
				got = append(got, o.Name+" "+rule)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q: %s, want %s", c.rules, strings.Join(got, ", "), c.want)
		}
		program(t, text)
	}
	for text, want := range map[string]string{
		"slap": "did you mean", "x=slab": "is no path", "/x=cyclic": "other rules have parameters",
	} {
		if _, err := ParseDecomposition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := FromFile("a.h5", d, []Decomposition{{"/g/zero", "slab"}}); err == nil {
		t.Error("a rule for a dataset without elements is taken")
	}
}

// Ten thousand objects that all differ are read again, and compiled.
func TestManyObjects(t *testing.T) {
	var all []DescribedObject
	for k := range 10_000 {
		o := datasetLikeness(fmt.Sprintf("dataset number %d", k), uint64(k%7+1))
		text := workload.Type{Class: workload.Text, Size: uint64(k%5) + 1}
		o.Attributes = []workload.Attributes{{Name: "unit", Type: text}}
		all = append(all, o)
	}
	text, err := FromFile("a.h5", described(all...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) <= MostSourceBytes {
		t.Fatalf("the text has %d bytes: it is no large one", len(text))
	}
	if p := program(t, text); len(p.Objects) != 10_001 {
		t.Errorf("%d objects", len(p.Objects))
	}
}

func TestTheLikeOfFilteredDatasetsHasTheirRatio(t *testing.T) {
	add := func(name string, stored uint64, filters ...string) DescribedObject {
		o := datasetLikeness(name, 1000)
		o.Chunk, o.Stored = []uint64{100}, stored
		for _, f := range filters {
			o.Filters = append(o.Filters, workload.Filter{Name: f})
		}
		return o
	}
	row := []DescribedObject{ // of which one has another size
		add("v0", 1000, "deflate"), add("v1", 1000, "deflate"), add("v2", 1000, "deflate"), add("v3", 5000, "deflate"),
	}
	text, err := FromFile("a.h5", described(append(row,
		add("smooth", 1702, "shuffle", "deflate"), add("rough", 8100, "deflate"), add("zero", 1, "deflate"),
		add("summed", 8004, "fletcher32"), add("none", 8000), add("empty", 0, "deflate"),
	)...), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := program(t, text)
	got := map[string]float64{}
	for i := range p.Objects {
		got[p.Objects[i].Name] = p.Objects[i].Ratio
	}
	want := map[string]float64{
		"g": 0, "v%d": 4, "smooth": 4.7, "rough": 1, "zero": 4096, "summed": 0, "none": 0, "empty": 0,
	}
	if !maps.Equal(got, want) {
		t.Errorf("ratios %v, want %v in\n%s", got, want, text)
	}
}
