package fromfile_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/script/fromfile"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/workload"
)

// describe returns the description of a file with a group that contains the given objects.
func describe(objects ...fromfile.Object) fromfile.Description {
	d := fromfile.Description{Objects: []fromfile.Object{
		{Path: "/", Object: workload.Object{Parent: workload.NoParent}},
		{Path: "/g", Object: workload.Object{Name: "g"}},
	}}
	for _, o := range objects {
		o.Parent, o.Path = 1, "/g/"+o.Name
		d.Objects = append(d.Objects, o)
	}
	return d
}

// dataset returns a dataset of numbers that has all its storage.
func dataset(name string, dims ...uint64) fromfile.Object {
	o := fromfile.Object{Object: workload.Object{
		Kind: workload.DatasetObject, Name: name, Type: workload.Type{Class: workload.Float, Size: 8}, Dims: dims,
	}}
	o.Stored = o.Bytes()
	return o
}

// scriptOf returns the script that Script writes for a description.
func scriptOf(t *testing.T, d fromfile.Description, all ...fromfile.Decomposition) string {
	t.Helper()
	text, err := fromfile.Script("/x/a b.h5", d, all)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// program returns the program of rank 0 in a job of two ranks.
func program(t *testing.T, text string) workload.Program {
	t.Helper()
	s, err := script.Read("w.star", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, text)
	}
	p, err := s.Program(0, script.JobSize{Ranks: 2, Nodes: 1})
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, text)
	}
	return p
}

// objects returns how many times a program creates or opens each object.
func objects(p workload.Program) (created, opened map[string]int) {
	created, opened = map[string]int{}, map[string]int{}
	for op, paths := range []map[string]int{created, opened} {
		for s := range p.Parts[op].Steps() {
			if s.Class != workload.Create && s.Class != workload.Open {
				continue
			}
			for k := range s.Count {
				_, path, _ := strings.Cut(p.PathOf(s.Object, s.First+k), ":")
				paths[path]++
			}
		}
	}
	return created, opened
}

// once returns a count of 1 for each object of a description except the root group.
func once(d fromfile.Description) map[string]int {
	all := map[string]int{}
	for _, o := range d.Objects[1:] {
		all[o.Path] = 1
	}
	return all
}

func TestScriptHasNamesOfTheFile(t *testing.T) {
	var all []fromfile.Object
	for _, name := range []string{
		"plain", "two words", "{k}", "{{}}", "%d", "100%", "a\"b", `a\b`, "null", "~", "#x", "- x", "a: b", "1", "1.5",
		"on", "ümläut", "数据", "🙂", "a\u2028b", "a\u00a0b", "a\u0300", "..", "'", " ", "@", "`", "x,y]", "\ue000",
		"\U000e0001", "f", "g", "k", "job", "if", "BY_ROOT", "by_root", strings.Repeat("long, ", 40),
	} {
		all = append(all, dataset(name, 3))
	}
	d := describe(all...)
	d.Objects[0].Attributes = []workload.Attributes{{Name: "{%d} \"", Type: workload.Byte, Dims: []uint64{2}}}
	d.Left = []fromfile.OmittedItem{{What: `/g/"soft`, Reason: "a soft link"}}
	text := scriptOf(t, d)
	p := program(t, text)
	if created, opened := objects(p); !maps.Equal(created, once(d)) || !maps.Equal(opened, once(d)) {
		t.Errorf("created %v, opened %v, want each of %v", created, opened, once(d))
	}
	if a := p.Attributes; len(a) != 1 || a[0].Name != "{%%d} \"" {
		t.Errorf("attributes %+v", a)
	}
	if !strings.Contains(text, `"/g/\"soft: a soft link"`) {
		t.Errorf("what is left out is not named:\n%.1000s", text)
	}
}

