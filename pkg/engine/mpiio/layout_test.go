//go:build cgo && !nompi

package mpiio

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// layout describes where the C tool places the calls of a transfer in a dataset, according to its formulas.
type layout struct {
	name   string
	p      pattern.ParallelPattern
	chunks bool
	bytes  uint64                                                 // bytes in a call
	calls  uint64                                                 // calls in a transfer
	offset func(p pattern.ParallelPattern, r, t, i uint64) uint64 // for rank r, transfer t, call i
}

func layouts(n uint64) []layout {
	small := pattern.ParallelPattern{Processes: n, BytesPerProcess: 48, TransferSize: 24, BlockSize: 4}
	square := pattern.ParallelPattern{Processes: n, BytesPerProcess: 12, TransferSize: 12, BlockSize: 4, TwoD: true}
	interleaved := func(p pattern.ParallelPattern) pattern.ParallelPattern { p.Interleaved = true; return p }
	return []layout{
		{"1D contiguous", small, false, 24, 1, func(p pattern.ParallelPattern, r, t, _ uint64) uint64 {
			return r*p.BytesPerProcess + t*p.TransferSize
		}},
		{"1D interleaved", interleaved(small), false, 4, 6, func(p pattern.ParallelPattern, r, t, j uint64) uint64 {
			return ((t*p.TransferSize/p.BlockSize+j)*n + r) * p.BlockSize
		}},
		{"2D contiguous", square, false, 12, 4, func(p pattern.ParallelPattern, r, t, i uint64) uint64 {
			side := p.BytesPerProcess * n
			return (r*p.BytesPerProcess+t*p.TransferSize/side*p.BlockSize+i)*side + t*p.TransferSize%side
		}},
		{"2D interleaved", interleaved(square), false, 4, 12, func(p pattern.ParallelPattern, r, t, i uint64) uint64 {
			side, u := p.BytesPerProcess*n, t*p.BlockSize*n
			return (u/side*p.TransferSize+i)*side + u%side + r*p.BlockSize
		}},
		{"2D contiguous chunks", square, true, 48, 1, func(p pattern.ParallelPattern, r, t, _ uint64) uint64 {
			return r*p.BytesPerProcess*p.BytesPerProcess*n + t*p.TransferSize*p.BlockSize
		}},
		{
			"2D interleaved chunks", interleaved(square), true, 16, 3,
			func(p pattern.ParallelPattern, r, t, i uint64) uint64 {
				side, u := p.BytesPerProcess*n, t*p.BlockSize*p.BlockSize*n
				band := side * p.BlockSize
				return u/band*p.TransferSize*side + u%band + r*p.BlockSize*p.BlockSize + i*band
			},
		},
	}
}

// spec returns the case for a layout, with room in its buffer for all transfers.
func (l layout) spec(t *testing.T, world mpi.Comm) enginetest.Spec {
	t.Helper()
	seq := l.p.Sequence(uint64(world.Rank()))
	if l.chunks {
		seq = l.p.ChunkSequence(uint64(world.Rank()))
	}
	s, err := enginetest.NewSpec(world, seq, l.p.BlockSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.UnmapMemory(s.Buffer.Pool); err != nil {
			t.Error(err)
		}
	})
	return s
}

// access does all transfers of all datasets of a file.
func access(s *enginetest.Session, spec enginetest.Spec, path string, op workload.Op) (p engine.Progress, err error) {
	f, err := s.Open(path, op)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for k := range spec.Datasets {
		d, err := f.Dataset(k, 0, false)
		if err != nil {
			return p, err
		}
		err = d.Transfer(spec.Sequence.NumTransfers())
		p = d.Progress()
		if err = errors.Join(err, d.Close()); err != nil {
			return p, err
		}
	}
	if op == workload.Write {
		return p, f.Sync()
	}
	return p, nil
}

func modes(spec enginetest.Spec) []enginetest.Spec {
	all := []enginetest.Spec{spec}
	spec.Collective = true
	for _, spec.MPIIO.View = range views {
		all = append(all, spec)
	}
	return all
}

func testEveryByteIsWhereTheCToolPutsIt(t *testing.T, world mpi.Comm) {
	dir := mpitest.Dir(t, world)
	for i, l := range layouts(3) {
		for j, spec := range modes(l.spec(t, world)) {
			path := filepath.Join(dir, fmt.Sprintf("%d-%d", i, j))
			if err := l.check(world, spec, path); err != nil {
				t.Errorf("%s, collective %v, view %v: %v", l.name, spec.Collective, spec.MPIIO.View, err)
			}
		}
	}
}

// check writes two datasets, compares every byte of the file with the formulas, and reads the datasets.
func (l layout) check(world mpi.Comm, spec enginetest.Spec, path string) error {
	spec.Datasets = 2
	s, err := enginetest.Prepare(New(), spec)
	if err != nil {
		return err
	}
	random(spec.Buffer.Pool, world.Rank())
	written := bytes.Clone(spec.Buffer.Pool)
	p, err := access(s, spec, path, workload.Write)
	if err != nil {
		return err
	}
	transfers, program := spec.Sequence.NumTransfers(), spec.Program()
	used := fileViewOf(&spec.Env, &program.Moves[0])
	want := map[option.FileView]uint64{option.PerDataset: 1, option.PerTransfer: transfers}[used]
	if spec.Collective && p.SetViews != want || !spec.Collective && p.SetViews != 0 {
		return fmt.Errorf("%d views were set, want %d", p.SetViews, want)
	}
	world.Barrier()
	if world.Rank() == 0 {
		got, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if want := l.file(world.Size(), transfers); !bytes.Equal(got, want) {
			return fmt.Errorf("file\n%x, want\n%x", got, want)
		}
	}
	clear(spec.Buffer.Pool)
	if _, err := access(s, spec, path, workload.Read); err != nil {
		return err
	}
	if !bytes.Equal(spec.Buffer.Pool, written) {
		return errors.New("not what was written is read")
	}
	return s.Close()
}

// file returns the content of the file that all processes write together.
func (l layout) file(processes int, transfers uint64) []byte {
	one := make([]byte, transfers*l.calls*l.bytes*uint64(processes))
	pool := make([]byte, transfers*l.calls*l.bytes)
	for r := range processes {
		random(pool, r)
		for k := range transfers * l.calls {
			at := l.offset(l.p, uint64(r), k/l.calls, k%l.calls)
			copy(one[at:at+l.bytes], pool[k*l.bytes:])
		}
	}
	return append(one, one...)
}

// random fills a buffer with bytes that depend on the rank. None is 0, so that holes in a file show.
func random(buffer []byte, rank int) {
	r := rand.New(rand.NewPCG(1, uint64(rank)))
	for i := range buffer {
		buffer[i] = byte(1 + r.IntN(255))
	}
}
