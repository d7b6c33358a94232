//go:build cgo

package hdf5_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/workload"
)

// tree holds a program of one process with one file, and an engine session for it.
type tree struct {
	t       *testing.T
	env     engine.Env
	program workload.Program
	session engine.Session
	path    string
	op      workload.Op
}

func number(class workload.TypeClass, bytes uint64) workload.Type {
	return workload.Type{Class: class, Size: bytes}
}

// set returns a family with one dataset in the root group.
func set(name string, typ workload.Type, dims ...uint64) workload.Object {
	return workload.Object{
		Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: name, Type: typ,
		Dims: dims,
	}
}

// The families of newTree.
const (
	steps = iota
	parts
	field
	ids
	names
	cells
	scalar
	grow
	vectors
	many
)

// newTree returns a program with all kinds of objects and types, for withTree. It has no moves.
func newTree() workload.Program {
	group := func(name string, parent int, each, count uint64) workload.Object {
		return workload.Object{Kind: workload.GroupObject, Parent: parent, PerGroup: each, Count: count, Name: name}
	}
	in := func(parent int, each, count uint64, o workload.Object) workload.Object {
		o.Parent, o.PerGroup, o.Count, o.Stride = parent, each, count, o.Bytes()
		return o
	}
	x := set("x", number(workload.Float, 8), 6, 4)
	x.Chunk = []uint64{3, 4}
	x.Filters = []workload.Filter{{Name: "shuffle"}, {Name: "deflate", Level: 6}, {Name: "fletcher32"}}
	id := set("id%03d", number(workload.Signed, 4), 10)
	id.First, id.External = 5, true
	text := set("name", number(workload.Text, 8), 3)
	text.Compact = true
	rows := set("grow", number(workload.Unsigned, 8), 6, 5)
	rows.InitialDims, rows.MaxExtent, rows.Chunk = []uint64{2, 5}, []uint64{workload.Unlimited, 5}, []uint64{2, 5}
	return workload.Program{
		Files: []workload.File{{Name: "tree"}},
		Objects: []workload.Object{
			steps: group("step%d", workload.NoParent, 2, 2),
			parts: group("part", steps, 1, 2),
			field: in(parts, 1, 2, x),
			ids:   in(steps, 3, 6, id),
			names: text,
			cells: set("cell", workload.Type{Class: workload.Compound, Members: []workload.Member{
				{Name: "a", Type: number(workload.Unsigned, 2)},
				{Name: "b", Type: number(workload.Float, 4)},
				{Name: "c", Type: number(workload.Text, 3)},
				{Name: "v", Type: workload.Type{Class: workload.Signed, Size: 8, Array: []uint64{2}}},
			}}, 4),
			scalar:  set("scalar", number(workload.Float, 4)),
			grow:    rows,
			vectors: set("vec", workload.Type{Class: workload.Float, Size: 4, Array: []uint64{3}}, 2),
			many:    group("many%05d", workload.NoParent, 2000, 2000),
		},
		Attributes: []workload.Attributes{
			{Name: "note_%d", Count: 2, Type: number(workload.Text, 6)},
			{Name: "origin", Count: 1, Type: number(workload.Float, 8), Dims: []uint64{3}},
		},
	}
}

// withTree adds moves and memory to a program, prepares the engine for it, and calls body. Each family of datasets gets
// a move that selects the whole dataset, in the order of the families. The last move is a second move for the family
// grow, with only the initial extent.
func withTree(t *testing.T, program workload.Program, body func(*tree)) {
	t.Helper()
	lockThread(t)
	stop, err := engine.NewStopFlag()
	must(t, err)
	e := &tree{
		t: t, program: program, path: filepath.Join(t.TempDir(), "tree.h5"),
		env: engine.Env{Comm: mpi.Self{}, Stop: stop, HDF5: settings("sec2"), HarnessComparesReads: true},
	}
	for i := range program.Objects {
		if program.Objects[i].Kind == workload.DatasetObject {
			e.move(i, program.Objects[i].Dims, pattern.SelectEverything)
		}
	}
	e.move(grow, []uint64{2, 5}, pattern.SelectEverything)
	const slot = 1 << 10
	pool, err := engine.MapMemory(uint64(len(e.program.Moves)) * 6 * slot)
	must(t, err)
	defer func() { must(t, engine.UnmapMemory(pool)) }()
	for i := range e.program.Moves {
		e.program.Moves[i].Buffer = workload.Buffer{
			Pool: pool[i*6*slot:][:6*slot], Slots: 6, SlotBytes: slot, Grain: 16,
		}
	}
	mark := h5test.NewMark()
	e.session, err = hdf5.New().Prepare(e.env, e.program)
	must(t, err)
	body(e)
	must(t, e.session.Close())
	if open, others := h5test.OpenObjects(), mark.Left(); open != 0 || others != 0 {
		t.Errorf("%d open objects, and %d other identifiers are left", open, others)
	}
}

