package h5

// #include "calls.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/workload"
)

// filters holds the filters of the library by name.
var filters = map[string]struct {
	id  C.H5Z_filter_t
	set func(dcpl C.hid_t, level int) error
}{
	"deflate": {C.H5Z_FILTER_DEFLATE, func(dcpl C.hid_t, level int) error {
		return status(C.H5Pset_deflate(dcpl, C.uint(level)), "H5Pset_deflate")
	}},
	"shuffle": {C.H5Z_FILTER_SHUFFLE, func(dcpl C.hid_t, _ int) error {
		return status(C.H5Pset_shuffle(dcpl), "H5Pset_shuffle")
	}},
	"szip": {C.H5Z_FILTER_SZIP, func(dcpl C.hid_t, level int) error {
		if level == 0 { // the library accepts it, but divides by it when a dataset is created
			return errors.New("the filter szip has blocks of 0 pixels: use 2 to 32")
		}
		return status(C.H5Pset_szip(dcpl, C.H5_SZIP_NN_OPTION_MASK, C.uint(level)), "H5Pset_szip")
	}},
	"fletcher32": {C.H5Z_FILTER_FLETCHER32, func(dcpl C.hid_t, _ int) error {
		return status(C.H5Pset_fletcher32(dcpl), "H5Pset_fletcher32")
	}},
	"nbit": {C.H5Z_FILTER_NBIT, func(dcpl C.hid_t, _ int) error {
		return status(C.H5Pset_nbit(dcpl), "H5Pset_nbit")
	}},
	"scaleoffset": {C.H5Z_FILTER_SCALEOFFSET, func(dcpl C.hid_t, _ int) error { // bits as the values need
		return status(C.H5Pset_scaleoffset(dcpl, C.H5Z_SO_INT, C.H5Z_SO_INT_MINBITS_DEFAULT), "H5Pset_scaleoffset")
	}},
	"zstd": {C.H5PERF_ZSTD, func(dcpl C.hid_t, level int) error {
		return setFilter(dcpl, C.H5PERF_ZSTD, uint32(level))
	}},
	"lz4": {C.H5PERF_LZ4, func(dcpl C.hid_t, _ int) error { return setFilter(dcpl, C.H5PERF_LZ4) }},
}

// Filters returns the names of the filters that datasets can have, in alphabetical order. The library may lack some of
// them: see CheckFilter.
func Filters() []string { return slices.Sorted(maps.Keys(filters)) }

// CheckFilter returns an error if the library does not have a filter, or cannot write with it. name is one of Filters.
// It adds zstd and lz4 to a library that does not have them. Call it before a file with them is written or read.
func CheckFilter(name string) error {
	f, known := filters[name]
	if !known {
		return fmt.Errorf("filter %q is not known", name)
	}
	return checkFilterID(name, f.id)
}

// checkFilterID does the same check as CheckFilter, for the filter with the number id.
//
// Implements: H5Zfilter_avail H5Zget_filter_info H5Zregister
func checkFilterID(name string, id C.H5Z_filter_t) error {
	can := C.h5perf_can_filter(id)
	if can < 0 {
		return fmt.Errorf("filter %s: %w", name, NewCallError("H5Zfilter_avail"))
	}
	if library := (workload.Filter{Name: name}).Library(); can == 0 && library != "" {
		return missing("writing with the filter "+name, "a plugin for HDF5, or install "+library)
	}
	if can == 0 {
		return missing("writing with the filter "+name, "an HDF5 that was configured with it")
	}
	return nil
}

// NewCreationList returns a dataset creation list for a family of datasets. It sets the storage, the filters, and when
// storage is allocated and filled. The filters deflate and zstd have their level as parameter; szip has the number of
// pixels in a block.
func NewCreationList(o *workload.Object) (*hdf5.PropList, error) {
	list, err := newPropList(C.h5perf_dataset_create())
	if err != nil {
		return nil, err
	}
	if err := setCreation(list, o); err != nil {
		_ = list.Close()
		return nil, err
	}
	return list, nil
}

// setCreation sets the properties of a family of datasets in a new list.
func setCreation(list *hdf5.PropList, o *workload.Object) error {
	if err := setLayout(C.hid_t(list.ID()), o); err != nil {
		return err
	}
	for _, f := range o.Filters {
		if f.Name == "" {
			if err := setNumberedFilter(C.hid_t(list.ID()), f); err != nil {
				return err
			}
			continue
		}
		if err := CheckFilter(f.Name); err != nil {
			return err
		}
		if err := filters[f.Name].set(C.hid_t(list.ID()), f.Level); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{"fill-time": o.Fill.Time, "allocation-time": o.Fill.Allocate} {
		if value != "" {
			if err := SetByName(list, name, value); err != nil {
				return err
			}
		}
	}
	if err := setFillValue(C.hid_t(list.ID()), o); err != nil {
		return err
	}
	return setObjectTracking(C.hid_t(list.ID()), o.Tracking)
}

// setNumberedFilter adds a filter that the library has, or finds in a plugin, by its number.
func setNumberedFilter(dcpl C.hid_t, f workload.Filter) error {
	id := C.H5Z_filter_t(f.Number)
	if err := checkFilterID(fmt.Sprint(f.Number), id); err != nil {
		return err
	}
	return setFilter(dcpl, id, f.Values...)
}

// setFilter adds a filter with parameters by its number.
//
// Implements: H5Pset_filter
func setFilter(dcpl C.hid_t, id C.H5Z_filter_t, parameters ...uint32) error {
	values := (*C.uint)(unsafe.SliceData(parameters))
	return status(C.H5Pset_filter(dcpl, id, C.H5Z_FLAG_OPTIONAL, C.size_t(len(parameters)), values), "H5Pset_filter")
}

// setFillValue sets the value with which the library fills a dataset.
//
// Implements: H5Pset_fill_value
func setFillValue(dcpl C.hid_t, o *workload.Object) error {
	if o.Fill.Value == nil {
		return nil
	}
	if uint64(len(o.Fill.Value)) != o.Type.Bytes() {
		return fmt.Errorf("a fill value of %d bytes for elements of %d", len(o.Fill.Value), o.Type.Bytes())
	}
	typ, err := newDatatype(o.Type, 0)
	if err != nil {
		return err
	}
	defer C.H5Tclose(typ)
	return status(C.H5Pset_fill_value(dcpl, typ, unsafe.Pointer(&o.Fill.Value[0])), "H5Pset_fill_value")
}

// setLayout sets chunked or compact storage. Contiguous storage is the default.
//
// Implements: H5Pset_chunk H5Pset_layout
func setLayout(dcpl C.hid_t, o *workload.Object) error {
	switch {
	case o.Chunk != nil:
		return status(C.H5Pset_chunk(dcpl, C.int(len(o.Chunk)), sizePointer(o.Chunk)), "H5Pset_chunk")
	case o.Compact:
		return status(C.H5Pset_layout(dcpl, C.H5D_COMPACT), "H5Pset_layout")
	default:
		return nil
	}
}
