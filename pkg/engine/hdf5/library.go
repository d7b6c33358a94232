//go:build cgo

package hdf5

import (
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
)

// Library returns the version and the features of the HDF5 library in use.
func Library() option.HDF5Library {
	l := option.HDF5Library{Version: h5.Version(), MultiDataset: h5.CheckMulti() == nil}
	for _, name := range h5.Libvers() {
		l.Libvers = append(l.Libvers, option.Libver(name))
	}
	for _, name := range h5.Filters() {
		if h5.CheckFilter(name) == nil {
			l.Filters = append(l.Filters, name)
		}
	}
	return l
}

// CheckLibrary returns an error if the library was built without the file driver in the settings of the serial tool.
func CheckLibrary(settings option.HDF5) error {
	if settings.Driver == option.DriverDirect {
		return h5.CheckDirect()
	}
	return nil
}
