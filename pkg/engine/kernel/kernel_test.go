//go:build cgo

package kernel_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/engine/kernel"
	"h5perf/pkg/engine/kernel/kerneltest"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// random is a sequence of random extents with its nest. Its strides are not those of any dataset.
func random(r *rand.Rand) (pattern.Sequence, pattern.Nest) {
	s := pattern.Sequence{Element: 1 + r.Uint64N(3)}
	n := pattern.Nest{Base: r.Uint64N(1 << 40), RunBytes: 1 + r.Uint64N(9)}
	runs := uint64(1)
	for range r.IntN(4) {
		l := pattern.Level{Count: 1 + r.Uint64N(4), Stride: r.Uint64N(1 << 40)}
		n.Runs = append(n.Runs, l)
		runs *= l.Count
	}
	for range r.IntN(4) {
		count := 1 + r.Uint64N(4)
		s.Loops = append(s.Loops, pattern.Loop{Count: count, Step: 1})
		n.Transfers = append(n.Transfers, pattern.Level{Count: count, Stride: r.Uint64N(1 << 40)})
	}
	n.RunBytes *= s.Element
	one := []uint64{1}
	s.Dims, s.Call = []uint64{1 << 40}, one
	s.Slab = pattern.Hyperslab{Start: []uint64{0}, Stride: one, Count: one, Block: []uint64{runs * n.RunBytes / s.Element}}
	return s, n
}

func newKernel(t *testing.T, s pattern.Sequence, n pattern.Nest, block, slots uint64) (*kernel.Kernel, engine.Spec) {
	t.Helper()
	spec, err := enginetest.Spec(mpi.Self{}, s, block, slots)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.New(s, n, spec.Buffer, spec.Stop)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		k.Free()
		if err := engine.Unmap(spec.Buffer.Pool); err != nil {
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
		k.Begin(1, 1, 0, false)
		kerneltest.Walk(k, n.RunsPerTransfer())
		for range 2 { // Begin starts again, wherever the loop was
			turn := r.Uint64N(9)
			k.Begin(base, turn, 0, false)
			for tr := range s.Transfers() {
				got := kerneltest.Walk(k, n.RunsPerTransfer())
				if uint64(len(got)) != n.RunsPerTransfer() {
					t.Fatalf("%+v: %d runs in transfer %d, want %d", n, len(got), tr, n.RunsPerTransfer())
				}
				for i, g := range got {
					slot := spec.Buffer.At(turn + tr)
					want := kerneltest.Run{Offset: base + n.Offset(tr, uint64(i)), Position: slot + uint64(i)*n.RunBytes}
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
		fill.Transfer{Data: fill.Position, Tag: tag, Offset: at, RunBytes: uint64(size), Grain: uint64(size)}.Stamp(inGo)
		if !bytes.Equal(inC, inGo) {
			t.Fatalf("stamp of tag %#x, offset %#x in %d bytes: C %x, Go %x", tag, offset, size, inC, inGo)
		}
	}
}

func TestLoopStampsAsGoDoes(t *testing.T) {
	for _, p := range []pattern.Parallel{
		{Processes: 3, Bytes: 1024, Transfer: 512, Block: 64, Interleaved: true},
		{Processes: 3, Bytes: 20000, Transfer: 10000, Block: 5000},
		{Processes: 2, Bytes: 40, Transfer: 20, Block: 20, TwoD: true},
		{Processes: 2, Bytes: 4099, Transfer: 4099, Block: 4099},
	} {
		s := p.Sequence(1)
		k, spec := newKernel(t, s, s.Nest(), p.Block, 1)
		const base, tag, seed = 1 << 33, 12345, 9
		for _, stamping := range []bool{true, false} {
			k.Begin(base, 0, tag, stamping)
			for tr := range s.Transfers() {
				fill.Position.Fill(spec.Buffer.Pool, seed)
				want := bytes.Clone(spec.Buffer.Pool)
				if stamping {
					at := func(run uint64) uint64 { return base + spec.Nest.Offset(tr, run) }
					fill.Transfer{Data: fill.Position, Tag: tag, Offset: at, RunBytes: spec.Nest.RunBytes, Grain: spec.Buffer.Grain}.Stamp(want)
				}
				if !kerneltest.Begin(k, true) {
					t.Fatalf("%+v: transfer %d stopped", p, tr)
				}
				if !bytes.Equal(spec.Buffer.Pool, want) {
					t.Fatalf("%+v: transfer %d with stamping %v: the buffers of C and Go differ", p, tr, stamping)
				}
				kerneltest.Done(k)
			}
		}
	}
}

func TestReadingDoesNotStamp(t *testing.T) {
	p := pattern.Parallel{Processes: 1, Bytes: 64, Transfer: 64, Block: 64}
	s := p.Sequence(0)
	k, spec := newKernel(t, s, s.Nest(), p.Block, 1)
	k.Begin(0, 0, 1, true)
	if !kerneltest.Begin(k, false) || !bytes.Equal(spec.Buffer.Pool, make([]byte, 64)) {
		t.Errorf("the buffer before a read is %x", spec.Buffer.Pool)
	}
}

func TestStopFlagEndsTheLoop(t *testing.T) {
	p := pattern.Parallel{Processes: 1, Bytes: 128, Transfer: 64, Block: 64}
	s := p.Sequence(0)
	k, spec := newKernel(t, s, s.Nest(), p.Block, 1)
	k.Begin(0, 0, 1, true)
	if !kerneltest.Begin(k, true) || k.Stopped() {
		t.Fatal("stopped without being told")
	}
	kerneltest.Done(k)
	spec.Stop.Set()
	if kerneltest.Begin(k, true) || !k.Stopped() {
		t.Error("not stopped though told")
	}
	k.Begin(0, 0, 1, true)
	if k.Stopped() {
		t.Error("a new dataset begins as stopped")
	}
}

func TestRefusesABufferOfAnotherSize(t *testing.T) {
	p := pattern.Parallel{Processes: 1, Bytes: 128, Transfer: 64, Block: 64}
	s := p.Sequence(0)
	spec, err := enginetest.Spec(mpi.Self{}, s, p.Block, 1)
	if err != nil {
		t.Fatal(err)
	}
	small := spec.Buffer
	small.SlotBytes = 32
	if _, err := kernel.New(s, spec.Nest, small, spec.Stop); err == nil {
		t.Error("a buffer of half a transfer was taken")
	}
	half := spec.Nest
	half.RunBytes = 32
	if _, err := kernel.New(s, half, spec.Buffer, spec.Stop); err == nil {
		t.Error("a nest of half a transfer was taken")
	}
	if err := engine.Unmap(spec.Buffer.Pool); err != nil {
		t.Error(err)
	}
}
