package h5

// #include "calls.h"
import "C"

import (
	"errors"

	"gonum.org/v1/hdf5"
)

// FileSettings holds the settings of an open file, as the library reports them.
type FileSettings struct {
	Threshold, Alignment     uint64 // in bytes
	MetaBlock                uint64 // in bytes
	PageBytes                uint64 // 0: file space is not allocated in pages
	DeferredMetadata         bool   // metadata stay in the cache until a flush or close: see DeferMetadata
	CollectiveMetadataWrites bool   // writes of metadata are collective
	CollectiveMetadataReads  bool   // reads of metadata are collective
	Libver                   string // low bound of the file format: the first of its names in Libvers
	low                      C.H5F_libver_t
}

// LibverAtLeast reports whether the lowest version of the file format that the file may use is at least libver, a name
// from Libvers. The library raises this version if the file already needs a newer format.
func (f FileSettings) LibverAtLeast(libver string) bool {
	value, err := parseLibver(libver)
	return err == nil && f.low >= value
}

// ReadFileSettings returns the settings of an open file. All processes that opened the file together must call it.
//
// Implements: H5Fget_access_plist H5Fget_create_plist
func ReadFileSettings(file *hdf5.File) (f FileSettings, err error) {
	fapl := C.H5Fget_access_plist(C.hid_t(file.ID()))
	if fapl < 0 {
		return f, NewCallError("H5Fget_access_plist")
	}
	defer func() { err = errors.Join(err, status(C.H5Pclose(fapl), "H5Pclose")) }()
	fcpl := C.H5Fget_create_plist(C.hid_t(file.ID()))
	if fcpl < 0 {
		return f, NewCallError("H5Fget_create_plist")
	}
	defer func() { err = errors.Join(err, status(C.H5Pclose(fcpl), "H5Pclose")) }()
	for _, part := range []func(*FileSettings, C.hid_t) error{readAccessSettings, readMetadataSettings} {
		if err := part(&f, fapl); err != nil {
			return f, err
		}
	}
	if err := f.readPageSettings(fcpl); err != nil {
		return f, err
	}
	deferred := C.h5perf_defers_metadata(C.hid_t(file.ID()))
	f.DeferredMetadata = deferred > 0
	return f, status(deferred, "H5Fget_mdc_config")
}

// readAccessSettings reads settings from an access list.
//
// Implements: H5Pget_alignment H5Pget_meta_block_size H5Pget_libver_bounds
func readAccessSettings(f *FileSettings, fapl C.hid_t) error {
	var threshold, alignment, block C.hsize_t
	var high C.H5F_libver_t
	if err := status(C.H5Pget_alignment(fapl, &threshold, &alignment), "H5Pget_alignment"); err != nil {
		return err
	}
	if err := status(C.H5Pget_meta_block_size(fapl, &block), "H5Pget_meta_block_size"); err != nil {
		return err
	}
	f.Threshold, f.Alignment, f.MetaBlock = uint64(threshold), uint64(alignment), uint64(block)
	err := status(C.H5Pget_libver_bounds(fapl, &f.low, &high), "H5Pget_libver_bounds")
	f.Libver = nameOfLibver(f.low)
	return err
}

// readPageSettings reads the page size from a file creation list.
//
// Implements: H5Pget_file_space_strategy H5Pget_file_space_page_size
func (f *FileSettings) readPageSettings(fcpl C.hid_t) error {
	var strategy C.H5F_fspace_strategy_t
	var persist C.hbool_t
	var threshold, bytes C.hsize_t
	rc := C.H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold)
	if err := status(rc, "H5Pget_file_space_strategy"); err != nil {
		return err
	}
	if strategy != C.H5F_FSPACE_STRATEGY_PAGE {
		return nil
	}
	err := status(C.H5Pget_file_space_page_size(fcpl, &bytes), "H5Pget_file_space_page_size")
	f.PageBytes = uint64(bytes)
	return err
}
