package pattern

import "slices"

// Level is one loop over file offsets: Count steps, Stride bytes apart.
type Level struct {
	Count, Stride uint64
}

// Nest is a Sequence as runs of file bytes. Run k of transfer t begins at Base plus the steps of both nests of levels,
// outermost first, and is RunBytes long; the runs of a transfer lie one behind the other in the transfer buffer.
// Transfers holds one level for each Loop of the sequence, in the same order.
type Nest struct {
	Base      uint64
	Transfers []Level
	Runs      []Level
	RunBytes  uint64
}

// Nest maps the sequence to file bytes, the dataset stored in row-major order. One run is one Call of the sequence.
func (s Sequence) Nest() Nest {
	pitch := make([]uint64, len(s.Dims)) // bytes between neighbours in each dimension
	p := s.Element
	for d := len(s.Dims) - 1; d >= 0; d-- {
		pitch[d] = p
		p *= s.Dims[d]
	}
	n := Nest{RunBytes: product(s.Call) * s.Element}
	for _, l := range s.Loops {
		n.Transfers = append(n.Transfers, Level{l.Count, l.Step * pitch[l.Dim]})
	}
	for d := range s.Dims {
		n.Base += s.Slab.Start[d] * pitch[d]
		count, stride, block := s.Slab.Count[d], s.Slab.Stride[d], s.Slab.Block[d]
		if stride == block { // blocks that touch are one block
			count, block = 1, count*block
		}
		n.runs(count, stride*pitch[d])
		n.runs(block/s.Call[d], s.Call[d]*pitch[d])
	}
	return n
}

// runs adds a level, unless it does nothing.
func (n *Nest) runs(count, stride uint64) {
	if count > 1 {
		n.Runs = append(n.Runs, Level{count, stride})
	}
}

// RunsPerTransfer is the number of runs of one transfer.
func (n Nest) RunsPerTransfer() uint64 {
	return counts(n.Runs)
}

// Offset is where run k of transfer t begins.
func (n Nest) Offset(t, k uint64) uint64 {
	return n.Base + steps(n.Transfers, t) + steps(n.Runs, k)
}

// Monotonic tells whether all runs of all transfers, in order, lie in the file in ascending order: then one MPI-IO file
// view can describe the whole sequence (MPI-3.1, 13.3: the displacements of a file type must not decrease).
func (n Nest) Monotonic() bool {
	span := n.RunBytes // from the first to the last byte of all that the inner levels touch
	for _, levels := range [][]Level{n.Runs, n.Transfers} {
		for _, l := range slices.Backward(levels) {
			if l.Count == 1 {
				continue
			}
			if l.Stride < span {
				return false
			}
			span += (l.Count - 1) * l.Stride
		}
	}
	return true
}

func counts(levels []Level) uint64 {
	c := uint64(1)
	for _, l := range levels {
		c *= l.Count
	}
	return c
}

func steps(levels []Level, i uint64) uint64 {
	var offset uint64
	for _, l := range slices.Backward(levels) {
		offset += i % l.Count * l.Stride
		i /= l.Count
	}
	return offset
}
