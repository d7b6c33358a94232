package h5

// #include "calls.h"
import "C"

import (
	"syscall"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/workload"
)

// Members are some members of a family of like groups or datasets, as of workload.Object: Count members from member
// First on. Each parent has Each members, with the names 0 to Each - 1 of Names.
//
// The functions that do something to many objects in one call of C do it in the order of the members. They return how
// many were done. With an error this is the index of the object that failed. Without one, it is less than the number
// asked for if the stop flag was set meanwhile.
type Members struct {
	Names   *Names
	Parents []int64 // files or groups: the first holds member First
	Each    uint64
	First   uint64
	Count   uint64
	Stop    unsafe.Pointer // to an int32 that ends the call if it is not 0; nil: nothing does
}

// DatasetShape is what datasets are created with.
type DatasetShape struct {
	Type  *hdf5.Datatype
	Space *hdf5.Dataspace
	List  *hdf5.PropList
}

// CreateGroups creates groups, and stores their identifiers in handles.
//
// Implements: H5Gcreate2
func CreateGroups(m Members, handles []int64) (done uint64, err error) {
	m.checkPlaces(handles)
	return convertOutcome(C.h5perf_create_groups(m.cMembers(), idPointer(m.Parents), idPointer(handles)))
}

// CreateDatasets creates datasets, and stores their identifiers in handles.
//
// Implements: H5Dcreate2
func CreateDatasets(m Members, s DatasetShape, handles []int64) (done uint64, err error) {
	m.checkPlaces(handles)
	return convertOutcome(C.h5perf_create_datasets(m.cMembers(), idPointer(m.Parents), idPointer(handles),
		C.hid_t(s.Type.ID()), C.hid_t(s.Space.ID()), C.hid_t(s.List.ID())))
}

// OpenObjects opens groups or datasets, and stores their identifiers in handles.
//
// Implements: H5Gopen2 H5Dopen2
func OpenObjects(kind workload.ObjectKind, m Members, handles []int64) (done uint64, err error) {
	m.checkPlaces(handles)
	if kind == workload.GroupObject {
		return convertOutcome(C.h5perf_open_groups(m.cMembers(), idPointer(m.Parents), idPointer(handles)))
	}
	return convertOutcome(C.h5perf_open_datasets(m.cMembers(), idPointer(m.Parents), idPointer(handles)))
}

// CloseObjects closes groups or datasets. If one fails, those after it are closed, too.
func CloseObjects(kind workload.ObjectKind, handles []int64, stop unsafe.Pointer) (done uint64, err error) {
	done, err = closeObjects(kind, handles, stop)
	for at, failed := done, err; failed != nil; {
		at++
		var more uint64
		more, failed = closeObjects(kind, handles[at:], nil)
		at += more
	}
	return done, err
}

// closeObjects closes groups or datasets until one fails.
//
// Implements: H5Gclose H5Dclose
func closeObjects(kind workload.ObjectKind, handles []int64, stop unsafe.Pointer) (done uint64, err error) {
	n := C.uint64_t(len(handles))
	if kind == workload.GroupObject {
		return convertOutcome(C.h5perf_close_groups(idPointer(handles), n, (*C.int32_t)(stop)))
	}
	return convertOutcome(C.h5perf_close_datasets(idPointer(handles), n, (*C.int32_t)(stop)))
}

// ExtendDatasets sets the extent of datasets, which has one number for each of their dimensions.
//
// Implements: H5Dset_extent
func ExtendDatasets(sets []int64, extent []uint64, stop unsafe.Pointer) (done uint64, err error) {
	return convertOutcome(C.h5perf_extend(idPointer(sets), C.uint64_t(len(sets)), sizePointer(extent),
		(*C.int32_t)(stop)))
}

// UnlinkObjects removes the links to objects.
//
// Implements: H5Ldelete
func UnlinkObjects(m Members) (done uint64, err error) {
	m.checkPlaces(nil)
	return convertOutcome(C.h5perf_unlink(m.cMembers(), idPointer(m.Parents)))
}

// checkPlaces panics if there are too few parents, or too few places for handles. nil stands for no handles.
func (m Members) checkPlaces(handles []int64) {
	if m.Count == 0 {
		return
	}
	_ = m.Parents[(m.First%m.Each+m.Count-1)/m.Each]
	if handles != nil {
		_ = handles[m.Count-1]
	}
}

// cMembers returns the members without their parents, for C.
func (m Members) cMembers() C.h5perf_members {
	return C.h5perf_members{
		names: m.Names.c, each: C.uint64_t(m.Each), first: C.uint64_t(m.First), count: C.uint64_t(m.Count),
		stop: (*C.int32_t)(m.Stop),
	}
}

// convertOutcome returns what a call did, and the error of the function that failed.
func convertOutcome(o C.h5perf_outcome) (done uint64, err error) {
	if o.call == nil {
		return uint64(o.done), nil
	}
	var errno error
	if o.system != 0 {
		errno = syscall.Errno(o.system)
	}
	return uint64(o.done), NewCallErrorWith(C.GoString(o.call), errno)
}

// idPointer returns the address of identifiers.
func idPointer(ids []int64) *C.hid_t { return (*C.hid_t)(unsafe.SliceData(ids)) }

// sizePointer returns the address of numbers of elements.
func sizePointer(numbers []uint64) *C.hsize_t { return (*C.hsize_t)(unsafe.SliceData(numbers)) }
