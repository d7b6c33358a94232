//go:build cgo

package h5

import (
	"fmt"

	"gonum.org/v1/hdf5"
)

// NewSpace returns a dataspace with an extent, in which all elements are selected. Without dimensions it is a scalar.
// maxDims is the largest extent; if it is nil, the extent cannot grow. workload.Unlimited stands for no limit.
//
// Implements: H5Screate_simple
func NewSpace(dims, maxDims []uint64) (*hdf5.Dataspace, error) {
	call, newSpace := "H5Screate_simple", func() (*hdf5.Dataspace, error) {
		return hdf5.CreateSimpleDataspace(bindingExtent(dims), bindingExtent(maxDims))
	}
	if len(dims) == 0 {
		call, newSpace = "H5Screate", func() (*hdf5.Dataspace, error) { return hdf5.CreateDataspace(hdf5.S_SCALAR) }
	} else if maxDims != nil && len(maxDims) != len(dims) {
		return nil, fmt.Errorf("an extent of %d dimensions, and a largest one of %d", len(dims), len(maxDims))
	}
	space, err := newSpace()
	if err != nil {
		return nil, NewCallError(call)
	}
	return space, nil
}

// NewNullSpace returns a dataspace without elements and without an extent.
//
// Implements: H5Screate
func NewNullSpace() (*hdf5.Dataspace, error) {
	space, err := hdf5.CreateDataspace(hdf5.S_NULL)
	if err != nil {
		return nil, NewCallError("H5Screate")
	}
	return space, nil
}

// bindingExtent converts an extent for the Go binding.
func bindingExtent(numbers []uint64) []uint {
	if numbers == nil {
		return nil
	}
	all := make([]uint, len(numbers))
	for i, n := range numbers {
		all[i] = uint(n)
	}
	return all
}
