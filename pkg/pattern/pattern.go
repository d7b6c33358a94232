// Package pattern produces access patterns: what each transfer request of one process touches in one dataset.
//
// A transfer request is a regular hyperslab of the dataset. A Sequence is that hyperslab, moved along a nest of loops;
// its shape never changes, so a sequence is described in memory that does not grow with the number of transfers or of
// processes. A Nest is the same sequence as stretches of file bytes ("runs"), for a dataset stored in row-major order.
//
// The package is pure: no I/O, no clock. All offsets and lengths are relative to the dataset.
package pattern

import "slices"

// MaxDims is the largest number of dimensions of a dataset (HDF5's H5S_MAX_RANK).
const MaxDims = 32

// Hyperslab is a regular selection: in dimension d, Count[d] blocks of Block[d] elements, Stride[d] apart, from Start[d].
type Hyperslab struct {
	Start, Stride, Count, Block []uint64
}

// Loop moves the hyperslab Count times along dimension Dim, Step elements each time.
type Loop struct {
	Dim         int
	Count, Step uint64
}

// Sequence is the transfers of one process in one dataset, in order.
type Sequence struct {
	Dims    []uint64  // extent of the dataset in elements, slowest dimension first
	Element uint64    // bytes of an element
	Slab    Hyperslab // the first transfer
	Call    []uint64  // the box of elements that one POSIX call moves; contiguous in row-major order
	Loops   []Loop    // how the slab moves, outermost first
}

// Transfers is the number of transfer requests.
func (s Sequence) Transfers() uint64 {
	n := uint64(1)
	for _, l := range s.Loops {
		n *= l.Count
	}
	return n
}

// Buffer is the shape of the transfer buffer in elements.
func (s Sequence) Buffer() []uint64 {
	dims := make([]uint64, len(s.Dims))
	for d := range dims {
		dims[d] = s.Slab.Count[d] * s.Slab.Block[d]
	}
	return dims
}

// TransferBytes is the size of the transfer buffer.
func (s Sequence) TransferBytes() uint64 {
	return product(s.Buffer()) * s.Element
}

// DatasetBytes is the size of the whole dataset, all processes together.
func (s Sequence) DatasetBytes() uint64 {
	return product(s.Dims) * s.Element
}

// Start is where transfer t begins, in elements.
func (s Sequence) Start(t uint64) []uint64 {
	start := append([]uint64(nil), s.Slab.Start...)
	for _, l := range slices.Backward(s.Loops) {
		start[l.Dim] += t % l.Count * l.Step
		t /= l.Count
	}
	return start
}

func product(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}
