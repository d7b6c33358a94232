//go:build cgo && !nompi

package h5_test

import (
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// All MPI-IO implementations return the hint cb_buffer_size.
func testHintsInEffect(t *testing.T, world mpi.Comm) {
	for _, asked := range [][]units.KeyValue{nil, {}, {{Key: "cb_buffer_size", Value: "4194304"}}} {
		o := objects{t: t}
		got, err := h5.FileHints(o.createMPIO(world, asked))
		o.must(err)
		if len(asked) > 0 && !slices.Contains(got, asked[0]) {
			t.Errorf("hints in effect %v, asked for %v", got, asked)
		}
		o.close()
	}
}

// One process opens a file with a communicator of its own, without the other process.
func testFilesOfOneProcess(t *testing.T, world mpi.Comm) {
	own := world.Split(world.Rank(), 0)
	defer own.Free()
	dir := mpitest.Dir(t, world)
	if world.Rank() == 0 {
		return // opening a file of all processes would wait for this process
	}
	o := objects{t: t}
	fapl, err := h5.NewAccessList()
	o.keep(fapl, err)
	o.must(h5.SetMPIO(fapl, own.Handle(), nil))
	file, err := h5.CreateFile(filepath.Join(dir, "own.h5"), nil, fapl)
	o.keep(file, err)
	o.datasets(file.ID(), "d%d", 2, o.shape(workload.Object{Type: workload.Byte}))
	o.close()
}

// All processes create the same objects.
func testManyObjectsOfSeveralProcesses(t *testing.T, world mpi.Comm) {
	o := objects{t: t}
	defer o.close()
	file := o.createMPIO(world, nil)
	mark := h5test.NewMark()
	groups := make([]int64, 3)
	m := h5.FamilyMembers{Names: names(t, "g%d", 0), Parents: []int64{file.ID()}, PerParent: 3, Count: 3}
	n, err := h5.CreateGroups(m, nil, groups)
	done(t, "create groups", n, err, 3)
	filtered := workload.Object{
		Type: workload.Byte, Dims: []uint64{8}, Chunk: []uint64{4}, MaxExtent: []uint64{workload.Unlimited},
		Filters: []workload.Filter{{Name: "deflate", Level: 1}},
	}
	inner := objects{t: t}
	sets := inner.datasets(groups[1], "d%d", 2, inner.shape(filtered))
	n, err = h5.ExtendDatasets(sets, []uint64{16}, nil)
	done(t, "extend", n, err, 2)
	inner.close()
	a := inner.attribute("a%d", box, 2)
	n, err = h5.WriteAttributes(groups[2], a, append(valueOfBox(), valueOfBox()...))
	done(t, "write attributes", n, err, 2)
	inner.close()
	n, err = h5.CreateGroups(m, nil, groups)
	failed(t, n, err, 0, "H5Gcreate2", "name already exists")
	n, err = h5.CloseObjects(workload.GroupObject, groups, nil)
	done(t, "close", n, err, 3)
	n, err = h5.UnlinkObjects(m)
	done(t, "unlink", n, err, 3)
	if open, others := h5test.OpenObjects(), mark.Left(); open != 1 || others != 0 {
		t.Errorf("%d open objects, want a file; %d other identifiers are left", open, others)
	}
}

// One process closes its files before it closes the library, the other process leaves a file open.
func testClose(t *testing.T, world mpi.Comm) {
	own := world.Split(world.Rank(), 0)
	defer own.Free()
	if world.Rank() == 0 {
		closedFilesAreClosed(t, own)
	} else {
		closeTellsOfOpenFiles(t, own)
	}
}

// The library counts open objects correctly: an object of the binding holds no second reference to its file.
func closedFilesAreClosed(t *testing.T, world mpi.Comm) {
	t.Helper()
	o := objects{t: t}
	file := o.createMPIO(world, nil)
	list, err := h5.NewCreationList(&workload.Object{})
	o.keep(list, err)
	o.datasets(file.ID(), "d", 1,
		h5.DatasetSettings{Type: hdf5.T_STD_U8LE, Space: o.space([]uint64{datasetExtent}, nil), List: list})
	if n := h5test.OpenObjects(); n != 2 {
		t.Errorf("%d open objects, want a file and a dataset", n)
	}
	o.close()
	if n := h5test.OpenObjects(); n != 0 {
		t.Errorf("%d open objects after all were closed", n)
	}
	if err := h5.Close(); err != nil {
		t.Error(err)
	}
}

func closeTellsOfOpenFiles(t *testing.T, world mpi.Comm) {
	t.Helper()
	o := objects{t: t}
	o.createMPIO(world, nil)
	if err := h5.Close(); err == nil {
		t.Error("no error with a file still open")
	}
}
