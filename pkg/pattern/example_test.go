package pattern_test

import (
	"fmt"

	"h5perf/pkg/pattern"
)

// Two processes write interleaved blocks of 4 bytes, two blocks per transfer. Each transfer is one hyperslab for
// HDF5, and two runs of file bytes for POSIX.
func ExampleParallelPattern() {
	p := pattern.ParallelPattern{Processes: 2, BytesPerProcess: 16, TransferSize: 8, BlockSize: 4, Interleaved: true}
	for rank := range p.Processes {
		s := p.Sequence(rank)
		n := s.LoopNest()
		for t := range s.NumTransfers() {
			fmt.Printf("rank %d, transfer %d: start %d, runs of %d bytes at", rank, t, s.TransferStart(t), n.RunBytes)
			for k := range n.RunsPerTransfer() {
				fmt.Print(" ", n.RunOffset(t, k))
			}
			fmt.Println()
		}
	}
	// Output:
	// rank 0, transfer 0: start [0], runs of 4 bytes at 0 8
	// rank 0, transfer 1: start [16], runs of 4 bytes at 16 24
	// rank 1, transfer 0: start [4], runs of 4 bytes at 4 12
	// rank 1, transfer 1: start [20], runs of 4 bytes at 20 28
}

// One process visits a dataset of 4 × 6 bytes with a transfer buffer of 2 × 3 bytes. The second dimension varies
// fastest. A box has two rows, so POSIX needs two calls for it.
func ExampleBoxPattern() {
	b := pattern.BoxPattern{Dims: []uint64{4, 6}, Buffer: []uint64{2, 3}, Order: []int{1, 0}}
	s := b.Sequence()
	n := s.LoopNest()
	for t := range s.NumTransfers() {
		fmt.Printf("box at %d: %d bytes at %d and at %d\n", s.TransferStart(t), n.RunBytes, n.RunOffset(t, 0),
			n.RunOffset(t, 1))
	}
	// Output:
	// box at [0 0]: 3 bytes at 0 and at 6
	// box at [0 3]: 3 bytes at 3 and at 9
	// box at [2 0]: 3 bytes at 12 and at 18
	// box at [2 3]: 3 bytes at 15 and at 21
}

// One MPI-IO file view can describe a whole sequence only if its runs are at ascending offsets. In two dimensions, a
// transfer can begin before the end of the previous transfer.
func ExampleLoopNest_IsMonotonic() {
	line := pattern.ParallelPattern{Processes: 2, BytesPerProcess: 16, TransferSize: 8, BlockSize: 4, Interleaved: true}
	square := line
	square.TwoD = true
	fmt.Println(line.Sequence(0).LoopNest().IsMonotonic(), square.Sequence(0).LoopNest().IsMonotonic())
	// Output: true false
}
