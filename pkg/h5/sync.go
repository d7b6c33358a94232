package h5

import "gonum.org/v1/hdf5"

// Flush hands what the library holds of a file to the system.
func Flush(file *hdf5.File) error {
	if file.Flush(hdf5.F_SCOPE_GLOBAL) != nil {
		return Failed("H5Fflush")
	}
	return nil
}
