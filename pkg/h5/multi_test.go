//go:build cgo

package h5_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

// Each dataset has its own offset in the pool, its own selection, and its own type.
func TestSeveralDatasetsInOneCall(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		word := workload.Type{Class: workload.Unsigned, Size: 2}
		m := h5.MultiTransfer{
			List: hdf5.P_DEFAULT, Pool: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
			Offsets: []uint64{6, 0},
		}
		for i, datatype := range []workload.Type{workload.Byte, word} {
			d := workload.Object{Type: datatype, Dims: []uint64{4 - uint64(i)}}
			m.Datasets = append(m.Datasets, o.datasets(file.ID(), "d"+string(rune('0'+i)), 1, o.shape(d))...)
			memory, err := h5.NewMemoryType(datatype)
			o.keep(memory, err)
			space := o.space(d.Dims, nil)
			m.Types, m.MemorySpaces = append(m.Types, memory.ID()), append(m.MemorySpaces, space.ID())
			m.FileSpaces = append(m.FileSpaces, space.ID())
		}
		err := m.Write()
		if h5.CheckMulti() != nil {
			for _, err := range []error{err, m.Read(), h5.CheckMulti()} {
				if !errors.Is(err, h5.ErrNotInLibrary) || !strings.Contains(err.Error(), "H5Dwrite_multi") {
					t.Errorf("%v, want that the library does not have the call", err)
				}
			}
			return
		}
		o.must(err)
		pool := m.Pool
		m.Pool, m.Offsets = make([]byte, 10), []uint64{0, 4}
		o.must(m.Read())
		if want := append(slices.Clone(pool[6:]), pool[:6]...); !slices.Equal(m.Pool, want) {
			t.Errorf("read %v, want %v", m.Pool, want)
		}
		m.Datasets[1] = -1
		for call, err := range map[string]error{"H5Dwrite_multi": m.Write(), "H5Dread_multi": m.Read()} {
			failed(t, 0, err, 0, call, "not a dataset")
		}
	})
}

func TestMultiIsThereFrom1_14(t *testing.T) {
	if has := h5.CheckMulti() == nil; has != h5.VersionAtLeast(1, 14, 0) {
		t.Errorf("several datasets in one call: %v, with HDF5 %s", has, h5.Version())
	}
}
