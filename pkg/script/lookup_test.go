package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

func TestObjectsAreLookedUpAndRenamedByTheirNames(t *testing.T) {
	p, err := madeBy(`g = f.create_group(numbered("g%d", 2))
    d = g.create_dataset(numbered("d%02d", 3, 5), "f8", 4)
    d.attrs["unit"] = 1
    d.write(everything())
    d.close()
    f["l"] = soft_link("/g0")
    f.stat("l")
    f.stat(numbered("g%d", 2), fields = "storage")
    f.list(numbered("g%d", 2))
    f.visit(numbered("g%d", 2), numbered("d%02d", 3, 5))
    g.move(numbered("d%02d", 3, 5), numbered("e%d", 3))
    g[0].stat(numbered("e%d", 3))
    e = g[numbered("e%d", 3)]
    e.read(everything())
    e.close()`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for s := range p.Parts[workload.Write].Steps() {
		switch s.Class {
		case workload.Stat, workload.List, workload.Rename:
			text := fmt.Sprint(s.Class, " ", p.PathOf(s.Object, s.First), " ", s.Count)
			switch s.Class {
			case workload.Stat:
				text += " " + s.Info.String()
			case workload.List:
				text += fmt.Sprint(" ", s.Levels, " ", s.Visits)
			case workload.Rename:
				text += " " + p.PathOf(s.NewNames, s.First)
			}
			got = append(got, text)
		}
	}
	want := "stat x:/l 1 basic, stat x:/g0 2 storage, list x:/g0 2 1 false, list x:/g0/d05 6 2 true, " +
		"rename x:/g0/d05 6 x:/g0/e0, stat x:/g0/e0 3 basic"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	base := func(name string) uint64 {
		return p.Objects[slices.IndexFunc(p.Objects, func(o workload.Object) bool { return o.Name == name })].Base
	}
	if p.Files[0].Bytes != 6*32 || base("e%d") != base("d%02d") {
		t.Errorf("a plain file of %d bytes: renamed data have a second place", p.Files[0].Bytes)
	}
}

func TestLookupsAndRenamesThatCannotBeDone(t *testing.T) {
	some := `d = f.create_dataset(numbered("d%d", 3), "f8", 4)` + "\n    "
	group := `g = f.create_group("g")
    g.create_group("x")
    g.close()` + "\n    "
	for steps, want := range map[string]string{
		`f.stat("d")`:                "there is no d",
		`f.list(numbered("d%d", 3))`: "there is no d0",
		some + `f.stat(numbered("d%d", 3), fields = "size")`: `fields "size": must be one of`,
		some + `f.list()`:                                       "give the names that it finds",
		some + `f.list(numbered("d%d", 3), "x")`:                "give the names that it finds",
		some + `f.list(numbered("d%d", 3)[1])`:                  "listed as a whole",
		some + `f.move(numbered("d%d", 3), "e")`:                "3 objects get 1 names",
		some + `f.move(numbered("d%d", 3), "e")`:                "3 objects get 1 names",
		some + `f.move(numbered("d%d", 3), numbered("d%d", 3))`: "is or was the name of another object",
		some + `d.close()
    f.move(numbered("d%d", 3), numbered("e%d", 3))
    f.stat(numbered("d%d", 3))`: "there is no d0",
		some + `f.move(numbered("d%d", 3), numbered("e%d", 3))`: "is renamed, but it is open since",
		`g = f.create_group("g")
    g.create_group(numbered("d%d", 3))
    g.close()
    h = f["g"]
    h.move(numbered("d%d", 3), numbered("e%d", 3))`: "is renamed, but it is open since",
		`f.create_group(numbered("d%d", 3)[::2])`: "names in steps",
		group + `f.move("g", "h")`:                "has had objects in it",
	} {
		if _, err := madeBy(steps); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", steps, err, want)
		}
	}
}

// Names can be taken in portions, which are of one family.
func TestPortionsOfNamesAreOfOneFamily(t *testing.T) {
	p, err := madeBy(`names = numbered("d%d", 7)
    for i in range(0, 7, 3):
        f.create_group(names[i:i + 3]).close()
    f.list(names)`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for s := range p.Parts[workload.Write].Steps() {
		if s.Class == workload.Create || s.Class == workload.List {
			got = append(got, fmt.Sprint(s.Class, " ", s.Object, " ", s.First, " ", s.Count))
		}
	}
	if want := "create 0 0 3, create 0 3 3, create 0 6 1, list 0 0 7"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// With POSIX, rank 0 alone renames files that all ranks use: the others must wait.
func TestObjectsThatAreFilesAreRenamedAfterAFence(t *testing.T) {
	read := func(fence, more string) error {
		s, err := script.Read("w.star", []byte(`"""Makes a file."""

def write(job):
    f = job.create("x", object_files = True)
    f.create_group("a").close()
    f.close()
    f = job.open("x")
    `+fence+`
    f.move("a", "b")
    `+more+`
    f.close()
`))
		if err == nil {
			_, err = s.Program(0, script.JobSize{Ranks: 2, Nodes: 1})
		}
		return err
	}
	const want = "call job.fence() in between"
	if err := read("pass", "pass"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := read("job.fence()", `f.stat("b")`); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := read("job.fence()", `job.fence(); f.stat("b")`); err != nil {
		t.Error(err)
	}
}