func (e *tree) move(object int, dims []uint64, selection func([]uint64, uint64) (pattern.Selection, error)) {
	e.t.Helper()
	s, err := selection(dims, e.program.Objects[object].Type.Bytes())
	must(e.t, err)
	e.program.Moves = append(e.program.Moves,
		workload.Move{Object: object, Listed: true, Selection: s, PlainSelection: s})
}

// moveOf returns the first move of a family.
func (e *tree) moveOf(object int) int {
	for i := range e.program.Moves {
		if e.program.Moves[i].Object == object {
			return i
		}
	}
	e.t.Fatalf("no move of family %d", object)
	return 0
}

// try executes a batch with all members of a family, and returns its error.
func (e *tree) try(class workload.StepClass, object int, change ...func(*workload.Batch)) error {
	b := workload.Batch{Class: class, Op: e.op, Path: e.path, Object: object, Move: workload.NoMove}
	if object != workload.NoParent {
		b.Count = e.program.Objects[object].Count
	}
	for _, c := range change {
		c(&b)
	}
	return e.session.Do(&b)
}

func (e *tree) do(class workload.StepClass, object int, change ...func(*workload.Batch)) {
	e.t.Helper()
	must(e.t, e.try(class, object, change...))
}

// transfer builds the selection of a move, and transfers all members of a family with it.
func (e *tree) transfer(object, move int) {
	e.t.Helper()
	e.do(workload.Select, object, func(b *workload.Batch) { b.Move, b.Count = move, 1 })
	e.do(workload.Transfer, object, func(b *workload.Batch) { b.Move, b.NumTransfers, b.BeginsAndEnds = move, 1, true })
}

func attribute(family int) func(*workload.Batch) {
	return func(b *workload.Batch) { b.Attributes = family }
}

func extent(dims ...uint64) func(*workload.Batch) { return func(b *workload.Batch) { b.Extent = dims } }

// inFile opens the file, calls body, and closes the file.
func (e *tree) inFile(op workload.Op, body func()) {
	e.t.Helper()
	e.op = op
	e.do(workload.FileOpen, workload.NoParent)
	body()
	e.do(workload.FileClose, workload.NoParent)
}

// all opens or creates the objects of all families except many. It writes or reads their attributes and data, and
// closes them.
func (e *tree) all(begin workload.StepClass) {
	e.t.Helper()
	e.do(workload.Attribute, workload.NoParent, attribute(1))
	for i := range many {
		e.do(begin, i)
	}
	e.do(workload.Attribute, parts, attribute(0))
	e.do(workload.Attribute, ids, attribute(1))
	for i := range many {
		if e.program.Objects[i].Kind == workload.DatasetObject && i != grow {
			e.transfer(i, e.moveOf(i))
		}
	}
	if e.op == workload.Write {
		e.transfer(grow, len(e.program.Moves)-1)
		e.do(workload.Extend, grow, extent(6, 5))
	}
	e.transfer(grow, e.moveOf(grow))
	for i := many - 1; i >= 0; i-- {
		e.do(workload.ObjectClose, i)
	}
}

