package h5

// #include "calls.h"
import "C"

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// SelectNone selects no element.
//
// Implements: H5Sselect_none
func SelectNone(space *hdf5.Dataspace) error {
	return status(C.H5Sselect_none(C.hid_t(space.ID())), "H5Sselect_none")
}

// SelectAll selects all elements.
//
// Implements: H5Sselect_all
func SelectAll(space *hdf5.Dataspace) error {
	return status(C.H5Sselect_all(C.hid_t(space.ID())), "H5Sselect_all")
}

// SelectSlab selects a regular hyperslab.
//
// Implements: H5Sselect_hyperslab
func SelectSlab(space *hdf5.Dataspace, h pattern.Hyperslab) error {
	rank := space.SimpleExtentNDims()
	if len(h.Start) != rank || len(h.Stride) != rank || len(h.Count) != rank || len(h.Block) != rank {
		return fmt.Errorf("hyperslab %+v in %d dimensions", h, rank)
	}
	rc := C.h5perf_select_slab(C.hid_t(space.ID()), sizePointer(h.Start), sizePointer(h.Stride), sizePointer(h.Count),
		sizePointer(h.Block))
	return status(rc, "H5Sselect_hyperslab")
}

// CheckCombineSelect returns an error if the library has no function that combines selections.
func CheckCombineSelect() error {
	if C.BUILT_MERGE == 0 {
		return missing("H5Scombine_select", "HDF5 1.10.6 or newer")
	}
	return nil
}

// SelectBoxes selects a union of boxes. starts holds the coordinates of the first element of each box, one box after
// another, and extents the extents of the boxes, which may be 0. SelectBoxes returns how many boxes it has selected:
// see FamilyMembers. If these are not all boxes, the selection must not be used.
//
// Implements: H5Sselect_hyperslab H5Scombine_select H5Sselect_copy
func SelectBoxes(
	space *hdf5.Dataspace, starts, extents []uint64, how workload.UnionMethod, stop unsafe.Pointer,
) (done uint64, err error) {
	n, err := numTuples(space, starts)
	if err != nil {
		return 0, err
	}
	if len(starts) != len(extents) {
		return 0, fmt.Errorf("boxes with %d numbers for first elements and %d for extents", len(starts), len(extents))
	}
	id, rank := C.hid_t(space.ID()), C.int(space.SimpleExtentNDims())
	if how == workload.UnionOr {
		return resultFromC(C.h5perf_add_boxes(id, rank, C.uint64_t(n), sizePointer(starts), sizePointer(extents),
			(*C.int32_t)(stop)))
	}
	if err := CheckCombineSelect(); err != nil {
		return 0, err
	}
	return resultFromC(C.h5perf_merge_boxes(id, rank, C.uint64_t(n), sizePointer(starts), sizePointer(extents),
		(*C.int32_t)(stop)))
}

// SelectPoints selects elements in the given order. points holds their coordinates, one element after another.
//
// Implements: H5Sselect_elements
func SelectPoints(space *hdf5.Dataspace, points []uint64) error {
	n, err := numTuples(space, points)
	if err != nil {
		return err
	}
	if n == 0 {
		return SelectNone(space)
	}
	rc := C.H5Sselect_elements(C.hid_t(space.ID()), C.H5S_SELECT_SET, C.size_t(n), sizePointer(points))
	return status(rc, "H5Sselect_elements")
}

// numTuples returns the number of tuples in numbers. A tuple has one number for each dimension of a dataspace.
func numTuples(space *hdf5.Dataspace, numbers []uint64) (int, error) {
	if len(numbers) == 0 {
		return 0, nil
	}
	rank := space.SimpleExtentNDims()
	if rank <= 0 || len(numbers)%rank != 0 {
		return 0, fmt.Errorf("%d numbers in %d dimensions", len(numbers), rank)
	}
	return len(numbers) / rank, nil
}
