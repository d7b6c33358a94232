//go:build cgo

package h5_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
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
			workload.Object{Fill: workload.FillPolicy{Time: "never", Allocate: "early"}},
			[]string{"H5D_FILL_TIME_NEVER", "H5D_ALLOC_TIME_EARLY"},
		},
		{
			workload.Object{Fill: workload.FillPolicy{Time: "alloc", Allocate: "late"}},
			[]string{"H5D_FILL_TIME_ALLOC", "H5D_ALLOC_TIME_LATE"},
		},
		{
			workload.Object{Dims: []uint64{8}, Chunk: []uint64{4}, Fill: workload.FillPolicy{Allocate: "incremental"}},
			[]string{"H5D_ALLOC_TIME_INCR"},
		},
		{
			workload.Object{Fill: workload.FillPolicy{Value: []byte{7}}},
			[]string{"FILLVALUE { FILL_TIME H5D_FILL_TIME_IFSET VALUE 7 }"},
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
			{Fill: workload.FillPolicy{Allocate: "soon"}},
			{Fill: workload.FillPolicy{Time: "late"}},
			{Type: workload.Byte, Fill: workload.FillPolicy{Value: []byte{1, 2}}},
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

// A file keeps about its objects what their creation lists say. The description of the file says the same.
func TestWhatTheLibraryKeepsAboutObjects(t *testing.T) {
	all := []workload.Tracking{
		{},
		{Attributes: workload.TrackedOrder},
		{Links: workload.TrackedOrder},
		{Links: workload.IndexedOrder, Attributes: workload.IndexedOrder},
		{NoTimes: true, Attributes: workload.IndexedOrder},
	}
	path := serial(t, func(o *objects, file *hdf5.File) {
		for i, tracking := range all {
			list, err := h5.NewGroupCreationList(tracking)
			o.keep(list, err)
			names, err := engine.NewMemberNames(fmt.Sprint("g", i), 0)
			o.must(err)
			group := []int64{0}
			m := h5.FamilyMembers{Names: names, Parents: []int64{file.ID()}, PerParent: 1, Count: 1}
			_, err = h5.CreateGroups(m, list, group)
			o.must(err)
			d := workload.Object{Type: workload.Byte, Tracking: tracking, Fill: workload.FillPolicy{Value: []byte{9}}}
			o.datasets(group[0], "d", 1, o.shape(d))
			_, err = h5.CloseObjects(workload.GroupObject, group, nil)
			o.must(err)
		}
	})
	d, err := h5.DescribeFile(path)
	if err != nil || len(d.Objects) != 1+2*len(all) {
		t.Fatalf("%v, %+v", err, d)
	}
	for i, o := range d.Objects[1:] {
		want := all[i/2]
		if o.Kind == workload.DatasetObject {
			want.Links = workload.NoOrder
		}
		if o.Tracking != want {
			t.Errorf("%s: %+v, want %+v", o.Path, o.Tracking, want)
		}
		if o.Kind == workload.DatasetObject && !slices.Equal(o.Fill.Value, []byte{9}) {
			t.Errorf("%s: fill value %v", o.Path, o.Fill.Value)
		}
	}
}
