//go:build cgo

package h5_test

import (
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/workload"
)

// objects holds the open objects of a test. close closes them in reverse order.
type objects struct {
	t    *testing.T
	open []io.Closer
}

func (o *objects) must(err error) {
	o.t.Helper()
	if err != nil {
		o.close()
		o.t.Fatal(err)
	}
}

func (o *objects) close() {
	o.t.Helper()
	for _, c := range slices.Backward(o.open) {
		if err := c.Close(); err != nil {
			o.t.Error(err)
		}
	}
	o.open = nil
}

// keep stores an object that a function returned. It fails the test if the function returned an error.
func (o *objects) keep(object io.Closer, err error) {
	o.t.Helper()
	o.must(err)
	o.open = append(o.open, object)
}

// serial runs a part of a test with a new file that uses the sec2 driver, and checks that all objects are closed at the
// end. It returns the path of the file.
func serial(t *testing.T, test func(o *objects, file *hdf5.File)) string {
	t.Helper()
	runtime.LockOSThread() // a thread-safe library has one error stack per thread
	defer runtime.UnlockOSThread()
	mark, path := h5test.NewMark(), filepath.Join(t.TempDir(), "x.h5")
	o := &objects{t: t}
	defer o.close()
	fapl, err := h5.NewAccessList()
	o.keep(fapl, err)
	o.must(h5.SetSec2(fapl))
	file, err := h5.CreateFile(path, nil, fapl)
	o.keep(file, err)
	test(o, file)
	o.close()
	if others := mark.Left(); others != 0 || h5test.OpenObjects() != 0 {
		t.Errorf("%d open objects, and %d other identifiers are left", h5test.OpenObjects(), others)
	}
	return path
}

// names returns names that the end of the test frees.
func names(t *testing.T, format string, first uint64) *engine.MemberNames {
	t.Helper()
	n, err := engine.NewMemberNames(format, first)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Free)
	return n
}

// shape returns the type, the dataspace and the creation list for datasets of a workload.
func (o *objects) shape(d workload.Object) h5.DatasetSettings {
	o.t.Helper()
	datatype, err := h5.NewFileType(d.Type)
	o.keep(datatype, err)
	list, err := h5.NewCreationList(&d)
	o.keep(list, err)
	return h5.DatasetSettings{Type: datatype, Space: o.space(d.Dims, d.MaxExtent), List: list}
}

func (o *objects) space(dims, most []uint64) *hdf5.Dataspace {
	o.t.Helper()
	space, err := h5.NewSpace(dims, most)
	o.keep(space, err)
	return space
}

// datasets creates datasets. o.close closes them.
func (o *objects) datasets(parent int64, format string, count uint64, s h5.DatasetSettings) []int64 {
	o.t.Helper()
	handles := make([]int64, count)
	m := h5.FamilyMembers{Names: names(o.t, format, 0), Parents: []int64{parent}, PerParent: count, Count: count}
	_, err := h5.CreateDatasets(m, s, handles)
	o.must(err)
	o.open = append(o.open, closer(func() error {
		_, err := h5.CloseObjects(workload.DatasetObject, handles, nil)
		return err
	}))
	return handles
}

type closer func() error

func (c closer) Close() error { return c() }