// each calls do with the memory of each dataset of the tree, and the values that the memory should hold.
func (e *tree) each(do func(memory []byte, data fill.FieldValues)) {
	for i := range e.program.Moves {
		m := &e.program.Moves[i]
		typ := e.program.Objects[m.Object].Type
		for k := range e.program.Objects[m.Object].Count {
			do(m.Buffer.Slot(k)[:m.PlainSelection.Bytes()], fill.FieldValues{
				Seed: uint64(m.Object)<<8 + k, ElementSize: typ.Bytes(), Fields: typ.Fields(),
			})
		}
	}
}

// printed returns the output of an HDF5 tool for a file, with every white space replaced by a single space.
func printed(t *testing.T, path, tool string, options ...string) string {
	t.Helper()
	out, err := exec.Command(tool, append(options, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// A tree of groups, attributes, and datasets of all types and storage layouts is created as requested, and read back.
func TestObjects(t *testing.T) {
	withTree(t, newTree(), func(e *tree) {
		e.each(func(memory []byte, data fill.FieldValues) { data.Fill(memory, 0) })
		e.inFile(workload.Write, func() { e.all(workload.Create) })
		e.each(func(memory []byte, _ fill.FieldValues) { fill.Poison(memory) })
		e.inFile(workload.Read, func() { e.all(workload.Open) })
		for i := range e.program.Moves[:len(e.program.Moves)-1] { // the last move only writes
			m := &e.program.Moves[i]
			typ := e.program.Objects[m.Object].Type
			for k := range e.program.Objects[m.Object].Count {
				data := fill.FieldValues{Seed: uint64(m.Object)<<8 + k, ElementSize: typ.Bytes(), Fields: typ.Fields()}
				if wrong, where := data.Check(m.Buffer.Slot(k)[:m.PlainSelection.Bytes()], 0, 1); wrong > 0 {
					t.Errorf("%s: %d bytes differ: %v", e.program.PathOf(m.Object, k), wrong, where)
				}
			}
		}
		if n := e.session.Report().Extensions; n != 1 {
			t.Errorf("%d extensions", n)
		}
		list := printed(t, e.path, "h5ls", "-r")
		for _, want := range []string{
			"/cell Dataset {4}", "/grow Dataset {6/Inf, 5}", "/name Dataset {3}", "/scalar Dataset {SCALAR}",
			"/step0 Group /step0/id005 Dataset {10} /step0/id006 Dataset {10} " +
				"/step0/id007 Dataset {10} /step0/part Group " +
				"/step0/part/x Dataset {6, 4} /step1 Group", "/step1/part/x Dataset {6, 4} /vec Dataset {2}",
		} {
			if !strings.Contains(list, want) {
				t.Errorf("h5ls has no %q:\n%s", want, list)
			}
		}
		rest := printed(t, e.path, "h5dump", "-p", "-A")
		for _, want := range []string{
			`ATTRIBUTE "origin" { DATATYPE H5T_IEEE_F64LE DATASPACE SIMPLE { ( 3 ) / ( 3 ) }`,
			`DATASET "cell"`, `H5T_STD_U16LE "a"; H5T_IEEE_F32LE "b"; H5T_STRING { STRSIZE 3;`,
			`H5T_ARRAY { [2] H5T_STD_I64LE } "v";`, "CONTIGUOUS", `DATASET "grow" { DATATYPE H5T_STD_U64LE`,
			"{ ( 6, 5 ) / ( H5S_UNLIMITED, 5 ) }", "CHUNKED ( 2, 5 )", `DATASET "name"`, "STRSIZE 8;", "COMPACT",
			`DATASET "scalar" { DATATYPE H5T_IEEE_F32LE DATASPACE SCALAR`, `GROUP "step0"`,
			`DATASET "id005" { DATATYPE H5T_STD_I32LE`,
			"CONTIGUOUS EXTERNAL { FILENAME " + e.path + ".external SIZE 40 OFFSET 0 }",
			`ATTRIBUTE "origin"`, `DATASET "id007"`, "SIZE 40 OFFSET 80", `GROUP "part"`,
			`ATTRIBUTE "note_0" { DATATYPE H5T_STRING { STRSIZE 6;`, `ATTRIBUTE "note_1"`, `DATASET "x"`,
			"CHUNKED ( 3, 4 )", "PREPROCESSING SHUFFLE", "COMPRESSION DEFLATE { LEVEL 6 }", "CHECKSUM FLETCHER32",
			`GROUP "step1"`, `DATASET "vec"`, "H5T_ARRAY { [3] H5T_IEEE_F32LE }",
		} {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Fatalf("no %q, or not in its place, in %s", want, rest)
			}
			rest = after
		}
		sizes, err := e.env.FileSizes(e.path, e.session.FileNames(e.path))
		if err != nil || len(sizes) != 2 || sizes[1].Name != "tree.h5.external" || sizes[1].Bytes != 6*40 {
			t.Errorf("files %v, %v", sizes, err)
		}
	})
}

// With some file drivers HDF5 would not treat an external file as its driver treats the HDF5 file. Longer parts than
// one call moves would be zeros without an error.
func TestExternalFilesThatHDF5CannotUseAreRefused(t *testing.T) {
	pool := make([]byte, 16)
	for _, c := range []struct {
		driver option.Driver
		bytes  uint64
		want   string
	}{
		{option.DriverSec2, 8, ""},
		{option.DriverSec2, 1<<31 - 4095, "moves it in one call, and Linux at most 2147479552 bytes"},
		{option.DriverStdio, 8, "the file driver stdio"},
		{option.DriverCore, 8, "the file driver core"},
		{option.DriverFamily, 8, "the file driver family"},
		{option.DriverSplit, 8, "the file driver split"},
	} {
		x := set("x", workload.Byte, c.bytes)
		x.External = true
		whole, err := pattern.SelectEverything(x.Dims, 1)
		must(t, err)
		p := workload.Program{
			Files: []workload.File{{Name: "x"}}, Objects: []workload.Object{x},
			Moves: []workload.Move{{
				Listed: true, Selection: whole, PlainSelection: whole,
				Buffer: workload.Buffer{Pool: pool, Slots: 1, SlotBytes: 16, Grain: 8},
			}},
		}
		stop, err := engine.NewStopFlag()
		must(t, err)
		s, err := hdf5.New().Prepare(engine.Env{Comm: mpi.Self{}, Stop: stop, HDF5: settings(c.driver)}, p)
		if err == nil {
			err = s.Close()
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s, %d bytes: %v", c.driver, c.bytes, err)
		case c.want != "" && (!errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s, %d bytes: %v, want %q", c.driver, c.bytes, err, c.want)
		}
	}
}

// An unlinked object is gone: it cannot be opened or unlinked again. Errors name the object with its groups.
func TestUnlinkedObjectsAreGone(t *testing.T) {
	withTree(t, newTree(), func(e *tree) {
		before := h5test.OpenObjects() // datatypes of the session
		e.inFile(workload.Write, func() {
			e.all(workload.Create)
			e.do(workload.Open, steps)
			second := func(b *workload.Batch) { b.First, b.Count = 4, 2 }
			e.do(workload.Unlink, ids, second)
			e.fails("H5Ldelete", "step1/id006", e.try(workload.Unlink, ids, second))
			e.fails("H5Dopen2", "step1/id006", e.try(workload.Open, ids))
			e.do(workload.ObjectClose, ids, func(b *workload.Batch) { b.Count = 4 })
			e.do(workload.Open, parts)
			e.fails("H5Acreate2", "step0/part attribute note_0", e.try(workload.Attribute, parts, attribute(0)))
			e.do(workload.ObjectClose, parts)
			e.fails("H5Gcreate2", "step0/part", e.try(workload.Create, parts))
			e.session.CloseAfterError()
			if n := h5test.OpenObjects() - before; n != 0 {
				t.Errorf("%d objects are open after Abandon", n)
			}
			e.op = workload.Write
			e.do(workload.FileOpen, workload.NoParent, func(b *workload.Batch) { b.Existing = true })
		})
		if list := printed(t, e.path, "h5ls", "-r"); strings.Contains(list, "/step1/id006") ||
			!strings.Contains(list, "/step1/id005") {
			t.Errorf("after unlink: %s", list)
		}
	})
}

// Steps that use objects by their names do so in each group. What they do not find is an error that names it.
func TestObjectsAreLookedUpAndRenamed(t *testing.T) {
	p := newTree()
	newIDs := p.Objects[ids]
	newIDs.Name, newIDs.First = "number%d", 0
	p.Objects = append(p.Objects, newIDs)
	renamed := len(p.Objects) - 1
	withTree(t, p, func(e *tree) {
		to := func(b *workload.Batch) { b.NewNames = renamed }
		visit := func(b *workload.Batch) { b.Levels, b.Visits = 2, true }
		list := func(b *workload.Batch) { b.Levels = 1 }
		e.inFile(workload.Write, func() {
			for _, object := range []int{steps, ids} {
				e.do(workload.Create, object)
			}
			e.do(workload.ObjectClose, ids)
			e.do(workload.Stat, ids, func(b *workload.Batch) { b.Info = workload.AllInfo })
			e.do(workload.List, ids, list)
			e.do(workload.List, ids, list, func(b *workload.Batch) { b.First, b.Count = 3, 3 })
			e.do(workload.List, ids, visit)
			e.do(workload.Rename, ids, to)
			e.do(workload.Stat, renamed)
			e.do(workload.List, renamed, visit)
			e.fails("H5Oget_info_by_name", "step0/id005", e.try(workload.Stat, ids))
			e.fails("H5Literate", "step0/id005", e.try(workload.List, ids, list))
			e.fails("H5Lmove", "step0/id005", e.try(workload.Rename, ids, to))
			e.do(workload.ObjectClose, steps)
		})
		if list := printed(t, e.path, "h5ls", "-r"); !strings.Contains(list, "/step1/number2") ||
			strings.Contains(list, "/step1/id") {
			t.Errorf("after renaming: %s", list)
		}
	})
}

// fails checks that err is an error of call on object.
func (e *tree) fails(call, object string, err error) {
	e.t.Helper()
	failed, is := errors.AsType[*engine.CallError](err)
	if !is || failed.Call != call || failed.Path != e.path+" "+object {
		e.t.Errorf("error %v, want one of %s on %s", err, call, object)
	}
}

// The stop flag ends a batch of creations. The created objects stay open until Abandon.
func TestStopEndsCreations(t *testing.T) {
	withTree(t, newTree(), func(e *tree) {
		e.op = workload.Write
		e.do(workload.FileOpen, workload.NoParent)
		e.env.Stop.Set()
		if err := e.try(workload.Create, many); !errors.Is(err, engine.ErrStopped) {
			t.Errorf("creation after stop: %v", err)
		}
		e.do(workload.Create, many, func(b *workload.Batch) { b.Count = 1 }) // a batch of one object ignores the flag
		e.session.CloseAfterError()
	})
}

// Both methods to select a union write the same data.
func TestUnionsWriteTheSame(t *testing.T) {
	var files []string
	for _, how := range []workload.UnionMethod{workload.UnionMerge, workload.UnionOr} {
		withTree(t, newTree(), func(e *tree) {
			m := &e.program.Moves[e.moveOf(ids)]
			var err error
			m.Selection, err = pattern.SelectBoxes([]uint64{10}, 4, []uint64{7, 0, 3}, []uint64{3, 1, 2})
			must(t, err)
			m.PlainSelection, m.Union = m.Selection, how
			must(t, e.session.Close())
			e.session, err = hdf5.New().Prepare(e.env, e.program)
			must(t, err)
			e.each(func(memory []byte, data fill.FieldValues) { data.Fill(memory, 0) })
			e.inFile(workload.Write, func() {
				e.do(workload.Create, steps)
				e.do(workload.Create, ids)
				e.transfer(ids, e.moveOf(ids))
				e.do(workload.ObjectClose, ids)
				e.do(workload.ObjectClose, steps)
			})
			_, dump, _ := strings.Cut(printed(t, e.path, "h5dump", "-d", "/step0/id005"), "DATA {")
			files = append(files, dump)
		})
	}
	if files[0] != files[1] || !strings.Contains(files[0], " 0, 0, ") {
		t.Errorf("merged: %s\nadded: %s", files[0], files[1])
	}
}
