package h5

// #include "calls.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/hdf5"
)

// MultiTransfer is one transfer between several datasets and memory. For each index i, it moves the elements that
// FileSpaces[i] selects in Datasets[i] to or from the elements that MemorySpaces[i] selects in memory. That memory
// begins at byte Offsets[i] of Pool and has elements of type Types[i]. The selections in memory must lie within Pool.
type MultiTransfer struct {
	Datasets, Types, MemorySpaces, FileSpaces []int64
	List                                      *hdf5.PropList
	Pool                                      []byte
	Offsets                                   []uint64
}

// CheckMulti returns an error if the library cannot transfer several datasets in one call.
func CheckMulti() error {
	if C.BUILT_MULTI == 0 {
		return missing("H5Dwrite_multi and H5Dread_multi", "HDF5 1.14.0 or newer")
	}
	return nil
}

// Write writes to all datasets.
//
// Implements: H5Dwrite_multi
func (m MultiTransfer) Write() error {
	if err := m.checkParts(); err != nil {
		return err
	}
	rc := C.h5perf_write_multi(C.size_t(len(m.Datasets)), idPointer(m.Datasets), idPointer(m.Types),
		idPointer(m.MemorySpaces),
		idPointer(m.FileSpaces), C.hid_t(m.List.ID()), unsafe.Pointer(unsafe.SliceData(m.Pool)), m.offsetPointer())
	return status(rc, "H5Dwrite_multi")
}

// Read reads from all datasets.
//
// Implements: H5Dread_multi
func (m MultiTransfer) Read() error {
	if err := m.checkParts(); err != nil {
		return err
	}
	rc := C.h5perf_read_multi(C.size_t(len(m.Datasets)), idPointer(m.Datasets), idPointer(m.Types),
		idPointer(m.MemorySpaces),
		idPointer(m.FileSpaces), C.hid_t(m.List.ID()), unsafe.Pointer(unsafe.SliceData(m.Pool)), m.offsetPointer())
	return status(rc, "H5Dread_multi")
}

// checkParts returns the same error as CheckMulti. It panics if a dataset lacks its type, a selection or an offset, or
// if the offset is outside of Pool.
func (m MultiTransfer) checkParts() error {
	for i := range m.Datasets {
		_, _, _, _ = m.Types[i], m.MemorySpaces[i], m.FileSpaces[i], m.Pool[m.Offsets[i]:]
	}
	return CheckMulti()
}

func (m MultiTransfer) offsetPointer() *C.uint64_t { return (*C.uint64_t)(unsafe.SliceData(m.Offsets)) }
