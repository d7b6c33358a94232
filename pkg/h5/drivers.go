package h5

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/hdf5"
)

// SetSec2 sets the sec2 driver.
//
// Implements: H5Pset_fapl_sec2
func SetSec2(fapl *hdf5.PropList) error {
	return status(C.H5Pset_fapl_sec2(C.hid_t(fapl.ID())), "H5Pset_fapl_sec2")
}

// SetStdio sets the stdio driver.
//
// Implements: H5Pset_fapl_stdio
func SetStdio(fapl *hdf5.PropList) error {
	return status(C.H5Pset_fapl_stdio(C.hid_t(fapl.ID())), "H5Pset_fapl_stdio")
}

// SetCore sets the core driver: the file is in memory, which grows in steps of increment bytes. With a backing store,
// its content is read from a file when it is opened, and written to that file when it is flushed or closed.
//
// Implements: H5Pset_fapl_core
func SetCore(fapl *hdf5.PropList, increment uint64, backingStore bool) error {
	var store C.int
	if backingStore {
		store = 1
	}
	return status(C.h5perf_set_core(C.hid_t(fapl.ID()), C.size_t(increment), store), "H5Pset_fapl_core")
}

// SetFamily sets the family driver: the file is divided into files of the given size in bytes (members). HDF5 opens
// them with the file access list member. The name of the file is then a format of printf with one integer, the number
// of a member, counted from 0.
//
// Implements: H5Pset_fapl_family
func SetFamily(fapl, member *hdf5.PropList, bytes uint64) error {
	rc := C.H5Pset_fapl_family(C.hid_t(fapl.ID()), C.hsize_t(bytes), C.hid_t(member.ID()))
	return status(rc, "H5Pset_fapl_family")
}

// SetSplit sets the split driver: metadata are in NAME-m.h5 and raw data in NAME-r.h5. Both are opened with the access
// list member.
//
// Implements: H5Pset_fapl_split
func SetSplit(fapl, member *hdf5.PropList) error {
	metadata, raw := C.CString("-m.h5"), C.CString("-r.h5")
	defer C.free(unsafe.Pointer(metadata))
	defer C.free(unsafe.Pointer(raw))
	id := C.hid_t(member.ID())
	return status(C.H5Pset_fapl_split(C.hid_t(fapl.ID()), metadata, id, raw, id), "H5Pset_fapl_split")
}

// Maps of the multi driver: the letter of the file for each kind of data, in the order of H5FD_mem_t (default,
// superblock, B-trees, raw data, global heaps, local heaps, object headers).
const (
	EachKind       = "msbrglo"
	MetadataAndRaw = "mssrsss"
)

// SetMulti sets the multi driver with one of the maps: data are in NAME-X.h5, where X is the letter of their kind in
// the map. All files are opened with the access list member.
//
// Implements: H5Pset_fapl_multi
func SetMulti(fapl, member *hdf5.PropList, letters string) error {
	text := C.CString(letters)
	defer C.free(unsafe.Pointer(text))
	return status(C.h5perf_set_multi(C.hid_t(fapl.ID()), C.hid_t(member.ID()), text), "H5Pset_fapl_multi")
}
