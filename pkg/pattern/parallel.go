package pattern

// Parallel is the access pattern of h5perf. Every process accesses its part of a dataset of one or two
// dimensions, in blocks. Elements are bytes.
//
// In 1D the dataset has Bytes × Processes bytes, and the transfer buffer has Transfer bytes. In 2D the
// dataset is a square whose side is Bytes × Processes, and a block is a square whose side is Block. The
// transfer buffer has Block rows and Transfer columns (contiguous), or Transfer rows and Block columns
// (interleaved).
type Parallel struct {
	Processes       uint64
	BytesPerProcess uint64 // of each process in the dataset; in 2D, of one side of it
	TransferSize    uint64 // size of the transfer buffer in bytes; in 2D, of its longer side
	BlockSize       uint64 // size of a block in bytes; in 2D, of one side
	TwoD            bool
	Interleaved     bool
}

// Side returns the extent of the dataset in each dimension, in bytes.
func (p Parallel) Side() uint64 { return p.BytesPerProcess * p.Processes }

// Sequence returns the transfers of a process in the form in which HDF5 is asked for them. Its cost does
// not depend on the rank or on the number of processes. The pattern must be valid: Block divides Transfer
// and Bytes, and Transfer divides Bytes (1D) or Side (2D).
func (p Parallel) Sequence(rank uint64) Sequence {
	n, e, x, b := p.Processes, p.BytesPerProcess, p.TransferSize, p.BlockSize
	s := Sequence{Element: 1}
	switch {
	case !p.TwoD && !p.Interleaved:
		s.Dims = []uint64{p.Side()}
		s.Slab = Hyperslab{Start: []uint64{rank * e}, Stride: []uint64{b}, Count: []uint64{x / b}, Block: []uint64{b}}
		s.Call = []uint64{x}
		s.Loops = []Loop{{Dim: 0, Count: e / x, Step: x}}
	case !p.TwoD:
		s.Dims = []uint64{p.Side()}
		s.Slab = Hyperslab{
			Start: []uint64{rank * b}, Stride: []uint64{b * n}, Count: []uint64{x / b}, Block: []uint64{b},
		}
		s.Call = []uint64{b}
		s.Loops = []Loop{{Dim: 0, Count: e / x, Step: x * n}}
	case !p.Interleaved:
		s.Dims = []uint64{p.Side(), p.Side()}
		s.Slab = Hyperslab{
			Start: []uint64{rank * e, 0}, Stride: []uint64{b, b}, Count: []uint64{1, x / b}, Block: []uint64{b, b},
		}
		s.Call = []uint64{1, x}
		s.Loops = []Loop{{Dim: 0, Count: e / b, Step: b}, {Dim: 1, Count: p.Side() / x, Step: x}}
	default:
		s.Dims = []uint64{p.Side(), p.Side()}
		s.Slab = Hyperslab{
			Start: []uint64{0, rank * b}, Stride: []uint64{b, b * n}, Count: []uint64{x / b, 1}, Block: []uint64{b, b},
		}
		s.Call = []uint64{1, b}
		s.Loops = []Loop{{Dim: 0, Count: p.Side() / x, Step: x}, {Dim: 1, Count: e / b, Step: b * n}}
	}
	return s
}

// ChunkSequence returns the transfers of a process in a plain file that emulates chunked storage: chunks of
// one block each, contiguous, in row-major order. An element of the sequence is a chunk. In 1D the result
// is that of Sequence, as chunks follow each other like the blocks of contiguous storage.
func (p Parallel) ChunkSequence(rank uint64) Sequence {
	if !p.TwoD {
		return p.Sequence(rank)
	}
	n, e, x, b := p.Processes, p.BytesPerProcess, p.TransferSize, p.BlockSize
	s := Sequence{Element: b * b, Dims: []uint64{p.Side() / b, p.Side() / b}}
	if p.Interleaved {
		s.Slab = Hyperslab{
			Start: []uint64{0, rank}, Stride: []uint64{1, n}, Count: []uint64{x / b, 1}, Block: []uint64{1, 1},
		}
		s.Call = []uint64{1, 1}
		s.Loops = []Loop{{Dim: 0, Count: p.Side() / x, Step: x / b}, {Dim: 1, Count: e / b, Step: n}}
		return s
	}
	s.Slab = Hyperslab{
		Start: []uint64{rank * (e / b), 0}, Stride: []uint64{1, 1}, Count: []uint64{1, x / b}, Block: []uint64{1, 1},
	}
	s.Call = []uint64{1, x / b}
	s.Loops = []Loop{{Dim: 0, Count: e / b, Step: 1}, {Dim: 1, Count: p.Side() / x, Step: x / b}}
	return s
}
