//go:build cgo && !nompi

package hdf5_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// Storage that HDF5 fills is in the file as soon as its dataset is created. Storage that it does not fill uses no page.
func testDatasetsAreFilledWhenTheyAreCreatedAsAsked(t *testing.T, world mpi.Comm) {
	const bytes = 1 << 20
	p := pattern.ParallelPattern{BytesPerProcess: bytes, BlockSize: 64 << 10, TransferSize: 64 << 10}
	for _, row := range []struct {
		fill   option.FillTime
		chunk  uint64
		filled bool
	}{
		{"", 0, false},
		{"ifset", 0, false},
		{"never", 0, false},
		{"alloc", 0, true},
		{"", 64 << 10, true},
		{"ifset", 64 << 10, true},
		{"never", 64 << 10, false},
		{"alloc", 64 << 10, true},
	} {
		path := filepath.Join(mpitest.Dir(t, world), "x.h5")
		change := func(s *enginetest.Spec) {
			s.HDF5.FillTime = row.fill
			access{chunk: row.chunk}.set(s)
		}
		prepare(t, world, p, change, func(e *prepared) {
			e.inFile(path, workload.Write, func(f *enginetest.File) {
				set, err := f.Dataset(0, 0, false)
				must(t, err)
				world.Barrier()
				info, err := os.Stat(path)
				must(t, err)
				if filled := blocks(info) >= 2*bytes; filled != row.filled {
					t.Errorf("fill time %q, chunks of %d: of %d bytes %d are in the file when the dataset is "+
						"created", row.fill, row.chunk, 2*bytes, blocks(info))
				}
				world.Barrier()
				must(t, set.Close())
			})
		})
	}
}

// blocks returns the number of bytes of storage that a file uses.
func blocks(info os.FileInfo) int64 { return info.Sys().(*syscall.Stat_t).Blocks * 512 }
