//go:build cgo && !nompi

package h5_test

import (
	"slices"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/h5/h5test"
	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"
)

// cb_buffer_size is a key that all MPI-IO implementations return.
func testHintsInEffect(t *testing.T, world mpi.Comm) {
	for _, asked := range [][]kv.KeyValue{nil, {}, {{Key: "cb_buffer_size", Value: "4194304"}}} {
		o := objects{t: t}
		got, err := h5.Hints(o.createMPIO(world, asked))
		o.must(err)
		if len(asked) > 0 && !slices.Contains(got, asked[0]) {
			t.Errorf("hints in effect %v, asked for %v", got, asked)
		}
		o.close()
	}
}

// One process closes its files before it closes the library, the other leaves one open.
func testClose(t *testing.T, world mpi.Comm) {
	own := world.Split(world.Rank(), 0)
	defer own.Free()
	if world.Rank() == 0 {
		closedFilesAreClosed(t, own)
	} else {
		closeTellsOfOpenFiles(t, own)
	}
}

// What is left open is found; a file of the binding holds no second reference to the file of the library.
func closedFilesAreClosed(t *testing.T, world mpi.Comm) {
	t.Helper()
	o := objects{t: t}
	file := o.createMPIO(world, nil)
	space, err := hdf5.CreateSimpleDataspace([]uint{extent}, nil)
	o.keep(space, err)
	dcpl, err := hdf5.NewPropList(hdf5.P_DATASET_CREATE)
	o.keep(dcpl, err)
	set, err := h5.CreateDataset(file, "d", hdf5.T_STD_U8LE, space, dcpl)
	o.must(err)
	if n := h5test.OpenObjects(); n != 2 {
		t.Errorf("%d open objects, want a file and a dataset", n)
	}
	o.must(set.Close())
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
