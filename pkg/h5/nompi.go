//go:build cgo && nompi

package h5

import (
	"errors"
	"unsafe"

	"gonum.org/v1/hdf5"
)

var errNoMPI = errors.New("parallel file drivers of HDF5: built without MPI")

// SetMPIO fails: the program has no MPI.
func SetMPIO(*hdf5.PropList, unsafe.Pointer, []KeyValue) error { return errNoMPI }

// CheckSubfiling fails: the program has no MPI.
func CheckSubfiling() error { return errNoMPI }

// SetSubfiling fails: the program has no MPI.
func SetSubfiling(*hdf5.PropList, unsafe.Pointer, []KeyValue, uint64, int, int) error {
	return errNoMPI
}

// SetCollective fails: the program has no MPI.
func SetCollective(*hdf5.PropList) error { return errNoMPI }

// Hints fails: the program has no MPI.
func Hints(*hdf5.File) ([]KeyValue, error) { return nil, errNoMPI }
