//go:build cgo

package hdf5_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

func TestSyncMakesAllFilesOfADriverDurable(t *testing.T) {
	lockThread(t)
	all := drivers(t)
	file := func(dir, driver string) string { return filepath.Join(dir, driver, "data_1.h5") }
	if dir := enginetest.Traced(); dir != "" {
		for _, driver := range all {
			prepare(t, mpi.Self{}, large, using(driver), func(e *prepared) {
				e.inFile(file(dir, string(driver)), workload.Write, func(f *enginetest.File) {
					must(t, e.transfer(f, 0))
					must(t, enginetest.Sync(f))
				})
			})
		}
		return
	}
	dir := t.TempDir()
	for _, driver := range all {
		must(t, os.Mkdir(filepath.Join(dir, string(driver)), 0o700))
	}
	synced := enginetest.Synced(enginetest.Trace(t, dir, enginetest.SyncCalls))
	if len(synced) != len(all) {
		t.Fatalf("files were synced %d times, with %d drivers", len(synced), len(all))
	}
	for i, driver := range all {
		var want []string
		for _, name := range layouts[driver].files {
			want = append(want, filepath.Join(dir, string(driver), name))
		}
		slices.Sort(want)
		if !slices.Equal(synced[i], want) {
			t.Errorf("%s: made durable: %v, want %v", driver, synced[i], want)
		}
	}
}
