//go:build cgo && !nompi

package h5_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/units"
)

// slab is a hyperslab of one dimension: start, stride, count, block. With a count of 1 it is singular.
type slab [4]uint64

// transfer is one H5Dwrite by three processes to a dataset of 240 bytes. It requests collective mode.
type transfer struct {
	name        string
	chunk       uint                     // extent of a chunk; 0: contiguous layout
	slabs       func(rank uint64) []slab // the selection is their union; two or more are irregular
	convert     bool                     // convert bytes in the file from 2-byte integers in memory
	independent bool                     // do not request collective mode
}

const datasetExtent = 240

// According to the documentation of HDF5 1.6.3, collective mode needs regular selections. With chunks it needs either
// one chunk for all processes, or singular selections and the same number of chunks for each process. None of this is
// still true.
func testCollectiveWhateverTheSelection(t *testing.T, world mpi.Comm) {
	one := func(f func(r uint64) slab) func(uint64) []slab {
		return func(r uint64) []slab { return []slab{f(r)} }
	}
	singular := one(func(r uint64) slab { return slab{r * 80, 1, 1, 80} })
	interleaved := one(func(r uint64) slab { return slab{r * 10, 30, 8, 10} })
	irregular := func(r uint64) []slab { return []slab{{r * 80, 1, 1, 10}, {r*80 + 15, 1, 1, 47}} }
	notAll := func(r uint64) []slab { return []slab{{r * 80, 1, 1, 10}}[:min(r, 1)] }
	for _, w := range []transfer{
		{name: "contiguous layout, singular", slabs: singular},
		{name: "contiguous layout, regular", slabs: interleaved},
		{name: "contiguous layout, irregular", slabs: irregular},
		{name: "contiguous layout, nothing on one process", slabs: notAll},
		{name: "one chunk, all selections in it, regular", chunk: 240, slabs: interleaved},
		{
			name: "several chunks, all selections in one, regular", chunk: 120,
			slabs: one(func(r uint64) slab { return slab{r * 10, 30, 4, 10} }),
		},
		{name: "as many chunks for each process, singular", chunk: 40, slabs: singular},
		{
			name: "more chunks for some processes, singular", chunk: 40,
			slabs: one(func(r uint64) slab { return slab{r * 80, 1, 1, 20 + 30*r} }),
		},
		{
			name: "as many chunks for each process, not singular", chunk: 40,
			slabs: one(func(r uint64) slab { return slab{r * 80, 40, 2, 20} }),
		},
		{name: "a chunk for each block, interleaved", chunk: 10, slabs: interleaved},
		{name: "several chunks, irregular", chunk: 40, slabs: irregular},
		{name: "several chunks, nothing on one process", chunk: 40, slabs: notAll},
	} {
		got := w.run(t, world)
		want := h5.CollectiveReport{Collective: 1, Modes: []string{"H5D_MPIO_CONTIGUOUS_COLLECTIVE"}}
		if w.chunk > 0 {
			want.Modes, want.Optimizations = []string{"H5D_MPIO_CHUNK_COLLECTIVE"}, []string{"H5D_MPIO_LINK_CHUNK"}
		}
		w.compare(t, got, want)
	}
}

// Before selection I/O (1.14), transfers that convert data were independent.
func testCollectiveWithConversionSince1_14(t *testing.T, world mpi.Comm) {
	for _, w := range []transfer{
		{name: "contiguous layout, conversion", convert: true},
		{name: "chunks, conversion", chunk: 40, convert: true},
	} {
		w.slabs = func(r uint64) []slab { return []slab{{r * 80, 1, 1, 80}} }
		got := w.run(t, world)
		if h5.VersionAtLeast(1, 14, 0) {
			w.compare(t, got, h5.CollectiveReport{Collective: 1, Modes: got.Modes, Optimizations: got.Optimizations})
			continue
		}
		cause := []string{"H5D_MPIO_DATATYPE_CONVERSION"}
		w.compare(t, got, h5.CollectiveReport{
			Independent: 1, Modes: []string{"H5D_MPIO_NO_COLLECTIVE"}, Optimizations: got.Optimizations,
			LocalCauses: cause, GlobalCauses: cause,
		})
	}
}

func testIndependentTransfersAreToldAsSuch(t *testing.T, world mpi.Comm) {
	w := transfer{name: "independent", independent: true}
	w.slabs = func(r uint64) []slab { return []slab{{r * 80, 1, 1, 80}} }
	cause := []string{"H5D_MPIO_SET_INDEPENDENT"}
	w.compare(t, w.run(t, world), h5.CollectiveReport{
		Independent: 1, Modes: []string{"H5D_MPIO_NO_COLLECTIVE"},
		Optimizations: []string{"H5D_MPIO_NO_CHUNK_OPTIMIZATION"},
		LocalCauses:   cause, GlobalCauses: cause,
	})
}

func (w transfer) compare(t *testing.T, got, want h5.CollectiveReport) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: HDF5 %s did %+v, want %+v", w.name, h5.Version(), got, want)
	}
}

// run executes the transfer in a new file.
func (w transfer) run(t *testing.T, world mpi.Comm) h5.CollectiveReport {
	t.Helper()
	o := objects{t: t}
	defer o.close()
	file := o.createMPIO(world, nil)
	dcpl, err := hdf5.NewPropList(hdf5.P_DATASET_CREATE)
	o.keep(dcpl, err)
	if w.chunk > 0 {
		o.must(dcpl.SetChunk([]uint{w.chunk}))
	}
	space, err := hdf5.CreateSimpleDataspace([]uint{datasetExtent}, nil)
	o.keep(space, err)
	set := o.datasets(file.ID(), "d", 1, h5.DatasetSettings{Type: hdf5.T_STD_U8LE, Space: space, List: dcpl})[0]
	o.must(h5test.SelectNone(space))
	var selected uint
	for _, s := range w.slabs(uint64(world.Rank())) {
		o.must(h5test.AddHyperslab(space, s[:1], s[1:2], s[2:3], s[3:]))
		selected += uint(s[2] * s[3])
	}
	memory, err := hdf5.CreateSimpleDataspace([]uint{max(selected, 1)}, nil)
	o.keep(memory, err)
	if selected == 0 {
		o.must(h5test.SelectNone(memory))
	}
	dxpl, err := h5.NewTransferList()
	o.keep(dxpl, err)
	if !w.independent {
		o.must(h5.SetCollective(dxpl))
	}
	datatype := hdf5.T_STD_U8LE
	if w.convert {
		datatype = hdf5.T_STD_U16LE
	}
	o.must(h5test.Write(set, datatype, memory, space, dxpl, make([]byte, max(selected, 1)*datatype.Size())))
	used, err := h5test.Account(dxpl)
	o.must(err)
	return used
}

// createMPIO creates a file with the mpio driver.
func (o *objects) createMPIO(world mpi.Comm, hints []units.KeyValue) *hdf5.File {
	o.t.Helper()
	fapl, err := h5.NewAccessList()
	o.keep(fapl, err)
	o.must(h5.SetMPIO(fapl, world.Handle(), hints))
	file, err := h5.CreateFile(filepath.Join(mpitest.Dir(o.t, world), "x.h5"), nil, fapl)
	o.keep(file, err)
	return file
}
