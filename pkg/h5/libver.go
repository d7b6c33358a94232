package h5

// #include "calls.h"
import "C"

import (
	"fmt"

	"gonum.org/v1/hdf5"
)

// libvers holds the low bounds of the file format by name, in ascending order. The value is -1 if the library does not
// have the bound.
var libvers = []struct {
	name  string
	value C.H5F_libver_t
}{
	{"earliest", C.H5F_LIBVER_EARLIEST},
	{"v18", C.LIBVER_V18},
	{"v110", C.LIBVER_V110},
	{"v112", C.LIBVER_V112},
	{"v114", C.LIBVER_V114},
	{"latest", C.H5F_LIBVER_LATEST},
}

// Libvers returns the names of the file format versions that the library accepts as the lowest version (low bound) of a
// file, in ascending order. Possible names are earliest, v18, v110, v112, v114 and latest.
func Libvers() (names []string) {
	for _, v := range libvers {
		if v.value >= 0 {
			names = append(names, v.name)
		}
	}
	return names
}

// parseLibver returns the library's constant for the file format version with this name.
func parseLibver(name string) (C.H5F_libver_t, error) {
	for _, v := range libvers {
		if v.name == name && v.value >= 0 {
			return v.value, nil
		}
	}
	return 0, missing("the version "+name+" of the file format", "a newer HDF5")
}

// nameOfLibver returns the name of a file format version. For the latest version, which has two names, it returns the
// name with the number, if there is one.
func nameOfLibver(value C.H5F_libver_t) string {
	for _, v := range libvers {
		if v.value == value {
			return v.name
		}
	}
	return fmt.Sprintf("version %d", value)
}

// SetLibver sets the lowest version of the file format that a file may use. The highest version is always the latest.
//
// Implements: H5Pset_libver_bounds
func SetLibver(fapl *hdf5.PropList, low string) error {
	value, err := parseLibver(low)
	if err != nil {
		return err
	}
	rc := C.H5Pset_libver_bounds(C.hid_t(fapl.ID()), value, C.H5F_LIBVER_LATEST)
	return status(rc, "H5Pset_libver_bounds")
}
