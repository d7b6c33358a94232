//go:build cgo

package hdf5

import (
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/h5"
)

// CheckLibrary returns an error if the library was built without the file driver of the settings of the serial tool.
func CheckLibrary(settings hdf5conf.Settings) error {
	if settings.Driver == hdf5conf.Direct {
		return h5.CheckDirect()
	}
	return nil
}
