package pattern

// Parallel is the access pattern of the parallel tool: every process accesses its part of a dataset of one or two
// dimensions, in blocks. Elements are bytes.
//
// 1D: the dataset has Bytes × Processes bytes and the transfer buffer Transfer bytes.
// 2D: the dataset is a square of side Bytes × Processes, a block is a square of side Block, and the transfer buffer is
// Block rows × Transfer columns (contiguous) or Transfer rows × Block columns (interleaved).
type Parallel struct {
	Processes   uint64
	Bytes       uint64 // bytes per process per dataset (2D: of a side)
	Transfer    uint64 // transfer buffer size
	Block       uint64
	TwoD        bool
	Interleaved bool
}

// Side is the extent of each dimension of the dataset.
func (p Parallel) Side() uint64 { return p.Bytes * p.Processes }

// Sequence is the transfers of a process, as the HDF5 library is asked for them. It costs the same for every process of
// every job. The pattern must be valid: Block divides Transfer and Bytes, Transfer divides Bytes (2D: the side).
func (p Parallel) Sequence(rank uint64) Sequence {
	n, e, x, b := p.Processes, p.Bytes, p.Transfer, p.Block
	s := Sequence{Element: 1}
	switch {
	case !p.TwoD && !p.Interleaved:
		s.Dims = []uint64{p.Side()}
		s.Slab = Hyperslab{Start: []uint64{rank * e}, Stride: []uint64{b}, Count: []uint64{x / b}, Block: []uint64{b}}
		s.Call = []uint64{x}
		s.Loops = []Loop{{Dim: 0, Count: e / x, Step: x}}
	case !p.TwoD:
		s.Dims = []uint64{p.Side()}
		s.Slab = Hyperslab{Start: []uint64{rank * b}, Stride: []uint64{b * n}, Count: []uint64{x / b}, Block: []uint64{b}}
		s.Call = []uint64{b}
		s.Loops = []Loop{{Dim: 0, Count: e / x, Step: x * n}}
	case !p.Interleaved:
		s.Dims = []uint64{p.Side(), p.Side()}
		s.Slab = Hyperslab{Start: []uint64{rank * e, 0}, Stride: []uint64{b, b}, Count: []uint64{1, x / b}, Block: []uint64{b, b}}
		s.Call = []uint64{1, x}
		s.Loops = []Loop{{Dim: 0, Count: e / b, Step: b}, {Dim: 1, Count: p.Side() / x, Step: x}}
	default:
		s.Dims = []uint64{p.Side(), p.Side()}
		s.Slab = Hyperslab{Start: []uint64{0, rank * b}, Stride: []uint64{b, b * n}, Count: []uint64{x / b, 1}, Block: []uint64{b, b}}
		s.Call = []uint64{1, b}
		s.Loops = []Loop{{Dim: 0, Count: p.Side() / x, Step: x}, {Dim: 1, Count: e / b, Step: b * n}}
	}
	return s
}

// ChunkSequence is the transfers of a process in a plain file that emulates chunked storage: a row-major sequence of
// chunks of one block each, every chunk contiguous. The element of the sequence is a chunk. In 1D chunks follow each
// other as the blocks of contiguous storage do, so that the emulation changes nothing there.
func (p Parallel) ChunkSequence(rank uint64) Sequence {
	if !p.TwoD {
		return p.Sequence(rank)
	}
	n, e, x, b := p.Processes, p.Bytes, p.Transfer, p.Block
	s := Sequence{Element: b * b, Dims: []uint64{p.Side() / b, p.Side() / b}}
	if p.Interleaved {
		s.Slab = Hyperslab{Start: []uint64{0, rank}, Stride: []uint64{1, n}, Count: []uint64{x / b, 1}, Block: []uint64{1, 1}}
		s.Call = []uint64{1, 1}
		s.Loops = []Loop{{Dim: 0, Count: p.Side() / x, Step: x / b}, {Dim: 1, Count: e / b, Step: n}}
		return s
	}
	s.Slab = Hyperslab{Start: []uint64{rank * (e / b), 0}, Stride: []uint64{1, 1}, Count: []uint64{1, x / b}, Block: []uint64{1, 1}}
	s.Call = []uint64{1, x / b}
	s.Loops = []Loop{{Dim: 0, Count: e / b, Step: 1}, {Dim: 1, Count: p.Side() / x, Step: x / b}}
	return s
}
