package pattern_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/pattern"
)

func TestAllRanksTogetherCoverEveryByteOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		p := random(r)
		for _, chunks := range []bool{false, true} {
			count := make([]int, sequence(p, chunks, 0).DatasetBytes())
			for rank := range p.Processes {
				s := sequence(p, chunks, rank)
				n := s.LoopNest()
				for tr := range s.NumTransfers() {
					for _, c := range runs(n, tr) {
						if c.offset+c.bytes > uint64(len(count)) {
							t.Fatalf("%+v, chunks %v, rank %d: %+v is beyond the end at %d", p, chunks,
								rank, c, len(count))
						}
						if c.offset%c.bytes != 0 { // plans assume that runs of whole sectors are aligned
							t.Fatalf("%+v, chunks %v, rank %d: %+v begins at no multiple of its length",
								p, chunks, rank, c)
						}
						for i := range c.bytes {
							count[c.offset+i]++
						}
					}
				}
			}
			if i := slices.IndexFunc(count, func(n int) bool { return n != 1 }); i >= 0 {
				t.Fatalf("%+v, chunks %v: byte %d is covered %d times", p, chunks, i, count[i])
			}
		}
	}
}

// selection returns the offsets of the bytes that a hyperslab selects, in row-major order, in which HDF5 fills a
// buffer. It checks each element of the dataset, dimension by dimension.
func selection(s pattern.Sequence, start []uint64) []uint64 {
	var bytes []uint64
	for i := range s.DatasetBytes() / s.Element {
		in, rest := true, i
		for d, extent := range slices.Backward(s.Dims) {
			at := rest % extent
			rest /= extent
			if at < start[d] {
				in = false
				break
			}
			block, inBlock := (at-start[d])/s.Slab.Stride[d], (at-start[d])%s.Slab.Stride[d]
			in = in && block < s.Slab.Count[d] && inBlock < s.Slab.Block[d]
		}
		for b := range s.Element {
			if in {
				bytes = append(bytes, i*s.Element+b)
			}
		}
	}
	return bytes
}

// general returns a sequence that no tool uses but that the types allow: a hyperslab that moves over a dataset in
// several dimensions.
func general(r *rand.Rand) pattern.Sequence {
	s := pattern.Sequence{Element: 1 + r.Uint64N(3)}
	dims := 1 + r.IntN(3)
	inner := 1 + r.IntN(dims) // dimensions in a call; it covers all but the slowest one completely
	for d := range dims {
		block := 1 + r.Uint64N(3)
		stride, count, steps := block+r.Uint64N(3), 1+r.Uint64N(2), 1+r.Uint64N(2)
		call := uint64(1)
		switch {
		case d > dims-inner: // covered completely
			stride, count, steps = block, 1, 1
			call = block
		case d == dims-inner:
			call = block
		}
		start, span := r.Uint64N(3), (count-1)*stride+block
		step := span + r.Uint64N(2)
		extent := start + (steps-1)*step + span + r.Uint64N(2)
		if d > dims-inner {
			start, extent = 0, block
		}
		s.Dims = append(s.Dims, extent)
		s.Slab.Start = append(s.Slab.Start, start)
		s.Slab.Stride = append(s.Slab.Stride, stride)
		s.Slab.Count = append(s.Slab.Count, count)
		s.Slab.Block = append(s.Slab.Block, block)
		s.CallShape = append(s.CallShape, call)
		s.Loops = append(s.Loops, pattern.Loop{Dim: d, Count: steps, Step: step})
	}
	r.Shuffle(len(s.Loops), func(i, j int) { s.Loops[i], s.Loops[j] = s.Loops[j], s.Loops[i] })
	return s
}