// dumped returns the output of h5dump, with single spaces.
func dumped(t *testing.T, path string, options ...string) string {
	t.Helper()
	out, err := exec.Command("h5dump", append(options, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("h5dump: %v\n%s", err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// contains checks that text contains the parts in this order.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("no %q, or not in its place, in %s", part, text)
			return
		}
		rest = after
	}
}

// done checks that a call did as many objects as expected, without an error.
func done(t *testing.T, what string, got uint64, err error, want uint64) {
	t.Helper()
	if err != nil || got != want {
		t.Errorf("%s: %d done, error %v; want %d done", what, got, err, want)
	}
}

// failed checks that a call failed as expected: the index of the object, the function, and a part of the reason.
func failed(t *testing.T, got uint64, err error, index uint64, call, reason string) {
	t.Helper()
	e, ok := errors.AsType[*h5.CallError](err)
	if !ok || got != index || e.Call != call || !strings.Contains(e.Stack, reason) {
		t.Errorf("%d done, error %v; want %d done, and %s with %q", got, err, index, call, reason)
	}
}

// The first parent gets the first members, up to Each, then the next parent. Names are numbered in each parent.
func TestManyObjectsInOneCall(t *testing.T) {
	path := serial(t, func(o *objects, file *hdf5.File) {
		groups, sets := make([]int64, 3), make([]int64, 7)
		top := h5.FamilyMembers{Names: names(t, "g%02d", 8), Parents: []int64{file.ID()}, PerParent: 3, Count: 3}
		n, err := h5.CreateGroups(top, nil, groups)
		done(t, "create groups", n, err, 3)
		d := workload.Object{Type: workload.Byte}
		leaves := h5.FamilyMembers{Names: names(t, "d%d", 1), Parents: groups, PerParent: 3, First: 1, Count: 7}
		n, err = h5.CreateDatasets(leaves, o.shape(d), sets)
		done(t, "create datasets", n, err, 7)
		if got := h5test.OpenObjects(); got != 1+1+3+7 {
			t.Errorf("%d open objects, want a file, a datatype, 3 groups and 7 datasets", got)
		}
		n, err = h5.CloseObjects(workload.DatasetObject, sets, nil)
		done(t, "close datasets", n, err, 7)
		n, err = h5.CloseObjects(workload.GroupObject, groups, nil)
		done(t, "close groups", n, err, 3)
		n, err = h5.OpenObjects(workload.GroupObject, top, groups)
		done(t, "open groups", n, err, 3)
		later := h5.FamilyMembers{Names: leaves.Names, Parents: groups[1:], PerParent: 3, First: 4, Count: 3}
		n, err = h5.OpenObjects(workload.DatasetObject, later, sets)
		done(t, "open datasets", n, err, 3)
		n, err = h5.CloseObjects(workload.DatasetObject, sets[:3], nil)
		done(t, "close datasets", n, err, 3)
		later.Count = 2
		n, err = h5.UnlinkObjects(later)
		done(t, "unlink", n, err, 2)
		n, err = h5.CloseObjects(workload.GroupObject, groups, nil)
		done(t, "close groups", n, err, 3)
	})
	text := dumped(t, path, "-n")
	contains(t, text, "group /g08 dataset /g08/d2 dataset /g08/d3 "+
		"group /g09 dataset /g09/d1 group /g10 dataset /g10/d1 dataset /g10/d2")
}

func TestTheIndexOfTheObjectThatFailed(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		in := []int64{file.ID()}
		shape := o.shape(workload.Object{Type: workload.Byte, Dims: []uint64{4}})
		o.datasets(file.ID(), "x3", 1, shape)
		m := h5.FamilyMembers{Names: names(t, "x%d", 0), Parents: in, PerParent: 5, Count: 5}
		handles := make([]int64, 5)
		n, err := h5.CreateGroups(m, nil, handles)
		failed(t, n, err, 3, "H5Gcreate2", "name already exists")
		_, err = h5.CloseObjects(workload.GroupObject, handles[:n], nil)
		o.must(err)
		m.First, m.Count = 3, 2
		n, err = h5.CreateDatasets(m, shape, handles)
		failed(t, n, err, 0, "H5Dcreate2", "name already exists")
		n, err = h5.OpenObjects(workload.DatasetObject, m, handles)
		failed(t, n, err, 1, "H5Dopen2", "doesn't exist")
		n, err = h5.CloseObjects(workload.DatasetObject, []int64{-1, handles[0]}, nil)
		failed(t, n, err, 0, "H5Dclose", "not a dataset")
		m.First = 2
		n, err = h5.OpenObjects(workload.GroupObject, m, handles)
		failed(t, n, err, 1, "H5Gopen2", "not a group")
		n, err = h5.CloseObjects(workload.GroupObject, []int64{handles[0], -1}, nil)
		failed(t, n, err, 1, "H5Gclose", "not a group")
		m.First = 3
		n, err = h5.UnlinkObjects(m)
		failed(t, n, err, 1, "H5Ldelete", "not exist")
	})
}

// The memory of the third identifier is the stop flag: creating the third object sets it.
func TestTheStopFlagIsPolledBetweenObjects(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		for _, kind := range []workload.ObjectKind{workload.GroupObject, workload.DatasetObject} {
			handles := make([]int64, 5)
			m := h5.FamilyMembers{
				Names: names(t, "x%d", uint64(10*kind)), Parents: []int64{file.ID()}, PerParent: 5, Count: 5,
				Stop: unsafe.Pointer(&handles[2]),
			}
			create := func() (uint64, error) { return h5.CreateGroups(m, nil, handles) }
			if kind == workload.DatasetObject {
				shape := o.shape(workload.Object{Type: workload.Byte})
				create = func() (uint64, error) { return h5.CreateDatasets(m, shape, handles) }
			}
			n, err := create()
			done(t, "create", n, err, 3)
			n, err = h5.CloseObjects(kind, handles[:3], m.Stop)
			done(t, "close with the flag set", n, err, 0)
			n, err = h5.CloseObjects(kind, handles[:3], nil)
			done(t, "close", n, err, 3)
			handles[2] = 0
			n, err = h5.OpenObjects(kind, m, handles)
			done(t, "open", n, err, 3)
			n, err = h5.CloseObjects(kind, handles[:3], nil)
			done(t, "close", n, err, 3)
			n, err = h5.UnlinkObjects(m)
			done(t, "unlink with the flag set", n, err, 0)
		}
	})
}

func TestExtend(t *testing.T) {
	path := serial(t, func(o *objects, file *hdf5.File) {
		d := workload.Object{
			Type: workload.Byte, Dims: []uint64{2, 3}, MaxExtent: []uint64{workload.Unlimited, 6},
			Chunk: []uint64{2, 3},
		}
		sets := o.datasets(file.ID(), "d%d", 3, o.shape(d))
		n, err := h5.ExtendDatasets(sets[:2], []uint64{8, 6}, nil)
		done(t, "extend", n, err, 2)
		stop := int32(1)
		n, err = h5.ExtendDatasets(sets, []uint64{9, 6}, unsafe.Pointer(&stop))
		done(t, "extend with the flag set", n, err, 0)
		n, err = h5.ExtendDatasets([]int64{sets[0], -1}, []uint64{8, 6}, nil)
		failed(t, n, err, 1, "H5Dset_extent", "dataset identifier")
		o.must(h5.Flush(file))
	})
	contains(t, dumped(t, path, "-H"), "( 8, 6 ) / ( H5S_UNLIMITED, 6 )", "( 8, 6 ) / ( H5S_UNLIMITED, 6 )",
		"( 2, 3 ) / ( H5S_UNLIMITED, 6 )")
}

func TestMembersWithoutPlacesAreRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic, with a parent too few")
		}
	}()
	m := h5.FamilyMembers{Parents: []int64{1, 2}, PerParent: 3, First: 2, Count: 5}
	_, _ = h5.CreateGroups(m, nil, make([]int64, 5))
}
