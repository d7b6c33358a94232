//go:build cgo

package engine_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/kerneltest"
	"h5perf/pkg/workload"
)

// random returns a sequence with random extents, and its nest. Its strides do not belong to any dataset.
func random(r *rand.Rand) (pattern.Sequence, pattern.LoopNest) {
	s := pattern.Sequence{Element: 1 + r.Uint64N(3)}
	n := pattern.LoopNest{Base: r.Uint64N(1 << 40), RunBytes: 1 + r.Uint64N(9)}
	runs := uint64(1)
	for range r.IntN(4) {
		l := pattern.NestLevel{Count: 1 + r.Uint64N(4), Stride: r.Uint64N(1 << 40)}
		n.Runs = append(n.Runs, l)
		runs *= l.Count
	}
	for range r.IntN(4) {
		count := 1 + r.Uint64N(4)
		s.Loops = append(s.Loops, pattern.Loop{Count: count, Step: 1})
		n.Transfers = append(n.Transfers, pattern.NestLevel{Count: count, Stride: r.Uint64N(1 << 40)})
	}
	n.RunBytes *= s.Element
	one := []uint64{1}
	s.Dims, s.CallShape = []uint64{1 << 40}, one
	s.Slab = pattern.Hyperslab{
		Start: []uint64{0}, Stride: one, Count: one,
		Block: []uint64{runs * n.RunBytes / s.Element},
	}
	return s, n
}

// newOf makes the kernel of a sweep.
func newOf(spec enginetest.Spec) (*engine.Kernel, error) {
	program := spec.Program()
	return engine.NewKernel(&spec.Env, &program.Moves[0])
}

func newKernel(
	t *testing.T, s pattern.Sequence, n pattern.LoopNest, block, slots uint64,
) (*engine.Kernel, enginetest.Spec) {
	t.Helper()
	spec, err := enginetest.NewSpec(mpi.Self{}, s, block, slots)
	if err != nil {
		t.Fatal(err)
	}
	spec.Nest = n
	k, err := newOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		k.Free()
		if err := engine.UnmapMemory(spec.Buffer.Pool); err != nil {
			t.Error(err)
		}
	})
	return k, spec
}

func TestOdometerVisitsTheOffsetsOfTheNest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s, n := random(r)
		slots := 1 + r.Uint64N(3)
		k, spec := newKernel(t, s, n, 1, slots)
		base := r.Uint64N(1 << 40)
		kerneltest.BeginDataset(k, workload.Write, 1, 1, 0, false)
		kerneltest.Walk(k, n.RunsPerTransfer())
		for range 2 { // Begin restarts the loop at any position
			turn := r.Uint64N(9)
			kerneltest.BeginDataset(k, workload.Write, base, turn, 0, false)
			for tr := range s.NumTransfers() {
				got := kerneltest.Walk(k, n.RunsPerTransfer())
				if uint64(len(got)) != n.RunsPerTransfer() {
					t.Fatalf("%+v: %d runs in transfer %d, want %d", n, len(got), tr, n.RunsPerTransfer())
				}
				for i, g := range got {
					slot := spec.Buffer.SlotOffset(turn + tr)
					want := kerneltest.Run{
						Offset:   base + n.RunOffset(tr, uint64(i)),
						Position: slot + uint64(i)*n.RunBytes,
					}
					if g != want {
						t.Fatalf("%+v: run %d of transfer %d is %+v, want %+v", n, i, tr, g, want)
					}
				}
				if p := k.Progress(); p.Transfers != tr+1 {
					t.Fatalf("progress after transfer %d: %+v", tr, p)
				}
			}
		}
	}
}

func TestStampIsThatOfGo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		tag, offset, size := r.Uint64(), r.Uint64(), 1+r.IntN(20)
		inC, inGo := make([]byte, size), make([]byte, size)
		kerneltest.Stamp(inC, tag, offset)
		at := func(uint64) uint64 { return offset }
		fill.Transfer{
			Data: fill.Position, Tag: tag, Offset: at, RunBytes: uint64(size),
			Grain: uint64(size),
		}.Stamp(inGo)
		if !bytes.Equal(inC, inGo) {
			t.Fatalf("stamp of tag %#x, offset %#x in %d bytes: C %x, Go %x", tag, offset, size, inC, inGo)
		}
	}
}

func TestLatenciesAreCountedAsInGo(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	inC, err := engine.NewLatencyHistogram()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.FreeLatencyHistogram(inC); err != nil {
			t.Error(err)
		}
	}()
	inGo := fill.NewHistogram()
	both := func(ns uint64) {
		kerneltest.Record(inC, ns)
		inGo.Record(ns)
		if *inC != *inGo {
			t.Fatalf("after a time of %d ns the histograms of C and Go differ", ns)
		}
	}
	for bit := range 64 {
		for _, near := range []uint64{0, 1, 1<<64 - 1} {
			both(1<<bit + near)
		}
	}
	for range 2000 {
		both(r.Uint64() >> r.IntN(64))
	}
}

func TestLoopStampsAsGoDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, p := range []pattern.ParallelPattern{
		{Processes: 3, BytesPerProcess: 10240, TransferSize: 512, BlockSize: 64, Interleaved: true},
		{Processes: 3, BytesPerProcess: 20000, TransferSize: 10000, BlockSize: 5000},
		{Processes: 2, BytesPerProcess: 40, TransferSize: 20, BlockSize: 20, TwoD: true},
		{Processes: 2, BytesPerProcess: 4099, TransferSize: 4099, BlockSize: 4099},
		{Processes: 2, BytesPerProcess: 300 << 10, TransferSize: 30 << 10, BlockSize: 30 << 10},
		{Processes: 2, BytesPerProcess: 300 << 10, TransferSize: 100 << 10, BlockSize: 100 << 10},
	} {
		for _, slots := range []uint64{1, 2, 3, 7, 0} {
			for _, stamping := range []bool{true, false} {
				checkStamps(t, r, p, slots, stamping)
			}
		}
	}
}

// checkStamps begins all transfers of a dataset, in batches, and checks the stamps in the buffer of each transfer.
func checkStamps(t *testing.T, r *rand.Rand, p pattern.ParallelPattern, slots uint64, stamping bool) {
	t.Helper()
	s := p.Sequence(1)
	k, spec := newKernel(t, s, s.LoopNest(), p.BlockSize, slots)
	const base, turn, tag, seed = 1 << 33, 5, 12345, 9
	kerneltest.BeginDataset(k, workload.Write, base, turn, tag, stamping)
	fill.Position.Fill(spec.Buffer.Pool, seed)
	want := bytes.Clone(spec.Buffer.Pool)
	left := uint64(0)
	for tr := range s.NumTransfers() {
		if left == 0 {
			left = 1 + r.Uint64N(s.NumTransfers()-tr)
		}
		at := func(run uint64) uint64 { return base + spec.Nest.RunOffset(tr, run) }
		buffer := want[spec.Buffer.SlotOffset(turn+tr):][:spec.Buffer.SlotBytes]
		if stamping {
			fill.Transfer{
				Data: fill.Position, Tag: tag, Offset: at, RunBytes: spec.Nest.RunBytes,
				Grain: spec.Buffer.Grain,
			}.Stamp(buffer)
		}
		if !kerneltest.Begin(k, true, left) {
			t.Fatalf("%+v: transfer %d stopped", p, tr)
		}
		if !bytes.Equal(spec.Buffer.Slot(turn+tr), buffer) {
			t.Fatalf("%+v, %d slots: transfer %d with stamping %v: the buffers of C and Go differ", p, slots, tr,
				stamping)
		}
		kerneltest.Done(k)
		left--
	}
	if !bytes.Equal(spec.Buffer.Pool, want) {
		t.Errorf("%+v, %d slots: after the last transfer the pools of C and Go differ", p, slots)
	}
}

func TestReadingDoesNotStamp(t *testing.T) {
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 64, TransferSize: 64, BlockSize: 64}
	s := p.Sequence(0)
	k, spec := newKernel(t, s, s.LoopNest(), p.BlockSize, 1)
	kerneltest.BeginDataset(k, workload.Write, 0, 0, 1, true)
	if !kerneltest.Begin(k, false, 1) || !bytes.Equal(spec.Buffer.Pool, make([]byte, 64)) {
		t.Errorf("the buffer before a read is %x", spec.Buffer.Pool)
	}
}

func TestStopFlagEndsTheLoop(t *testing.T) {
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 128, TransferSize: 64, BlockSize: 64}
	s := p.Sequence(0)
	k, spec := newKernel(t, s, s.LoopNest(), p.BlockSize, 1)
	kerneltest.BeginDataset(k, workload.Write, 0, 0, 1, true)
	if !kerneltest.Begin(k, true, 1) || k.Stopped() {
		t.Fatal("stopped without being told")
	}
	kerneltest.Done(k)
	spec.Stop.Set()
	if kerneltest.Begin(k, true, 1) || !k.Stopped() {
		t.Error("not stopped though told")
	}
	kerneltest.BeginDataset(k, workload.Write, 0, 0, 1, true)
	if k.Stopped() {
		t.Error("a new dataset begins as stopped")
	}
}

func TestRefusesABufferOfAnotherSize(t *testing.T) {
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 128, TransferSize: 64, BlockSize: 64}
	s := p.Sequence(0)
	spec, err := enginetest.NewSpec(mpi.Self{}, s, p.BlockSize, 1)
	if err != nil {
		t.Fatal(err)
	}
	small := spec
	small.Buffer.SlotBytes = 32
	if _, err := newOf(small); err == nil {
		t.Error("a buffer of half a transfer was taken")
	}
	half := spec
	half.Nest.RunBytes = 32
	if _, err := newOf(half); err == nil {
		t.Error("a nest of half a transfer was taken")
	}
	if err := engine.UnmapMemory(spec.Buffer.Pool); err != nil {
		t.Error(err)
	}
}
