//go:build cgo && !nompi

package hdf5_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// Every process makes its own writes durable, because the caches of processes may be on different nodes. In collective
// mode, some processes write the data of all.
func TestSyncMakesAFileDurableOnEveryProcess(t *testing.T) {
	ways := []access{{}, {collective: true}, {mpiPosix: true}}
	file := func(dir string, way int) string { return filepath.Join(dir, fmt.Sprintf("data_%d.h5", way)) }
	if dir := enginetest.Traced(); dir != "" {
		mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
			for i, way := range ways {
				prepare(t, world, large, way.set, func(e *prepared) {
					e.inFile(file(dir, i), workload.Write, func(f *enginetest.File) {
						must(t, e.transfer(f, 0))
						must(t, enginetest.Sync(f))
					})
				})
			}
		})
		return
	}
	dir := t.TempDir()
	synced := enginetest.Synced(enginetest.Trace(t, dir, enginetest.SyncCalls))
	if len(synced) != 2*len(ways) {
		t.Fatalf("files were synced %d times, by 2 processes in %d ways", len(synced), len(ways))
	}
	for i, way := range ways {
		want := file(dir, i)
		first, second := slices.Contains(synced[i], want), slices.Contains(synced[len(ways)+i], want)
		if !first && !second || first != second && !way.collective {
			t.Errorf("%+v: the processes made %v and %v durable, want %s", way, synced[i], synced[len(ways)+i], want)
		}
	}
}
