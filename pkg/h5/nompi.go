//go:build cgo && nompi

package h5

// #include "calls.h"
import "C"

import (
	"errors"
	"unsafe"

	"h5perf/pkg/units"

	"gonum.org/v1/hdf5"
)

var errNoMPI = errors.New("parallel file drivers of HDF5: built without MPI")

// SetMPIO returns an error: the program has no MPI.
func SetMPIO(*hdf5.PropList, unsafe.Pointer, []units.KeyValue) error { return errNoMPI }

// CheckSubfiling returns an error: the program has no MPI.
func CheckSubfiling() error { return errNoMPI }

// SetSubfiling returns an error: the program has no MPI.
func SetSubfiling(*hdf5.PropList, unsafe.Pointer, []units.KeyValue, uint64, int, int) error {
	return errNoMPI
}

// SetCollective returns an error: the program has no MPI.
func SetCollective(*hdf5.PropList) error { return errNoMPI }

// FileHints returns an error: the program has no MPI.
func FileHints(*hdf5.File) ([]units.KeyValue, error) { return nil, errNoMPI }
