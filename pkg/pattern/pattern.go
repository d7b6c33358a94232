// Package pattern computes which bytes of a dataset each transfer of a process touches.
//
// A Sequence is a regular hyperslab of the dataset and a nest of loops that move it from one transfer request to the
// next. The hyperslab keeps its shape, so a sequence needs the same memory for any number of transfers and processes. A
// Nest describes the same sequence as contiguous ranges of file bytes ("runs"), in a dataset stored in row-major order.
//
// A Selection is one transfer request of any form that HDF5 supports, including unions of boxes and lists of points. A
// MemoryArrangement describes the memory of a transfer, which may have gaps or ghost cells.
//
// The package does no I/O and reads no clock. All offsets and lengths are relative to the dataset.
package pattern

import "slices"

// MaxDims is the largest number of dimensions of a dataset (H5S_MAX_RANK of HDF5).
const MaxDims = 32

// Hyperslab is a regular selection. In dimension d it selects Count[d] blocks of Block[d] elements. The first block
// begins at Start[d], each further block Stride[d] elements after the previous one.
type Hyperslab struct {
	Start, Stride, Count, Block []uint64
}

// Loop moves a hyperslab along dimension Dim, from one transfer to the next: to Count positions, each Step elements
// after the previous one.
type Loop struct {
	Dim         int
	Count, Step uint64
}

// Sequence describes all transfers of one process in one dataset, in order.
type Sequence struct {
	Dims      []uint64  // extent of the dataset in elements, slowest dimension first
	Element   uint64    // size of an element in bytes
	Slab      Hyperslab // the selection of the first transfer
	CallShape []uint64  // shape, in elements, of the part that one POSIX call moves; contiguous in row-major order
	Loops     []Loop    // how the slab moves, outermost first
}

// NumTransfers returns the number of transfer requests.
func (s Sequence) NumTransfers() uint64 {
	n := uint64(1)
	for _, l := range s.Loops {
		n *= l.Count
	}
	return n
}

// BufferShape returns the shape of the transfer buffer in elements.
func (s Sequence) BufferShape() []uint64 {
	dims := make([]uint64, len(s.Dims))
	for d := range dims {
		dims[d] = s.Slab.Count[d] * s.Slab.Block[d]
	}
	return dims
}

// TransferBytes returns the size of the transfer buffer in bytes.
func (s Sequence) TransferBytes() uint64 {
	return Product(s.BufferShape()) * s.Element
}

// DatasetBytes returns the size in bytes of the whole dataset, which all processes share.
func (s Sequence) DatasetBytes() uint64 {
	return Product(s.Dims) * s.Element
}

// TransferStart returns the coordinates, in elements, of the first element of transfer t. Transfers count from 0.
func (s Sequence) TransferStart(t uint64) []uint64 {
	start := append([]uint64(nil), s.Slab.Start...)
	for _, l := range slices.Backward(s.Loops) {
		start[l.Dim] += t % l.Count * l.Step
		t /= l.Count
	}
	return start
}

// Product returns the product of the numbers; it is 1 if there are none.
func Product(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}
