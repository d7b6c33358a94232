//go:build cgo && !nompi

package hdf5_test

import (
	"errors"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// expect checks that err is an error of call on path, and that no object is left open.
func expectCallError(t *testing.T, err error, call, path string) {
	t.Helper()
	var e *engine.CallError
	if !errors.As(err, &e) || e.Call != call || !strings.HasPrefix(e.Path, path) ||
		!strings.Contains(e.Err.Error(), ": ") {
		t.Errorf("error %v, want one of %s on %s with the words of the library", err, call, path)
	}
	if n := h5test.OpenObjects(); n != 0 {
		t.Errorf("%d objects are open after a failure of %s", n, call)
	}
}

var small = pattern.ParallelPattern{BytesPerProcess: 4096, BlockSize: 1024, TransferSize: 1024}

func testAMissingDatasetIsAnError(t *testing.T, world mpi.Comm) {
	path := write(t, world, small, nil, content(0))
	prepare(t, world, small, func(s *enginetest.Spec) { s.Datasets = 2 }, func(e *prepared) {
		var err error
		e.inFile(path, workload.Read, func(f *enginetest.File) { err = e.transfer(f, 1) })
		expectCallError(t, err, "H5Dopen2", path+" Dataset_2")
	})
}

func testAWriteThatFailsIsAnError(t *testing.T, world mpi.Comm) {
	signal.Ignore(syscall.SIGXFSZ)
	for _, a := range []access{{}, {collective: true}, {mpiPosix: true}} {
		path := filepath.Join(mpitest.Dir(t, world), "x.h5")
		prepare(t, world, small, a.set, func(e *prepared) {
			var err error
			e.inFile(path, workload.Write, func(f *enginetest.File) {
				limitFiles(t, 2048) // the data begin there: all processes fail, none waits for the next transfer
				err = e.transfer(f, 0)
				limitFiles(t, math.MaxInt64)
			})
			expectCallError(t, err, "H5Dwrite", path+" Dataset_1")
		})
	}
}

func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: math.MaxUint64}))
}

// If the first process cannot create the file, all processes return an error, and none waits.
func testSharedFileThatCannotBeMade(t *testing.T, world mpi.Comm) {
	if world.Rank() == 0 {
		gone := filepath.Join(t.TempDir(), "gone")
		must(t, os.Mkdir(gone, 0o700))
		t.Chdir(gone)
		must(t, os.Remove(gone))
	} else {
		t.Chdir(t.TempDir())
	}
	prepare(t, world, small, access{mpiPosix: true}.set, func(e *prepared) {
		_, err := e.session.Open("x.h5", workload.Write)
		expectCallError(t, err, "H5Fcreate", "x.h5")
	})
}

// Prepare refuses what the library cannot do, before a file exists.
func testPrepareRefuses(t *testing.T, world mpi.Comm) {
	const gib = 1 << 30
	huge := pattern.ParallelPattern{BytesPerProcess: 2 * gib, BlockSize: 2 * gib, TransferSize: 2 * gib}
	chunk := func(extent uint64) func(*enginetest.Spec) {
		return func(s *enginetest.Spec) { s.Chunk, s.Collective = []uint64{extent}, true }
	}
	bytes := uint64(4096)
	sieve := func(s *enginetest.Spec) { s.HDF5.SieveBufferBytes = &bytes }
	cache := func(s *enginetest.Spec) { s.Chunk, s.HDF5.ChunkCacheBytes = []uint64{1024}, &bytes }
	shared := func(change func(*enginetest.Spec)) func(*enginetest.Spec) {
		return func(s *enginetest.Spec) { s.HDF5.Driver = option.DriverMPIPosix; change(s) }
	}
	for _, c := range []struct {
		name    string
		pattern pattern.ParallelPattern
		change  func(*enginetest.Spec)
		taken   bool
		reason  string
	}{
		{"collective MPI-POSIX", small, access{collective: true, mpiPosix: true}.set, false, "no collective mode"},
		{"O_DIRECT", small, func(s *enginetest.Spec) { s.UseODirect = true }, false, "file driver direct"},
		{"a chunk larger than the dataset", small, chunk(4097), false, "not larger than"},
		{"a chunk as large as the dataset", small, chunk(4096), true, ""},
		{"a sieve buffer", small, sieve, true, ""},
		{"a sieve buffer with MPI-POSIX", small, shared(sieve), false, "overwrite data"},
		{"a chunk cache", small, cache, true, ""},
		{"a chunk cache with MPI-POSIX", small, shared(cache), false, "overwrite data"},
		{
			"an extendible dataset", small,
			func(s *enginetest.Spec) { s.Chunk, s.Extendible = []uint64{1024}, true }, false, "collective",
		},
		{"2 GiB, independent", huge, nil, h5.VersionAtLeast(1, 14, 0), "accepts at most 2147483647"},
		{"2 GiB, collective", huge, access{collective: true}.set, true, ""},
		{"2 GiB, MPI-POSIX", huge, access{mpiPosix: true}.set, true, ""},
		{"a chunk of 2 GiB", huge, chunk(2 * gib), h5.VersionAtLeast(1, 14, 0), "accepts at most 2147483647"},
		{"a chunk just below", huge, chunk(2*gib - 1), true, ""},
		{"a chunk of 2 GiB, MPI-POSIX", huge, access{mpiPosix: true, chunk: 2 * gib}.set, true, ""},
		{
			"2 GiB in two runs, independent",
			pattern.ParallelPattern{BytesPerProcess: 4 * gib, BlockSize: gib, TransferSize: 2 * gib, Interleaved: true},
			func(s *enginetest.Spec) { s.Nest.Runs[0].Stride *= 2 }, true, "",
		},
	} {
		spec := newSpec(t, world, c.pattern, c.change)
		session, err := enginetest.Prepare(hdf5.New(), spec)
		if err == nil {
			must(t, session.Close())
		}
		if (err == nil) != c.taken || err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", c.name, err)
		}
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}

// Only process 0 has a program that the library cannot do. The other processes do not wait for it.
func testOneProcessRefuses(t *testing.T, world mpi.Comm) {
	spec := newSpec(t, world, small, func(s *enginetest.Spec) {
		s.Chunk = []uint64{1024}
		if world.Rank() == 0 {
			s.Chunk = []uint64{1 << 20}
		}
	})
	session, err := enginetest.Prepare(hdf5.New(), spec)
	if refused := world.Rank() == 0; refused != (err != nil) {
		t.Errorf("rank %d: %v", world.Rank(), err)
	}
	world.Barrier()
	if err == nil {
		must(t, session.Close())
	}
	must(t, engine.UnmapMemory(spec.Buffer.Pool))
}
