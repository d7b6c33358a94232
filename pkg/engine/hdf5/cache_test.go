//go:build cgo

package hdf5_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// Sixteen writes of 1 KiB become one system call if the sieve buffer or chunk cache can hold all their data.
func TestSieveBufferAndChunkCache(t *testing.T) {
	lockThread(t)
	p := pattern.ParallelPattern{BytesPerProcess: 16 << 10, BlockSize: 1 << 10, TransferSize: 1 << 10}
	none, half, all := uint64(0), uint64(8<<10), uint64(16<<10)
	chunk := func(s *enginetest.Spec) { s.Chunk = []uint64{16 << 10} }
	for _, c := range []struct {
		name   string
		change func(*enginetest.Spec)
		writes int
	}{
		{"default sieve buffer", func(*enginetest.Spec) {}, 1},
		{"no sieve buffer", func(s *enginetest.Spec) { s.HDF5.SieveBufferBytes = &none }, 16},
		{"sieve buffer for half", func(s *enginetest.Spec) { s.HDF5.SieveBufferBytes = &half }, 2},
		{"chunk cache in a contiguous dataset", func(s *enginetest.Spec) { s.HDF5.ChunkCacheBytes = &none }, 1},
		{"default chunk cache", chunk, 1},
		{"chunk cache for the chunk", func(s *enginetest.Spec) { chunk(s); s.HDF5.ChunkCacheBytes = &all }, 1},
		{"chunk cache too small for the chunk", func(s *enginetest.Spec) {
			chunk(s)
			s.HDF5.ChunkCacheBytes, s.HDF5.SieveBufferBytes = &half, &none
		}, 16},
		{"sieve buffer in a chunked dataset", func(s *enginetest.Spec) {
			chunk(s)
			s.HDF5.SieveBufferBytes = &none
		}, 1},
	} {
		prepare(t, mpi.Self{}, p, using("sec2", c.change), func(e *prepared) {
			e.inFile(filepath.Join(t.TempDir(), "data_1.h5"), workload.Write, func(file *enginetest.File) {
				before := writeCalls(t)
				must(t, e.transfer(file, 0))
				if got := writeCalls(t) - before; got != c.writes {
					t.Errorf("%s: %d writes, want %d", c.name, got, c.writes)
				}
			})
		})
	}
}

// writeCalls counts the write calls of this thread.
func writeCalls(t *testing.T) (n int) {
	t.Helper()
	account, err := os.ReadFile("/proc/thread-self/io")
	must(t, err)
	_, after, _ := strings.Cut(string(account), "syscw:")
	_, err = fmt.Sscan(after, &n)
	must(t, err)
	return n
}

// With fewer slots than chunks, the cache would write each chunk twice: the transfers touch all chunks, and then all
// chunks again.
func TestTheChunkCacheHoldsAllThatFit(t *testing.T) {
	lockThread(t)
	const chunks = 2048
	box := pattern.BoxPattern{Dims: []uint64{2, 2 * chunks}, Buffer: []uint64{1, 2}, Order: []int{1, 0}}
	spec, err := enginetest.NewSpec(mpi.Self{}, box.Sequence(), 2, 0)
	must(t, err)
	cache := uint64(1 << 20)
	using("sec2")(&spec)
	spec.Chunk, spec.HDF5.ChunkCacheBytes = []uint64{2, 2}, &cache
	withSpec(t, spec, func(e *prepared) {
		e.inFile(filepath.Join(t.TempDir(), "data_1.h5"), workload.Write, func(file *enginetest.File) {
			before := writeCalls(t)
			must(t, e.transfer(file, 0))
			if got := writeCalls(t) - before; got != chunks {
				t.Errorf("%d writes, want one for each of %d chunks", got, chunks)
			}
		})
	})
}
