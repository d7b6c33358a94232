//go:build cgo

package hdf5

import (
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/h5"
)

// Library returns what the library in use can do.
func Library() hdf5conf.Library {
	l := hdf5conf.Library{Version: h5.Version(), Together: h5.CheckMulti() == nil}
	for _, name := range h5.Libvers() {
		l.Libvers = append(l.Libvers, hdf5conf.Libver(name))
	}
	for _, name := range h5.Filters() {
		if h5.CheckFilter(name) == nil {
			l.Filters = append(l.Filters, name)
		}
	}
	return l
}

// CheckLibrary returns an error if the library was built without the file driver of the settings of the serial tool.
func CheckLibrary(settings hdf5conf.Settings) error {
	if settings.Driver == hdf5conf.Direct {
		return h5.CheckDirect()
	}
	return nil
}
