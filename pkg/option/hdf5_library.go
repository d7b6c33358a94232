package option

import (
	"cmp"
	"fmt"
	"slices"

	"h5perf/pkg/usage"
)

// HDF5Library is what the HDF5 library in use can do, as far as that depends on its version and on how it was built.
// The zero value is a library that is not known; it can do everything.
type HDF5Library struct {
	Version  string   // such as 1.14.5
	Libvers  []Libver // versions of the file format that it has as low bounds
	Together bool     // transfers of several datasets in one call (H5Dwrite_multi, H5Dread_multi)
	Filters  []string // with which it can write
}

// isKnown reports whether the library is known.
func (l HDF5Library) isKnown() bool { return l.Version != "" }

// CheckLibver returns an error if the library does not have a low bound of the file format.
func (l HDF5Library) CheckLibver(v Libver) error {
	if !l.isKnown() || slices.Contains(l.Libvers, v) {
		return nil
	}
	return fmt.Errorf("HDF5 %s does not have this version of the file format, but %s", l.Version,
		usage.JoinWords(usage.Strings(l.Libvers)))
}

// CheckTogether returns an error if the library cannot transfer several datasets in one call.
func (l HDF5Library) CheckTogether() error {
	if !l.isKnown() || l.Together {
		return nil
	}
	return fmt.Errorf("HDF5 %s cannot transfer several datasets in one call (H5Dwrite_multi, H5Dread_multi): that "+
		"needs 1.14.0 or newer", l.Version)
}

// CheckFilter returns an error if the library cannot write with a filter.
func (l HDF5Library) CheckFilter(name string) error {
	if !l.isKnown() || slices.Contains(l.Filters, name) {
		return nil
	}
	return fmt.Errorf("HDF5 %s was built without writing with the filter %s; it has %s", l.Version, name,
		cmp.Or(usage.JoinWords(l.Filters), "none"))
}
