package pattern

import "slices"

// NestLevel is one of several nested loops over file offsets: it has Count iterations, and each increases the offset by
// Stride bytes.
type NestLevel struct {
	Count, Stride uint64
}

// LoopNest describes the transfers of a Sequence as contiguous ranges of bytes in the file (runs), by nested loops.
// Every run is RunBytes long. Run k of transfer t begins at Base, plus the offset of iteration t of the loops in
// Transfers, plus the offset of iteration k of the loops in Runs. In both lists the outermost loop comes first.
// Transfers has one level for each Loop of the sequence, in the same order. In the transfer buffer, the runs of a
// transfer follow each other without gaps.
type LoopNest struct {
	Base      uint64
	Transfers []NestLevel
	Runs      []NestLevel
	RunBytes  uint64
}

// LoopNest returns the runs of the sequence in a dataset that is stored in row-major order. Each run has the shape
// Sequence.CallShape.
func (s Sequence) LoopNest() LoopNest {
	pitch := bytePitches(s.Dims, s.Element)
	n := LoopNest{RunBytes: Product(s.CallShape) * s.Element}
	for _, l := range s.Loops {
		n.Transfers = append(n.Transfers, NestLevel{l.Count, l.Step * pitch[l.Dim]})
	}
	for d := range s.Dims {
		n.Base += s.Slab.Start[d] * pitch[d]
		count, block := s.Slab.mergedBlocks(d)
		n.addRunLevel(count, s.Slab.Stride[d]*pitch[d])
		n.addRunLevel(block/s.CallShape[d], s.CallShape[d]*pitch[d])
	}
	return n
}

// bytePitches returns, for each dimension of a dataset, the distance in bytes between neighbouring elements.
func bytePitches(dims []uint64, element uint64) []uint64 {
	pitch := make([]uint64, len(dims))
	p := element
	for d := len(dims) - 1; d >= 0; d-- {
		pitch[d] = p
		p *= dims[d]
	}
	return pitch
}

// addRunLevel appends a loop to Runs, unless the loop has only one iteration.
func (n *LoopNest) addRunLevel(count, stride uint64) {
	if count > 1 {
		n.Runs = append(n.Runs, NestLevel{count, stride})
	}
}

// RunsPerTransfer returns the number of runs of one transfer.
func (n LoopNest) RunsPerTransfer() uint64 {
	count := uint64(1)
	for _, l := range n.Runs {
		count *= l.Count
	}
	return count
}

// RunOffset returns the offset in bytes at which run k of transfer t begins. k and t count from 0.
func (n LoopNest) RunOffset(t, k uint64) uint64 {
	return n.Base + iterationOffset(n.Transfers, t) + iterationOffset(n.Runs, k)
}

// IsMonotonic reports whether the runs of all transfers, in order, are at ascending file offsets and do not
// overlap. Then one MPI-IO file view can describe the whole sequence: the displacements of a file type must
// not decrease (MPI-3.1, section 13.3).
func (n LoopNest) IsMonotonic() bool {
	span := n.RunBytes // from the first to the last byte that the inner levels touch, in bytes
	for _, levels := range [][]NestLevel{n.Runs, n.Transfers} {
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

// iterationOffset returns the offset in bytes of iteration i of the nested loops in levels.
func iterationOffset(levels []NestLevel, i uint64) uint64 {
	var offset uint64
	for _, l := range slices.Backward(levels) {
		offset += i % l.Count * l.Stride
		i /= l.Count
	}
	return offset
}
