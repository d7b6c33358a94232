package h5

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/workload"
)

// CreateLinks creates links.
//
// Implements: H5Lcreate_hard H5Lcreate_soft H5Lcreate_external
func CreateLinks(m FamilyMembers, l workload.Link) (done uint64, err error) {
	m.checkLengths(nil)
	file, path := C.CString(l.File), C.CString(l.Path)
	defer C.free(unsafe.Pointer(file))
	defer C.free(unsafe.Pointer(path))
	kind := map[workload.LinkKind]C.int{
		workload.HardLink: 'h', workload.SoftLink: 's', workload.ExternalLink: 'e',
	}[l.Kind]
	return resultFromC(C.h5perf_create_links(m.cMembers(), idPointer(m.Parents), kind, file, path))
}
