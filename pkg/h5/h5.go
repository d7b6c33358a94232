// Package h5 calls HDF5 where its Go binding (gonum.org/v1/hdf5) has no function. These are calls for file drivers and
// their property lists, transfer lists, error messages, the configuration of the library, and how it executed
// collective transfers. The package creates the types, extents, creation lists and selections of workloads. It creates,
// opens, closes, extends and unlinks many objects in one call of C, and writes and reads many attributes in one call.
//
// It uses the objects of the binding where they exist; files that it opens are objects of the binding, too. HDF5 is not
// thread-safe: make all calls from one locked thread. Close everything that was opened, on every path, before MPI is
// finalised. Otherwise the process ends with an error, or the file stays unreadable.
package h5

/*
#cgo CFLAGS: -I${SRCDIR}/../engine -O2 -Wall -Wextra
#cgo nompi CFLAGS: -DH5PERF_NOMPI
#include "h5perf_hdf5.h"
*/
import "C"

import (
	"fmt"

	"gonum.org/v1/hdf5"
)

// Version returns the version of the library in use, such as "1.10.8".
func Version() string {
	v, _ := hdf5.LibVersion() // never fails
	return v.String()
}

// VersionAtLeast reports whether the library in use has at least this version.
func VersionAtLeast(major, minor, release uint) bool {
	v, _ := hdf5.LibVersion() // never fails
	if v.Major != major {
		return v.Major > major
	}
	if v.Minor != minor {
		return v.Minor > minor
	}
	return v.Release >= release
}

// CheckVersion returns an error if the library in use may not match the headers with which the program was compiled: it
// has another major or minor version, or an older release.
func CheckVersion() error { return checkVersion(C.H5_VERS_MAJOR, C.H5_VERS_MINOR, C.H5_VERS_RELEASE) }

// checkVersion does the same check as CheckVersion, for a given version of the headers.
func checkVersion(major, minor, release uint) error {
	if VersionAtLeast(major, minor, release) && !VersionAtLeast(major, minor+1, 0) {
		return nil
	}
	return fmt.Errorf("the HDF5 library is %s (%s), but the program was compiled for %d.%d.%d",
		Version(), Library(), major, minor, release)
}

// Close shuts the library down. Call it before MPI is finalised. It closes files that are still open, and then returns
// an error. After a failure of CloseFile, it does nothing.
//
// Implements: H5close
func Close() error {
	if closeFailed {
		return nil
	}
	open := C.H5Fget_obj_count(C.H5F_OBJ_ALL, C.H5F_OBJ_FILE)
	if err := hdf5.Close(); err != nil {
		return fmt.Errorf("H5close: %w", err)
	}
	if open > 0 {
		return fmt.Errorf("H5close: %d files were still open", open)
	}
	return nil
}
