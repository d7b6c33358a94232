package h5

// #include "calls.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// infoFields holds what HDF5 is asked beyond the basic information.
var infoFields = map[workload.ObjectInfo]C.uint{
	workload.BasicInfo:      0,
	workload.TimeInfo:       C.H5PERF_INFO_TIME,
	workload.AttributesInfo: C.H5PERF_INFO_ATTRIBUTES,
	workload.HeaderInfo:     C.H5PERF_INFO_HEADER,
	workload.StorageInfo:    C.H5PERF_INFO_STORAGE,
	workload.AllInfo: C.H5PERF_INFO_TIME | C.H5PERF_INFO_ATTRIBUTES | C.H5PERF_INFO_HEADER |
		C.H5PERF_INFO_STORAGE,
}

// StatObjects asks the library about objects, or about the links themselves if the objects are links. It returns an
// error if one is of another kind than o.
//
// Implements: H5Oget_info_by_name2 H5Oget_info_by_name3 H5Oget_native_info_by_name H5Lget_info
func StatObjects(m FamilyMembers, o *workload.Object, info workload.ObjectInfo) (done uint64, err error) {
	m.checkLengths(nil)
	kind, link := C.int(C.H5O_TYPE_GROUP), C.int(0)
	switch o.Kind {
	case workload.GroupObject:
	case workload.DatasetObject:
		kind = C.H5O_TYPE_DATASET
	case workload.LinkObject:
		link = 1
		kind = map[workload.LinkKind]C.int{
			workload.HardLink: C.H5L_TYPE_HARD, workload.SoftLink: C.H5L_TYPE_SOFT,
			workload.ExternalLink: C.H5L_TYPE_EXTERNAL,
		}[o.Link.Kind]
	}
	return resultFromC(C.h5perf_stat(m.cMembers(), idPointer(m.Parents), kind, link, infoFields[info]))
}

// ListedLevel is a level of objects below a listed group: their names, and how many a group has.
type ListedLevel struct {
	Names    *engine.MemberNames
	PerGroup uint64
}

// ListMembers lists groups, and with visits also all that is below them. It returns an error unless it finds all
// objects of the last level exactly once. Without visits there is one level. done is the number of groups.
//
// Implements: H5Literate H5Ovisit2 H5Ovisit3
func ListMembers(groups []int64, levels []ListedLevel, visits bool, stop unsafe.Pointer) (done uint64, err error) {
	var names [C.H5PERF_MAXLEVELS]*C.h5perf_names
	var each [C.H5PERF_MAXLEVELS]C.uint64_t
	expected, deep := C.uint64_t(1), C.int(0)
	if visits {
		deep = 1
	}
	for i, l := range levels {
		names[i], each[i] = (*C.h5perf_names)(l.Names.Pointer()), C.uint64_t(l.PerGroup)
		expected *= each[i]
	}
	return resultFromC(C.h5perf_list_members(idPointer(groups), C.uint64_t(len(groups)), &names[0], &each[0],
		C.int(len(levels)), deep, expected, (*C.int32_t)(stop)))
}

// RenameObjects gives objects other names in the same groups: those of the members with the same numbers.
//
// Implements: H5Lmove
func RenameObjects(m FamilyMembers, newNames *engine.MemberNames) (done uint64, err error) {
	m.checkLengths(nil)
	return resultFromC(C.h5perf_rename(m.cMembers(), idPointer(m.Parents), (*C.h5perf_names)(newNames.Pointer())))
}
