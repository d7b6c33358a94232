//go:build cgo

package h5_test

import (
	"errors"
	"slices"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

func TestCreationLists(t *testing.T) {
	chunked := func(filters ...workload.Filter) workload.Object {
		return workload.Object{Dims: []uint64{64}, Chunk: []uint64{32}, Filters: filters}
	}
	all := []struct {
		object workload.Object
		want   []string // in the output of h5dump
	}{
		{workload.Object{}, []string{"SCALAR", "CONTIGUOUS", "FILTERS { NONE }"}},
		{workload.Object{Dims: []uint64{3}, Compact: true}, []string{"COMPACT"}},
		{chunked(), []string{"CHUNKED ( 32 )", "FILTERS { NONE }", "H5D_FILL_TIME_IFSET", "H5D_ALLOC_TIME_INCR"}},
		{
			chunked(workload.Filter{Name: "shuffle"}, workload.Filter{Name: "deflate", Level: 3}),
			[]string{"FILTERS { PREPROCESSING SHUFFLE COMPRESSION DEFLATE { LEVEL 3 } }"},
		},
		{chunked(workload.Filter{Name: "fletcher32"}), []string{"CHECKSUM FLETCHER32"}},
		{chunked(workload.Filter{Name: "szip", Level: 8}), []string{"COMPRESSION SZIP { PIXELS_PER_BLOCK 8"}},
		{
			workload.Object{Fill: workload.Fill{Time: "never", Allocate: "early"}},
			[]string{"H5D_FILL_TIME_NEVER", "H5D_ALLOC_TIME_EARLY"},
		},
		{
			workload.Object{Fill: workload.Fill{Time: "alloc", Allocate: "late"}},
			[]string{"H5D_FILL_TIME_ALLOC", "H5D_ALLOC_TIME_LATE"},
		},
		{
			workload.Object{Dims: []uint64{8}, Chunk: []uint64{4}, Fill: workload.Fill{Allocate: "incremental"}},
			[]string{"H5D_ALLOC_TIME_INCR"},
		},
	}
	for _, c := range all {
		if lacksFilter(c.object) {
			continue
		}
		path := serial(t, func(o *objects, file *hdf5.File) {
			c.object.Type = workload.Byte
			o.datasets(file.ID(), "d", 1, o.shape(c.object))
		})
		contains(t, dumped(t, path, "-p", "-H"), c.want...)
	}
}

// lacksFilter reports whether the library lacks any filter of a dataset.
func lacksFilter(o workload.Object) bool {
	return slices.ContainsFunc(o.Filters, func(f workload.Filter) bool {
		return errors.Is(h5.CheckFilter(f.Name), h5.ErrNotInLibrary)
	})
}

func TestCreationListsThatAreRefused(t *testing.T) {
	serial(t, func(_ *objects, _ *hdf5.File) {
		for _, o := range []workload.Object{
			{Filters: []workload.Filter{{Name: "zip"}}},
			{Chunk: []uint64{0}},
			{Chunk: []uint64{8}, Filters: []workload.Filter{{Name: "szip", Level: 0}}},
			{Chunk: []uint64{8}, Filters: []workload.Filter{{Name: "szip", Level: 34}}},
			{Chunk: []uint64{8}, Filters: []workload.Filter{{Name: "szip", Level: -2}}},
			{Fill: workload.Fill{Allocate: "soon"}},
			{Fill: workload.Fill{Time: "late"}},
			{Chunk: []uint64{8}, Filters: []workload.Filter{{Name: "deflate", Level: 10}}},
		} {
			if _, err := h5.NewCreationList(&o); !lacksFilter(o) && (err == nil || errors.Is(err, h5.ErrNotInLibrary)) {
				t.Errorf("%+v: error %v", o, err)
			}
		}
		if _, err := h5.NewSpace([]uint64{1, 2}, []uint64{1}); err == nil {
			t.Error("no error for extents of different numbers of dimensions")
		}
	})
}
