//go:build cgo && !nompi

package hdf5_test

import (
	"path/filepath"
	"testing"

	gonum "gonum.org/v1/hdf5"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/h5test"
)

// In files of HDF5's own h5perf, the data begin at these offsets.
func testDataOffset(t *testing.T, world mpi.Comm) {
	for _, c := range []struct{ align, threshold, want uint64 }{
		{1, 1, 2048},
		{4096, 1, 20480},
		{4096, 8192, 4096}, // metadata are smaller than the threshold, data are not
	} {
		p := pattern.ParallelPattern{BytesPerProcess: 8192, BlockSize: 4096, TransferSize: 8192}
		path := write(t, world, p, func(s *enginetest.Spec) {
			s.HDF5.AlignmentBytes, s.HDF5.ThresholdBytes = &c.align, &c.threshold
		}, content(0))
		if world.Rank() > 0 {
			continue
		}
		if got := dataOffset(t, path); got != c.want {
			t.Errorf("alignment %d, threshold %d: the data begin at %d, want %d", c.align, c.threshold, got, c.want)
		}
	}
}

func dataOffset(t *testing.T, path string) uint64 {
	t.Helper()
	file, err := gonum.OpenFile(path, gonum.F_ACC_RDONLY)
	must(t, err)
	defer func() { must(t, file.Close()) }()
	set, err := file.OpenDataset("Dataset_1")
	must(t, err)
	defer func() { must(t, set.Close()) }()
	return h5test.DataOffset(set.ID())
}

// Metadata are allocated in one block. The data begin after this block.
func testMetaBlocks(t *testing.T, world mpi.Comm) {
	p := pattern.ParallelPattern{BytesPerProcess: 8192, BlockSize: 4096, TransferSize: 8192}
	for _, driver := range []option.Driver{option.DriverMPIO, option.DriverMPIPosix} {
		path := write(t, world, p, func(s *enginetest.Spec) {
			s.HDF5.Driver, s.HDF5.MetaBlockBytes = driver, new(uint64(64<<10))
		}, content(0))
		if world.Rank() > 0 {
			continue
		}
		if got := dataOffset(t, path); got != 64<<10 {
			t.Errorf("%s, in blocks of 64 KiB: the data begin at %d", driver, got)
		}
	}
}

func TestMetaBlocksOfOneProcess(t *testing.T) {
	lockThread(t)
	p := pattern.ParallelPattern{BytesPerProcess: 8192, BlockSize: 4096, TransferSize: 8192}
	for block, least := range map[uint64]uint64{0: 0, 1 << 20: 1 << 20} {
		change := func(s *enginetest.Spec) { s.HDF5.MetaBlockBytes = &block }
		prepare(t, mpi.Self{}, p, using(option.DriverSec2, change), func(e *prepared) {
			path := filepath.Join(t.TempDir(), "data_1.h5")
			e.write(path, content(0))
			if got := dataOffset(t, path); got < least || got >= least+2048 { // 2048 is the default block size
				t.Errorf("sec2, in blocks of %d: the data begin at %d", block, got)
			}
		})
	}
}
