//go:build cgo && !nompi

package hdf5_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// access is a set of settings for a pattern.
type access struct {
	chunk                uint64 // extent of a chunk; 0: contiguous layout
	collective, mpiPosix bool
}

// accesses returns all settings for a pattern: contiguous layout, chunks of one block, and chunks across blocks. Each
// layout is used with independent transfers, collective transfers and MPI-POSIX.
func accessModes(p pattern.ParallelPattern) []access {
	var all []access
	for _, chunk := range []uint64{0, p.BlockSize, p.BlockSize + 1} {
		all = append(all, access{chunk, false, false}, access{chunk, true, false}, access{chunk, false, true})
	}
	return all
}

func (a access) set(s *enginetest.Spec) {
	s.Collective = a.collective
	if a.mpiPosix {
		s.HDF5.Driver = option.DriverMPIPosix
	}
	for range s.Sequence.Dims {
		if a.chunk > 0 {
			s.Chunk = append(s.Chunk, a.chunk)
		}
	}
}

// recordWriteStep writes a file with datasets. content returns the byte at a position (place) in a transfer of this
// process.
func write(
	t *testing.T, world mpi.Comm, p pattern.ParallelPattern, change func(*enginetest.Spec),
	content func(dataset int, transfer, place uint64) byte,
) (path string) {
	t.Helper()
	path = filepath.Join(mpitest.Dir(t, world), "x.h5")
	prepare(t, world, p, change, func(e *prepared) { e.write(path, content) })
	world.Barrier()
	return path
}

// figure returns a test that compares a dataset with a figure of the h5perf user guide. Each digit of want is the rank
// that writes the byte.
func figure(p pattern.ParallelPattern, want string) func(t *testing.T, world mpi.Comm) {
	return func(t *testing.T, world mpi.Comm) {
		digit := func(int, uint64, uint64) byte { return '0' + byte(world.Rank()) }
		for _, a := range accessModes(p) {
			path := write(t, world, p, a.set, digit)
			if world.Rank() > 0 {
				continue
			}
			if got := dump(t, path, "Dataset_1"); string(got) != want {
				t.Errorf("%+v: %s, want %s", a, got, want)
			}
		}
	}
}

var (
	figure2 = figure(pattern.ParallelPattern{BytesPerProcess: 8, BlockSize: 2, TransferSize: 4},
		"000000001111111122222222")
	figure3 = figure(pattern.ParallelPattern{BytesPerProcess: 4, BlockSize: 2, TransferSize: 4, Interleaved: true},
		"001122001122")
	figure5 = figure(pattern.ParallelPattern{BytesPerProcess: 4, BlockSize: 2, TransferSize: 12, TwoD: true},
		strings.Repeat("0", 48)+strings.Repeat("1", 48)+strings.Repeat("2", 48))
	figure7 = figure(pattern.ParallelPattern{
		BytesPerProcess: 4, BlockSize: 2, TransferSize: 12, TwoD: true,
		Interleaved: true,
	},
		strings.Repeat("001122001122", 12))
	figures10And11 = figure(pattern.ParallelPattern{BytesPerProcess: 4, BlockSize: 4, TransferSize: 4, TwoD: true},
		strings.Repeat("0", 32)+strings.Repeat("1", 32))
)

// Every byte of every dataset is at the position that its hyperslab selects, in whatever way HDF5 selects it.
func testContent(t *testing.T, world mpi.Comm) {
	for _, p := range []pattern.ParallelPattern{
		{BytesPerProcess: 48, BlockSize: 4, TransferSize: 12},
		{BytesPerProcess: 48, BlockSize: 4, TransferSize: 12, Interleaved: true},
		{BytesPerProcess: 6, BlockSize: 3, TransferSize: 6, TwoD: true},
		{BytesPerProcess: 6, BlockSize: 3, TransferSize: 6, TwoD: true, Interleaved: true},
	} {
		for _, a := range accessModes(p) {
			for _, slab := range []workload.SlabMethod{workload.SlabAtOnce, workload.SlabBlocks, workload.SlabPoints} {
				path := write(t, world, p, func(s *enginetest.Spec) { s.Datasets, s.Slab = 2, slab; a.set(s) },
					content(uint64(world.Rank())))
				for k := 0; k < 2 && world.Rank() == 0; k++ {
					got, want := dump(t, path, fmt.Sprintf("Dataset_%d", k+1)), expected(p, 2, k)
					if !bytes.Equal(got, want) {
						t.Errorf("%+v, %+v, selected by method %d, dataset %d:\n%v, want\n%v", p, a, slab, k, got, want)
					}
				}
			}
		}
	}
}

// expected returns the content of a dataset, computed for each element from the definition of a hyperslab.
func expected(p pattern.ParallelPattern, processes uint64, dataset int) []byte {
	p.Processes = processes
	out := make([]byte, p.Sequence(0).DatasetBytes())
	for rank := range processes {
		seq := p.Sequence(rank)
		columns := seq.Dims[len(seq.Dims)-1]
		buffer := seq.BufferShape()
		width := buffer[len(buffer)-1]
		for t := range seq.NumTransfers() {
			start := seq.TransferStart(t)
			for place := range seq.TransferBytes() {
				at := element(seq.Slab, len(start)-1, start, place%width)
				if len(start) == 2 {
					at += columns * element(seq.Slab, 0, start, place/width)
				}
				out[at] = content(rank)(dataset, t, place)
			}
		}
	}
	return out
}

// element returns the index in dimension dim of element i of the selection.
func element(h pattern.Hyperslab, dim int, start []uint64, i uint64) uint64 {
	return start[dim] + i/h.Block[dim]*h.Stride[dim] + i%h.Block[dim]
}
