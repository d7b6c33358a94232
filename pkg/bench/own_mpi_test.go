//go:build cgo && !nompi

package bench_test

import (
	"os"
	"slices"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
)

// names returns the names of the files in a directory, and their total size.
func names(t *testing.T, dir string) (all []string, bytes int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all, bytes = append(all, e.Name()), bytes+info.Size()
	}
	return all, bytes
}

// Runs real engines on 3 processes.
func eachProcessHasAFileOfItsOwn(t *testing.T, world mpi.Comm) {
	for _, c := range []option.Conditions{
		{}, {Shift: new(1), Cold: true, Keep: true}, {Sync: option.SyncEach}, {Sync: option.SyncClose},
	} {
		o := small(world, c)
		o.FilesPerProcess, o.Datasets = true, new(2)
		dir := mpitest.Dir(t, world)
		_, cases := measure(t, world, o, dir, realEngines())
		complete(t, "own files", cases, true)
		world.Barrier()
		all, bytes := names(t, dir)
		if c.Keep != (len(all) == 9) || !c.Keep && len(all) > 0 || c.Keep && bytes < 3*3*2*8*8<<10 {
			t.Errorf("%+v: files %v of %d bytes are left", c, all, bytes)
		}
		for _, one := range cases {
			if e := one.Effective; one.API == result.PHDF5 && (e == nil || e.Driver != "sec2") {
				t.Errorf("HDF5: %+v, want the driver sec2", e)
			}
			if s := one.Samples; c.Cold && slices.ContainsFunc(s, func(s result.Sample) bool {
				return s.Operation == "read" && s.Cache == nil
			}) {
				t.Errorf("%s: a read without what was in the page cache", one.API)
			}
		}
		world.Barrier()
	}
}

// Runs real engines on 3 processes: process 0 creates the files and their datasets, then all processes write and read
// them.
func theFirstProcessCreatesFiles(t *testing.T, world mpi.Comm) {
	for _, c := range []option.Conditions{{Keep: true}, {Sync: option.SyncClose, Shift: new(1)}} {
		o := small(world, c)
		o.Create, o.Datasets, o.Files, o.Collective = option.CreateFirst, new(2), new(2), !c.Keep
		dir := mpitest.Dir(t, world)
		_, cases := measure(t, world, o, dir, realEngines())
		complete(t, "created by the first process", cases, true)
		world.Barrier()
		all, bytes := names(t, dir)
		if c.Keep != (len(all) == 6) || !c.Keep && len(all) > 0 || c.Keep && bytes < 3*2*2*3*8<<10 {
			t.Errorf("%+v: files %v of %d bytes are left", c, all, bytes)
		}
		for _, one := range cases {
			if e := one.Effective; one.API == result.PHDF5 && (e == nil || e.Driver != "mpio") {
				t.Errorf("HDF5: %+v, want the driver mpio, with which all open the file", e)
			}
		}
		world.Barrier()
	}
}