// checkSelections compares the runs of every transfer with its hyperslab, byte by byte and in order.
func checkSelections(t *testing.T, s pattern.Sequence) {
	t.Helper()
	n := s.LoopNest()
	if got := n.RunsPerTransfer() * n.RunBytes; got != s.TransferBytes() {
		t.Fatalf("%+v: runs of %d bytes in a transfer of %d", s, got, s.TransferBytes())
	}
	for tr := range s.NumTransfers() {
		var got []uint64
		for _, c := range runs(n, tr) {
			for i := range c.bytes {
				got = append(got, c.offset+i)
			}
		}
		if want := selection(s, s.TransferStart(tr)); !slices.Equal(got, want) {
			t.Fatalf("%+v, transfer %d: bytes %v, the hyperslab has %v", s, tr, got, want)
		}
	}
}

func TestRunsAreTheHyperslabInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 400 {
		p := random(r)
		for rank := range p.Processes {
			checkSelections(t, p.Sequence(rank))
			checkSelections(t, p.ChunkSequence(rank))
		}
	}
	for range 2000 {
		checkSelections(t, general(r))
	}
}

func TestMonotonicIsThatOffsetsAscend(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	seen := map[bool]int{}
	for range 3000 {
		n := pattern.LoopNest{RunBytes: 1 + r.Uint64N(4)}
		for range r.IntN(3) {
			n.Transfers = append(n.Transfers, pattern.NestLevel{Count: 1 + r.Uint64N(3), Stride: r.Uint64N(100)})
		}
		for range r.IntN(3) {
			n.Runs = append(n.Runs, pattern.NestLevel{Count: 1 + r.Uint64N(3), Stride: r.Uint64N(20)})
		}
		checkMonotonic(t, n, seen)
	}
	for range 1000 {
		p := random(r)
		for _, chunks := range []bool{false, true} {
			checkMonotonic(t, sequence(p, chunks, r.Uint64N(p.Processes)).LoopNest(), seen)
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("too few of a kind were tried: %v", seen)
	}
}

func checkMonotonic(t *testing.T, n pattern.LoopNest, seen map[bool]int) {
	t.Helper()
	transfers := uint64(1)
	for _, l := range n.Transfers {
		transfers *= l.Count
	}
	ascending, next := true, uint64(0)
	for tr := range transfers {
		for _, c := range runs(n, tr) {
			ascending = ascending && c.offset >= next
			next = c.offset + c.bytes
		}
	}
	seen[ascending]++
	if n.IsMonotonic() != ascending {
		t.Fatalf("%+v: monotonic %v, the runs ascend without overlap: %v", n, n.IsMonotonic(), ascending)
	}
}

func TestASequenceCostsTheSameForEveryJob(t *testing.T) {
	small := pattern.ParallelPattern{
		Processes: 2, BytesPerProcess: 8, TransferSize: 4, BlockSize: 2, TwoD: true,
		Interleaved: true,
	}
	large := pattern.ParallelPattern{
		Processes: 1 << 20, BytesPerProcess: 1 << 10, TransferSize: 1 << 10, BlockSize: 1 << 4, TwoD: true,
		Interleaved: true,
	}
	allocations := func(p pattern.ParallelPattern) float64 {
		return testing.AllocsPerRun(10, func() { _ = p.Sequence(p.Processes - 1).LoopNest() })
	}
	if s, l := allocations(small), allocations(large); l > s {
		t.Errorf("%v allocations for the last of 2^20 processes, %v for that of 2", l, s)
	}
	last := large.Sequence(large.Processes - 1)
	n := last.LoopNest()
	end := n.RunOffset(last.NumTransfers()-1, n.RunsPerTransfer()-1) + n.RunBytes
	if end != 1<<60 || end != last.DatasetBytes() {
		t.Errorf("the last run ends at %d, the dataset at %d, want 2^60", end, last.DatasetBytes())
	}
}

func BenchmarkOffset(b *testing.B) {
	p := pattern.ParallelPattern{
		Processes: 64, BytesPerProcess: 1 << 14, TransferSize: 1 << 14, BlockSize: 1 << 6, TwoD: true,
		Interleaved: true,
	}
	n := p.Sequence(3).LoopNest()
	var sum uint64
	for i := 0; b.Loop(); i++ {
		sum += n.RunOffset(uint64(i)%1000, uint64(i)%n.RunsPerTransfer())
	}
	_ = sum
}