func TestLikeObjectsAreOneRowOnlyIfItIsExact(t *testing.T) {
	var all []fromfile.Object
	add := func(format string, first, end int, dims ...uint64) {
		for k := first; k < end; k++ {
			all = append(all, dataset(fmt.Sprintf(format, k), dims...))
		}
	}
	add("a%d", 0, 12, 3)
	add("a%d", 12, 13, 4)  // another extent
	add("b%02d", 0, 12, 3) // numbers with zeros
	add("c%d x", 1, 9, 3)  // from 1
	add("d%d", 0, 3, 3)    // few
	add("é%dé%%", 0, 5, 3) // a row in other characters
	add("f0%d", 0, 10, 3)  // f00 to f09, and f0 to f3
	add("f%d", 0, 4, 3)    //
	add("f%d", 10, 12, 3)  // of both rows
	add("e%d", 0, 5, 3)    // with a gap
	add("e%d", 6, 12, 3)   //
	all = append(all, dataset("a%d", 3))
	d := describe(all...)
	text := scriptOf(t, d)
	if created, opened := objects(program(t, text)); !maps.Equal(created, once(d)) || !maps.Equal(opened, once(d)) {
		t.Errorf("created %v, opened %v, want each of %v", created, opened, once(d))
	}
	for _, want := range []string{
		`numbered("a%d", 12)`, `"a12"`, `numbered("b%02d", 12)`, `numbered("é%dé%%", 5)`,
		`numbered("c%d x", 8, first = 1)`,
		`"d0"`, `numbered("f%02d", 12)`, `numbered("f%d", 4)`, `numbered("e%d", 5)`, `numbered("e%d", 6, first = 6)`,
	} {
		if strings.Count(text, want) != 2 {
			t.Errorf("%s is not there in both parts of\n%s", want, text)
		}
	}
}

