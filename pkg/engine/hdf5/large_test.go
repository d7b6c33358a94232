//go:build cgo && !nompi && nightly

package hdf5_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

const gib = 1 << 30

// The transfers are larger than the int counts of MPI, in every mode in which all versions of HDF5 support that. They
// need memory of twice their size.
func TestLargeTransfers(t *testing.T) {
	large := func(bytes uint64) pattern.ParallelPattern {
		return pattern.ParallelPattern{BytesPerProcess: bytes, BlockSize: bytes, TransferSize: bytes}
	}
	for _, c := range []struct {
		name      string
		processes int
		pattern   pattern.ParallelPattern
		access
	}{
		{"collective", 1, large(5*gib + 8), access{collective: true}},
		{"collective", 2, large(3*gib + 8), access{collective: true}},
		{"collective, chunks of 1 GiB", 1, large(5*gib + 8), access{collective: true, chunk: gib}},
		{"MPI-POSIX", 1, large(5*gib + 8), access{mpiPosix: true}},
		{"MPI-POSIX", 2, large(3*gib + 8), access{mpiPosix: true}},
		{"MPI-POSIX, chunks of 3 GiB", 2, large(3 * gib), access{mpiPosix: true, chunk: 3 * gib}},
		{
			"independent, blocks of 1 GiB", 2,
			pattern.ParallelPattern{BytesPerProcess: 3 * gib, BlockSize: gib, TransferSize: 3 * gib, Interleaved: true},
			access{},
		},
		{"independent, chunks of 1 GiB", 2, large(3 * gib), access{chunk: gib}},
	} {
		t.Run(fmt.Sprintf("%s, %d of %d", c.name, c.processes, c.pattern.TransferSize), func(t *testing.T) {
			mpitest.Parallel(t, c.processes, func(t *testing.T, world mpi.Comm) {
				path := filepath.Join(mpitest.Dir(t, world), "x.h5")
				word := func(i int) uint64 { return uint64(i+world.Rank()+1) * 0x9e3779b97f4a7c15 }
				prepare(t, world, c.pattern, c.set, func(e *prepared) {
					pool := e.spec.Buffer.Pool
					for i := 0; i < len(pool); i += 8 {
						binary.NativeEndian.PutUint64(pool[i:], word(i))
					}
					e.inFile(path, workload.Write, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
				})
				world.Barrier()
				reader := c.access
				reader.collective = c.collective && c.chunk == 0 // MPICH's ROMIO takes minutes to read chunks of 1 GiB
				prepare(t, world, c.pattern, reader.set, func(e *prepared) {
					pool := e.spec.Buffer.Pool
					e.inFile(path, workload.Read, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
					for i := 0; i < len(pool); i += 8 {
						if got := binary.NativeEndian.Uint64(pool[i:]); got != word(i) {
							t.Fatalf("at %d of the buffer: %x was read, want %x", i, got, word(i))
						}
					}
				})
			})
		})
	}
}
