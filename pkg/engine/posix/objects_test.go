//go:build cgo

package posix_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// The families of withObjects.
const (
	groups = iota
	sets
	links
	renamed
)

// objects is a session for a file whose objects are files of their own.
type objects struct {
	t       *testing.T
	session engine.Session
	path    string
	op      workload.Op
	pool    []byte
}

// withObjects prepares the engine for two groups with three datasets of 8 bytes each, and links. It calls body.
func withObjects(t *testing.T, body func(*objects)) {
	t.Helper()
	pool, err := engine.MapMemory(48)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.UnmapMemory(pool) }()
	all, err := pattern.SelectEverything([]uint64{8}, 1)
	if err != nil {
		t.Fatal(err)
	}
	set := workload.Object{
		Kind: workload.DatasetObject, Parent: groups, PerGroup: 3, Count: 6, Name: "d%02d", Type: workload.Byte,
		Dims: []uint64{8}, Base: 48, Stride: 8,
	}
	other := set
	other.Name = "e%d"
	p := workload.Program{
		Files: []workload.File{{Name: "x", Group: workload.Self, ObjectFiles: true, Bytes: 96}},
		Objects: []workload.Object{
			groups: {Kind: workload.GroupObject, Parent: workload.NoParent, PerGroup: 2, Count: 2, Name: "g%d"},
			sets:   set,
			links: {
				Kind: workload.LinkObject, Parent: workload.NoParent, PerGroup: 2, Count: 2, Name: "l%d",
				Link: workload.Link{Kind: workload.HardLink, Path: "/g0/d01"},
			},
			renamed: other,
		},
		Moves: []workload.Move{{
			Object: sets, Listed: true, Selection: all, PlainSelection: all,
			Buffer: workload.Buffer{Pool: pool, Slots: 6, SlotBytes: 8, Grain: 4096},
		}},
	}
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	o := &objects{t: t, path: filepath.Join(t.TempDir(), "x.posix"), pool: pool}
	if err := os.Mkdir(o.path+workload.ObjectsSuffix, 0o700); err != nil {
		t.Fatal(err)
	}
	if o.session, err = posix.New().Prepare(engine.Env{Comm: mpi.Self{}, Stop: stop}, p); err != nil {
		t.Fatal(err)
	}
	o.do(workload.FileOpen, 0, 0)
	body(o)
	o.do(workload.FileClose, 0, 0)
	if err := o.session.Close(); err != nil {
		t.Error(err)
	}
}

func (o *objects) try(class workload.StepClass, object int, count uint64, change ...func(*workload.Batch)) error {
	b := workload.Batch{Class: class, Op: o.op, Path: o.path, Object: object, Count: count, Move: workload.NoMove}
	for _, c := range change {
		c(&b)
	}
	return o.session.Do(&b)
}

func (o *objects) do(class workload.StepClass, object int, count uint64, change ...func(*workload.Batch)) {
	o.t.Helper()
	if err := o.try(class, object, count, change...); err != nil {
		o.t.Fatal(err)
	}
}

// fails checks that err is an error of call for an object.
func (o *objects) fails(call, object string, err error) {
	o.t.Helper()
	e, is := errors.AsType[*engine.CallError](err)
	if !is || e.Call != call || e.Path != o.path+workload.ObjectsSuffix+object {
		o.t.Errorf("%v, want an error of %s for %s", err, call, object)
	}
}

func TestObjectsAreFilesOfTheirOwn(t *testing.T) {
	withObjects(t, func(o *objects) {
		list := func(b *workload.Batch) { b.Levels = 1 }
		visit := func(b *workload.Batch) { b.Levels, b.Visits = 2, true }
		move := func(b *workload.Batch) { b.Move, b.NumTransfers, b.BeginsAndEnds = 0, 1, true }
		to := func(b *workload.Batch) { b.NewNames = renamed }
		for i := range o.pool {
			o.pool[i] = byte(i)
		}
		written := slices.Clone(o.pool)
		o.do(workload.Create, groups, 2)
		o.do(workload.Create, sets, 6)
		o.do(workload.Transfer, sets, 6, move)
		o.do(workload.ObjectClose, sets, 6)
		o.do(workload.CreateLink, links, 2)
		o.do(workload.Sync, 0, 0)
		for object, n := range map[int]uint64{groups: 2, sets: 6, links: 2} {
			o.do(workload.Stat, object, n)
		}
		o.do(workload.List, groups, 2, list)
		o.do(workload.List, links, 2, list)
		o.do(workload.List, sets, 6, list)
		o.do(workload.List, sets, 6, visit)
		if text, err := os.ReadFile(o.path + workload.ObjectsSuffix + "/l1"); string(text) != string(written[8:16]) {
			t.Errorf("l1 has %q, %v; want the data of the dataset of this path", text, err)
		}
		o.do(workload.Rename, sets, 6, to)
		o.do(workload.Stat, renamed, 6)
		o.fails("fstatat", "/g0/d00", o.try(workload.Stat, sets, 6))
		o.fails("readdir", "/g0/d00", o.try(workload.List, sets, 6, list))
		o.fails("renameat", "/g0/d00", o.try(workload.Rename, sets, 6, to))
		o.fails("mkdirat", "/g0", o.try(workload.Create, groups, 2))
		clear(o.pool)
		o.op = workload.Read
		o.do(workload.Open, sets, 0)
		o.do(workload.Open, renamed, 6)
		o.do(workload.ObjectClose, renamed, 6)
		o.fails("unlinkat", "/g0", o.try(workload.Unlink, groups, 2)) // not empty
		o.do(workload.Unlink, renamed, 6)
		o.do(workload.ObjectClose, groups, 2)
		o.do(workload.Unlink, groups, 2)
		o.fails("fstatat", "/g0", o.try(workload.Stat, groups, 2))
	})
}

func TestDataOfObjectsThatAreFilesAreReadBack(t *testing.T) {
	withObjects(t, func(o *objects) {
		move := func(b *workload.Batch) { b.Move, b.NumTransfers, b.BeginsAndEnds = 0, 1, true }
		for i := range o.pool {
			o.pool[i] = byte(i + 1)
		}
		written := slices.Clone(o.pool)
		o.do(workload.Create, groups, 2)
		o.do(workload.Create, sets, 6)
		o.do(workload.Transfer, sets, 6, move)
		o.do(workload.ObjectClose, sets, 6)
		clear(o.pool)
		o.op = workload.Read
		o.do(workload.Open, sets, 6)
		o.do(workload.Transfer, sets, 6, move)
		o.do(workload.ObjectClose, sets, 6)
		o.do(workload.ObjectClose, groups, 2)
		if !slices.Equal(o.pool, written) {
			t.Errorf("read %v, want %v", o.pool, written)
		}
		o.op = workload.Write
	})
}

// A file of another kind than was created is an error, and so are objects that exist.
func TestObjectsOfAnotherKindAreFound(t *testing.T) {
	withObjects(t, func(o *objects) {
		dir := o.path + workload.ObjectsSuffix
		if err := os.WriteFile(filepath.Join(dir, "g0"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := o.try(workload.Stat, groups, 1)
		o.fails("fstatat", "/g0", err)
		if err == nil || !strings.Contains(err.Error(), "another kind") {
			t.Error(err)
		}
		o.fails("openat", "/g0", o.try(workload.Open, groups, 1))
		o.session.CloseAfterError()
		o.do(workload.FileOpen, 0, 0, func(b *workload.Batch) { b.Existing = true })
	})
}
