package h5

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"syscall"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// FamilyMembers describes the groups or datasets with the numbers First to First + Count - 1 of a family of similar
// objects: see workload.Object. Each parent contains PerParent of them, with the names 0 to PerParent - 1 of Names.
//
// Functions that process many objects in one call of C do so in the order of the members. They return how many objects
// they have processed. With an error, this is the index of the object that failed. Without an error, it is less than
// the number of objects if the stop flag was set during the call.
type FamilyMembers struct {
	Names     *engine.MemberNames
	Parents   []int64 // files or groups; the first one contains member First
	PerParent uint64
	First     uint64
	Count     uint64
	Stop      unsafe.Pointer // points to an int32 that ends the call if it is not 0; may be nil
}

// DatasetSettings holds the type, the dataspace and the creation list of new datasets.
type DatasetSettings struct {
	Type     *hdf5.Datatype
	Space    *hdf5.Dataspace
	List     *hdf5.PropList
	External ExternalStorage
}

// ExternalStorage is where the data of new datasets are, if not in their file. The member with number m has Bytes
// bytes, from byte Base + m × Stride of another file on.
type ExternalStorage struct {
	Path                string // absolute, since HDF5 looks for others where its environment says; "": in their file
	Base, Stride, Bytes uint64
}

// CreateGroups creates groups, and stores their identifiers in handles. list is a group creation list, or nil for the
// library's defaults.
//
// Implements: H5Gcreate2
func CreateGroups(m FamilyMembers, list *hdf5.PropList, handles []int64) (done uint64, err error) {
	m.checkLengths(handles)
	gcpl := C.hid_t(C.H5P_DEFAULT)
	if list != nil {
		gcpl = C.hid_t(list.ID())
	}
	return resultFromC(C.h5perf_create_groups(m.cMembers(), idPointer(m.Parents), idPointer(handles), gcpl))
}

// CreateDatasets creates datasets, and stores their identifiers in handles.
//
// Implements: H5Dcreate2 H5Pset_external
func CreateDatasets(m FamilyMembers, s DatasetSettings, handles []int64) (done uint64, err error) {
	m.checkLengths(handles)
	external := C.h5perf_external{
		base: C.uint64_t(s.External.Base), stride: C.uint64_t(s.External.Stride), bytes: C.hsize_t(s.External.Bytes),
	}
	if s.External.Path != "" {
		external.file = C.CString(s.External.Path)
		defer C.free(unsafe.Pointer(external.file))
	}
	return resultFromC(C.h5perf_create_datasets(m.cMembers(), idPointer(m.Parents), idPointer(handles),
		C.hid_t(s.Type.ID()), C.hid_t(s.Space.ID()), C.hid_t(s.List.ID()), external))
}

// OpenObjects opens groups or datasets, and stores their identifiers in handles.
//
// Implements: H5Gopen2 H5Dopen2
func OpenObjects(kind workload.ObjectKind, m FamilyMembers, handles []int64) (done uint64, err error) {
	m.checkLengths(handles)
	if kind == workload.GroupObject {
		return resultFromC(C.h5perf_open_groups(m.cMembers(), idPointer(m.Parents), idPointer(handles)))
	}
	return resultFromC(C.h5perf_open_datasets(m.cMembers(), idPointer(m.Parents), idPointer(handles)))
}

// CloseObjects closes groups or datasets. If one fails, it still closes the objects after it. done is the number of
// objects before the first object that failed.
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

// closeObjects closes groups or datasets until a call fails.
//
// Implements: H5Gclose H5Dclose
func closeObjects(kind workload.ObjectKind, handles []int64, stop unsafe.Pointer) (done uint64, err error) {
	n := C.uint64_t(len(handles))
	if kind == workload.GroupObject {
		return resultFromC(C.h5perf_close_groups(idPointer(handles), n, (*C.int32_t)(stop)))
	}
	return resultFromC(C.h5perf_close_datasets(idPointer(handles), n, (*C.int32_t)(stop)))
}

// ExtendDatasets sets the extent of datasets. extent has one number for each dimension.
//
// Implements: H5Dset_extent
func ExtendDatasets(sets []int64, extent []uint64, stop unsafe.Pointer) (done uint64, err error) {
	return resultFromC(C.h5perf_extend(idPointer(sets), C.uint64_t(len(sets)), sizePointer(extent),
		(*C.int32_t)(stop)))
}

// UnlinkObjects removes the links from their parents to objects.
//
// Implements: H5Ldelete
func UnlinkObjects(m FamilyMembers) (done uint64, err error) {
	m.checkLengths(nil)
	return resultFromC(C.h5perf_unlink(m.cMembers(), idPointer(m.Parents)))
}

// checkLengths panics if Parents or handles is too short. If handles is nil, it is not checked.
func (m FamilyMembers) checkLengths(handles []int64) {
	if m.Count == 0 {
		return
	}
	_ = m.Parents[(m.First%m.PerParent+m.Count-1)/m.PerParent]
	if handles != nil {
		_ = handles[m.Count-1]
	}
}

// cMembers returns the struct of C for these members of an object family. It leaves out the objects that contain them.
func (m FamilyMembers) cMembers() C.h5perf_members {
	return C.h5perf_members{
		names: (*C.h5perf_names)(m.Names.Pointer()), each: C.uint64_t(m.PerParent),
		first: C.uint64_t(m.First), count: C.uint64_t(m.Count), stop: (*C.int32_t)(m.Stop),
	}
}

// resultFromC returns how many objects a function in C has processed, and the error of the HDF5 function that failed,
// or nil.
func resultFromC(o C.h5perf_outcome) (done uint64, err error) {
	if o.call == nil {
		return uint64(o.done), nil
	}
	if o.reason != nil {
		return uint64(o.done), &CallError{C.GoString(o.call), C.GoString(o.reason)}
	}
	var errno error
	if o.system != 0 {
		errno = syscall.Errno(o.system)
	}
	return uint64(o.done), NewCallErrorWith(C.GoString(o.call), errno)
}

// idPointer returns the address of the first identifier.
func idPointer(ids []int64) *C.hid_t { return (*C.hid_t)(unsafe.SliceData(ids)) }

// sizePointer returns the address of the first number.
func sizePointer(numbers []uint64) *C.hsize_t { return (*C.hsize_t)(unsafe.SliceData(numbers)) }