func TestGroupsWithTheSameObjectsAreALoop(t *testing.T) {
	root := fromfile.Object{Path: "/", Object: workload.Object{Parent: workload.NoParent}}
	d := fromfile.Description{Objects: []fromfile.Object{root}}
	add := func(o fromfile.Object, parent int) int {
		o.Parent = parent
		o.Path = strings.TrimSuffix(d.Objects[parent].Path, "/") + "/" + o.Name
		d.Objects = append(d.Objects, o)
		return len(d.Objects) - 1
	}
	for step := range 3 {
		outer := add(fromfile.Object{Object: workload.Object{Name: fmt.Sprintf("Step#%d", step)}}, 0)
		for k := range 2 {
			inner := add(fromfile.Object{Object: workload.Object{Name: fmt.Sprintf("k%d", k)}}, outer)
			add(dataset("k", 5), inner)
		}
	}
	other := add(fromfile.Object{Object: workload.Object{Name: "Step#3"}}, 0)
	add(dataset("x", 5), other)
	text := scriptOf(t, d)
	if created, opened := objects(program(t, text)); !maps.Equal(created, once(d)) || !maps.Equal(opened, once(d)) {
		t.Errorf("created %v, opened %v, want each of %v\n%s", created, opened, once(d), text)
	}
	for _, want := range []string{"for k in range(3):", "for k_2 in range(2):", `create_group("Step#%d" % k)`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// The program has the same types and storage properties as the file.
func TestScriptHasTypesAndStorageOfTheFile(t *testing.T) {
	number := workload.Type{Class: workload.Signed, Size: 2, BigEndian: true}
	types := []workload.Type{
		number,
		{Class: workload.Float, Size: 16},
		{Class: workload.Text, Size: 7},
		{Class: workload.Text, Size: 7, Padding: workload.SpacePadding, UTF8: true},
		{Class: workload.Opaque, Size: 3},
		{Class: workload.Opaque, Size: 3, Tag: "a, \"b"},
		{Class: workload.BitField, Size: 4, BigEndian: true},
		{Class: workload.Unsigned, Size: 1, Words: []workload.EnumValue{{Name: "no, \n"}, {Name: "yes", Value: 1}}},
		{Class: workload.Signed, Size: 2, BigEndian: true, Array: []uint64{3, 4}},
		{Class: workload.Compound, Size: 100, Members: []workload.Member{
			{Name: "a, b", Type: number},
			{Name: strings.Repeat("long ", 40), Type: workload.Byte, Gap: 4},
			{Name: "inner", Type: workload.Type{Class: workload.Compound, Members: []workload.Member{
				{Name: "x", Type: workload.Type{Class: workload.Float, Size: 8, Array: []uint64{2}}},
			}}},
		}},
	}
	var all []fromfile.Object
	for i, typ := range types {
		o := dataset(fmt.Sprintf("%c", 'a'+i), 4, 6)
		o.Type = typ
		all = append(all, o)
	}
	stored := dataset("stored", 4, 6)
	stored.MaxExtent, stored.Chunk = []uint64{workload.Unlimited, 6}, []uint64{2, 3}
	stored.Filters = []workload.Filter{{Name: "shuffle"}, {Name: "deflate", Level: 3}, {Name: "fletcher32"}}
	stored.Fill = workload.FillPolicy{Time: "never", Allocate: "early"}
	stored.CompressionRatio = 1 // as many bytes are stored as there are
	packed := dataset("tightly", 4, 6)
	packed.Type, packed.Stored = workload.Type{Class: workload.Signed, Size: 4}, 4*6*4
	packed.Chunk, packed.CompressionRatio = []uint64{2, 3}, 1
	packed.Filters = []workload.Filter{
		{Name: "nbit"}, {Name: "zstd", Level: 7}, {Name: "lz4"}, {Name: "shuffle"}, {Name: "scaleoffset"},
	}
	compact, null, scalar := dataset("compact", 3), dataset("null"), dataset("scalar")
	compact.Compact, null.Null = true, true
	all = append(all, stored, packed, compact, null, scalar)
	d := describe(all...)
	text := scriptOf(t, d)
	got := map[string]workload.Object{}
	p := program(t, text)
	for _, o := range p.Objects {
		o.Parent, o.Count, o.PerGroup, o.Base, o.Stride = 0, 0, 0, 0, 0
		got[o.Name] = o
	}
	for _, o := range d.Objects[2:] {
		o.Parent = 0
		is, want := fmt.Sprintf("%+v %#v", got[o.Name], got[o.Name].Type), fmt.Sprintf("%+v %#v", o.Object, o.Type)
		if is != want {
			t.Errorf("%s is\n%s, want\n%s", o.Name, is, want)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 121 && !strings.Contains(line, "long long") {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestHowRanksDivideDatasets(t *testing.T) {
	compact := dataset("compact", 5)
	compact.Compact = true
	filtered := dataset("filtered", 5)
	filtered.Chunk, filtered.Filters = []uint64{2}, []workload.Filter{{Name: "shuffle"}}
	d := describe(dataset("scalar"), dataset("small", 100), dataset("large", 100, 100, 100),
		dataset("short", 2, 3, 1e5), dataset("zero", 0, 5), compact, filtered)
	for rules, want := range map[string]string{
		"":      "scalar 1, small 100, large 500000, short 300000, compact 5 collective, filtered 5 collective",
		"block": "scalar 1, small 50, large 500000, short 300000, compact 5 collective, filtered 3 collective",
		"/g/large=root /g/small=slab": "scalar 1, small 50, large 1000000, short 300000, compact 5 collective, " +
			"filtered 5 collective",
		"slab /g/large=none": "scalar 1, small 50, short 300000, compact 5 collective, filtered 3 collective",
		"/=none":             "",
	} {
		var all []fromfile.Decomposition
		for text := range strings.FieldsSeq(rules) {
			one, err := fromfile.ParseDecomposition(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		p := program(t, scriptOf(t, d, all...))
		for op := range p.Parts {
			var got []string
			for s := range p.Parts[op].Steps() {
				if s.Class != workload.Transfer {
					continue
				}
				m := &p.Moves[s.Move]
				mode := ""
				if m.Collective {
					mode = " collective"
				}
				got = append(got, fmt.Sprint(p.Objects[m.Object].Name, " ", m.Selection.NumElements(), mode))
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%q, %v: %s, want %s", rules, workload.Op(op), strings.Join(got, ", "), want)
			}
		}
	}
	for text, want := range map[string]string{
		"slap": "did you mean", "x=slab": "is no path", "/x=cyclic": "other rules have parameters",
	} {
		if _, err := fromfile.ParseDecomposition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := fromfile.Script("a.h5", d, []fromfile.Decomposition{{Path: "/g/zero", Rule: "slab"}}); err == nil {
		t.Error("a rule for a dataset without elements is taken")
	}
}

// A script of twenty thousand different objects can be read.
func TestManyObjects(t *testing.T) {
	var all []fromfile.Object
	for k := range fromfile.MaxObjects - 2 {
		o := dataset(fmt.Sprintf("dataset number %d", k), uint64(k%7+1))
		text := workload.Type{Class: workload.Text, Size: uint64(k%5) + 1}
		o.Attributes = []workload.Attributes{{Name: "unit", Type: text}}
		all = append(all, o)
	}
	if p := program(t, scriptOf(t, describe(all...))); len(p.Objects) != fromfile.MaxObjects-1 {
		t.Errorf("%d objects", len(p.Objects))
	}
}

func TestTheLikeOfFilteredDatasetsHasTheirRatio(t *testing.T) {
	add := func(name string, stored uint64, filters ...string) fromfile.Object {
		o := dataset(name, 1000)
		o.Chunk, o.Stored = []uint64{100}, stored
		for _, f := range filters {
			o.Filters = append(o.Filters, workload.Filter{Name: f})
		}
		return o
	}
	row := []fromfile.Object{ // one of them has another stored size
		add("v0", 1000, "deflate"), add("v1", 1000, "deflate"), add("v2", 1000, "deflate"), add("v3", 5000, "deflate"),
	}
	p := program(t, scriptOf(t, describe(append(row,
		add("smooth", 1702, "shuffle", "deflate"), add("rough", 8100, "deflate"), add("zero", 1, "deflate"),
		add("summed", 8004, "fletcher32"), add("none", 8000), add("empty", 0, "deflate"),
	)...)))
	got := map[string]float64{}
	for i := range p.Objects {
		got[p.Objects[i].Name] = p.Objects[i].CompressionRatio
	}
	want := map[string]float64{
		"g": 0, "v%d": 4, "smooth": 4.7, "rough": 1, "zero": 4096, "summed": 0, "none": 0, "empty": 0,
	}
	if !maps.Equal(got, want) {
		t.Errorf("ratios %v, want %v", got, want)
	}
}

// The script for a typical file looks as if a person had written it.
func TestScriptIsReadable(t *testing.T) {
	root := fromfile.Object{Path: "/", Object: workload.Object{Parent: workload.NoParent}}
	d := fromfile.Description{Objects: []fromfile.Object{root}}
	add := func(o fromfile.Object, parent int) {
		o.Parent, o.Path = parent, d.Objects[parent].Path+"/"+o.Name
		d.Objects = append(d.Objects, o)
	}
	unit := []workload.Attributes{{Name: "unit", Type: workload.Type{Class: workload.Text, Size: 6}}}
	for step := range 3 {
		add(fromfile.Object{Object: workload.Object{Name: fmt.Sprintf("Timestep_%d", step)}}, 0)
		rho := dataset("rho", 64, 64, 64)
		rho.Chunk, rho.Attributes = []uint64{8, 64, 64}, unit
		rho.Filters, rho.Stored = []workload.Filter{{Name: "deflate", Level: 4}}, 1<<20
		parent := len(d.Objects) - 1
		add(rho, parent)
		for k := range 5 {
			add(dataset(fmt.Sprintf("tracer%02d", k), 64, 64, 64), parent)
		}
		add(dataset("time"), parent)
	}
	resulttest.Golden(t, filepath.Join("testdata", "steps.star"), scriptOf(t, d))
}

// A netCDF dimension without a variable is a large dataset to which nothing was written. Ranks write it only if the
// user asks for it.
func TestWhatWasNeverWrittenIsCreatedOnly(t *testing.T) {
	ncells := dataset("ncells", 1e9)
	ncells.Stored = 0
	d := describe(ncells, dataset("x", 3))
	text := scriptOf(t, d)
	p := program(t, text)
	if created, opened := objects(p); !maps.Equal(created, once(d)) || !maps.Equal(opened, once(d)) {
		t.Errorf("created %v, opened %v, want each of %v", created, opened, once(d))
	}
	if len(p.Moves) != 1 || p.Objects[p.Moves[0].Object].Name != "x" {
		t.Errorf("moves %+v, want one with x", p.Moves)
	}
	for _, want := range []string{
		"    # it has no storage in the file",
		`7.45 GiB of data in 1 dataset, such as /g/ncells: nothing was written there`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%s is not there once in\n%s", want, text)
		}
	}
	all := []fromfile.Decomposition{{Path: "/g", Rule: "slab"}}
	if p := program(t, scriptOf(t, d, all...)); len(p.Moves) != 2 {
		t.Errorf("with a rule: moves %+v", p.Moves)
	}
	if left := fromfile.ListOmissions(d, all); len(left) != 0 {
		t.Errorf("with a rule, left out is %v", left)
	}
}

// Parallel HDF5 does not write what has a variable length. Rank 0 writes such datasets, after all ranks have written
// the others.
func TestRankZeroWritesWhatHasAVariableLength(t *testing.T) {
	names, rows := dataset("names", 4), dataset("rows", 1<<20)
	names.Type = workload.Type{Class: workload.Text, Size: 7, Variable: true, UTF8: true}
	never := names
	never.Name, never.Stored = "never", 0
	lists := dataset("lists", 1<<20)
	lists.Type = workload.Type{Class: workload.Sequence, Size: 24, Members: []workload.Member{{Type: lists.Type}}}
	lists.Filters, lists.Chunk = []workload.Filter{{Name: "deflate", Level: 4}}, []uint64{1 << 10}
	text := scriptOf(t, describe(names, never, lists, rows))
	for _, want := range []string{
		`string(mean = 7, padding = "zeros", utf8 = True)`, `vlen("f8", mean = 3)`, "job.root(write_variable)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "ratio = ") {
		t.Errorf("filters do not work on what has a variable length:\n%s", text)
	}
	p := program(t, text)
	var got []string
	for s := range p.Parts[workload.Write].Steps() {
		if s.Class == workload.Transfer {
			got = append(got, fmt.Sprint(p.Objects[s.Object].NameOf(0), " by ", p.Files[s.File].Group))
		}
	}
	if want := "rows by all ranks, names by rank 0 alone, lists by rank 0 alone"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if uses, _ := objects(p); uses["/g/rows"] != 1 || uses["/g/never"] != 1 || uses["/g/names"] != 2 {
		t.Errorf("objects that are created, or opened by rank 0: %v", uses)
	}
}

// Parallel HDF5 would store fill values in all of a dataset that has no storage in the file.
func TestWhatWasNeverWrittenIsNotFilled(t *testing.T) {
	for name, change := range map[string]func(o *fromfile.Object){
		"chunks":       func(o *fromfile.Object) { o.Chunk = []uint64{1000} },
		"a fill value": func(o *fromfile.Object) { o.Fill.Value = make([]byte, 8) },
		"it is filled": func(o *fromfile.Object) { o.Fill.Time = "alloc" },
	} {
		ncells := dataset("ncells", 1e9)
		ncells.Stored = 0
		change(&ncells)
		d := describe(ncells)
		text := scriptOf(t, d)
		if p := program(t, text); p.Objects[len(p.Objects)-1].Fill.Time != "never" ||
			!strings.Contains(text, "without the fill values that parallel HDF5 would store at once") {
			t.Errorf("%s: is filled in\n%s", name, text)
		}
		all := fromfile.Decomposition{Path: "/", Rule: "slab"}
		if p := program(t, scriptOf(t, d, all)); p.Objects[len(p.Objects)-1].Fill.Time != ncells.Fill.Time {
			t.Errorf("%s: it is written, with the fill time %q", name, p.Objects[len(p.Objects)-1].Fill.Time)
		}
	}
}
