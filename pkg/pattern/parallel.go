package pattern

import "slices"

// ParallelPattern is the access pattern of h5perf. Each process accesses its own part of a dataset of one or two
// dimensions, in blocks. Elements are bytes.
//
// In 1D the dataset has BytesPerProcess × Processes bytes, and the transfer buffer has TransferSize bytes. In 2D the
// dataset is a square whose side is BytesPerProcess × Processes, and a block is a square whose side is BlockSize. The
// transfer buffer has BlockSize rows and TransferSize columns (contiguous), or TransferSize rows and BlockSize columns
// (interleaved).
type ParallelPattern struct {
	Processes       uint64
	BytesPerProcess uint64 // 1D: size of the part of a process in bytes; 2D: DatasetSide / Processes
	TransferSize    uint64 // 1D: size of the transfer buffer in bytes; 2D: its longer side
	BlockSize       uint64 // 1D: size of a block in bytes; 2D: its side
	TwoD            bool
	Interleaved     bool
}

// DatasetSide returns the extent of the dataset in each dimension, in bytes.
func (p ParallelPattern) DatasetSide() uint64 { return p.BytesPerProcess * p.Processes }

// Sequence returns the transfers of a process as hyperslabs for HDF5. The time that this takes does not depend on the
// rank or on the number of processes. The pattern must be valid: BlockSize divides TransferSize and BytesPerProcess,
// and TransferSize divides BytesPerProcess (1D) or DatasetSide (2D).
func (p ParallelPattern) Sequence(rank uint64) Sequence {
	e, x, b := p.BytesPerProcess, p.TransferSize, p.BlockSize
	dims := 1
	if p.TwoD {
		dims = 2
	}
	list := func(n uint64) []uint64 { return slices.Repeat([]uint64{n}, dims) }
	s := Sequence{
		Dims: list(p.DatasetSide()), Element: 1, CallShape: list(1), Loops: make([]Loop, dims),
		Slab: Hyperslab{Start: list(0), Stride: list(b), Count: list(1), Block: list(b)},
	}
	shared, other := 0, dims-1 // dimension that the processes divide, and that in which a transfer has several blocks
	begin, next, call := e, b, x
	if p.Interleaved {
		shared, other = other, shared
		begin, next, call = b, b*p.Processes, b
	}
	s.Slab.Start[shared], s.Slab.Stride[shared], s.Slab.Count[other] = rank*begin, next, x/b
	s.CallShape[dims-1] = call
	if p.TwoD {
		s.Loops[shared], s.Loops[other] = Loop{shared, e / b, next}, Loop{other, p.DatasetSide() / x, x}
	} else {
		s.Loops[0] = Loop{0, e / x, x / b * next}
	}
	return s
}

// ChunkSequence returns the transfers of a process in a plain file that emulates chunked storage. Each chunk is one
// block and contiguous; the chunks follow each other in row-major order. In the result, one element is a whole chunk.
// In 1D the result is the same as that of Sequence, because the blocks of contiguous storage lie in the same order.
func (p ParallelPattern) ChunkSequence(rank uint64) Sequence {
	if !p.TwoD {
		return p.Sequence(rank)
	}
	b := p.BlockSize
	p.BytesPerProcess, p.TransferSize, p.BlockSize = p.BytesPerProcess/b, p.TransferSize/b, 1
	s := p.Sequence(rank)
	s.Element = b * b
	return s
}
