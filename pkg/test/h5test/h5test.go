//go:build cgo

// Package h5test calls functions of HDF5 for tests. It exists because test files cannot use cgo.
package h5test

// #cgo CFLAGS: -I${SRCDIR}/../../h5 -O2 -Wall -Wextra
// #cgo nompi CFLAGS: -DH5PERF_NOMPI
// #include "h5test.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
)

// Write writes the elements of buffer that are selected in memory to the selection of space, with a transfer list.
//
// Implements: H5Dwrite
func Write(
	dataset int64, datatype *hdf5.Datatype, memory, space *hdf5.Dataspace, dxpl *hdf5.PropList, buffer []byte,
) error {
	rc := C.H5Dwrite(C.hid_t(dataset), C.hid_t(datatype.ID()), C.hid_t(memory.ID()), C.hid_t(space.ID()),
		C.hid_t(dxpl.ID()), unsafe.Pointer(unsafe.SliceData(buffer)))
	return status(rc, "H5Dwrite")
}

// Account returns what the last transfer with a list, which was asked to be collective, really was.
func Account(dxpl *hdf5.PropList) (h5.CollectiveReport, error) {
	var c C.h5perf_collective
	if err := status(C.h5test_account(C.hid_t(dxpl.ID()), &c), "H5Pget_mpio_actual_io_mode"); err != nil {
		return h5.CollectiveReport{}, err
	}
	return h5.ReadCollective(unsafe.Pointer(&c)), nil
}

// AddHyperslab adds a hyperslab to the selection of a dataspace.
//
// Implements: H5Sselect_hyperslab
func AddHyperslab(space *hdf5.Dataspace, start, stride, count, block []uint64) error {
	pointer := func(numbers []uint64) *C.hsize_t { return (*C.hsize_t)(unsafe.SliceData(numbers)) }
	rc := C.h5test_add(C.hid_t(space.ID()), pointer(start), pointer(stride), pointer(count), pointer(block))
	return status(rc, "H5Sselect_hyperslab")
}

// SelectNone makes the selection of a dataspace empty.
//
// Implements: H5Sselect_none
func SelectNone(space *hdf5.Dataspace) error {
	return status(C.H5Sselect_none(C.hid_t(space.ID())), "H5Sselect_none")
}

// Selected returns the number of elements that are selected, or a negative number with an error.
//
// Implements: H5Sget_select_npoints
func Selected(space *hdf5.Dataspace) int64 {
	return int64(C.H5Sget_select_npoints(C.hid_t(space.ID())))
}

// DataOffset returns the file offset of the data of a dataset of contiguous storage, in bytes.
//
// Implements: H5Dget_offset
func DataOffset(dataset int64) uint64 { return uint64(C.H5Dget_offset(C.hid_t(dataset))) }

// OpenObjects returns the number of open files and of open objects in them.
func OpenObjects() int { return countObjects() - atStart }

// atStart is the number of datatypes that the Go binding keeps open.
var atStart = countObjects()

func countObjects() int { return int(C.H5Fget_obj_count(C.H5F_OBJ_ALL, C.H5F_OBJ_ALL)) }

func status(rc C.herr_t, call string) error {
	if rc < 0 {
		return h5.NewCallError(call)
	}
	return nil
}

// Read reads the selection of space to the elements of buffer that are selected in memory.
//
// Implements: H5Dread
func Read(dataset int64, datatype *hdf5.Datatype, memory, space *hdf5.Dataspace, buffer []byte) error {
	rc := C.H5Dread(C.hid_t(dataset), C.hid_t(datatype.ID()), C.hid_t(memory.ID()), C.hid_t(space.ID()),
		C.H5P_DEFAULT, unsafe.Pointer(unsafe.SliceData(buffer)))
	return status(rc, "H5Dread")
}

// Mark is a place in the sequences in which the library numbers identifiers.
type Mark [C.H5TEST_KINDS]C.hid_t

// NewMark returns the place of now.
func NewMark() (m Mark) {
	C.h5test_mark(&m[0])
	return m
}

// Left returns the number of identifiers that the library gave out since the mark, and that are still in use: those of
// dataspaces, datatypes, property lists and error stacks.
func (m Mark) Left() int { return int(C.h5test_left(&m[0])) }

// Settings are those of a file, as the library has them.
type Settings struct {
	Threshold, Alignment, MetaBlock, SmallDataBlock, Page uint64 // in bytes; Page is 0 without pages

	Cache               uint64 // current size of the metadata cache
	Low, High           int    // bounds of the file format
	Evictions, Resizing bool   // of the metadata cache
	Writes, Reads       bool   // collective metadata
}

// Bounds returns the numbers of the bounds of the file format earliest and latest.
func Bounds() (earliest, latest int) { return C.H5F_LIBVER_EARLIEST, C.H5F_LIBVER_LATEST }

// OfFile returns the settings of the file that is open. All processes that have opened it together must call it.
//
// Implements: H5Fget_access_plist H5Fget_create_plist H5Fget_mdc_config
func OfFile() (Settings, error) {
	var s C.h5test_settings
	err := status(C.h5test_of_file(&s), "H5Fget_access_plist")
	return Settings{
		uint64(s.threshold), uint64(s.alignment), uint64(s.block), uint64(s.small), uint64(s.page),
		uint64(s.cache), int(s.low), int(s.high),
		s.evictions != 0, s.increment != 0 || s.flash != 0 || s.decrement != 0, s.writes != 0, s.reads != 0,
	}, err
}
