//go:build cgo && !nompi

package mpiio

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
)

// Every process makes durable what it wrote: their caches may be on different nodes.
func TestSyncMakesTheFileDurableOnEveryProcess(t *testing.T) { testSync(t) }

func TestSyncOfROMIOMakesTheFileDurableOnEveryProcess(t *testing.T) {
	useROMIO(t)
	testSync(t)
}

func testSync(t *testing.T) {
	t.Helper()
	if dir := enginetest.Traced(); dir != "" {
		mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
			spec := layouts(2)[0].spec(t, world)
			s, err := New().Prepare(spec)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.Open(filepath.Join(dir, "file"), engine.Write)
			if err != nil {
				t.Fatal(err)
			}
			d, err := f.Dataset(0, 0, false)
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(d.Transfer(spec.Sequence.Transfers()), d.Close(), enginetest.Sync(f), f.Close(),
				s.Close())
			if err != nil {
				t.Fatal(err)
			}
		})
		return
	}
	dir := t.TempDir()
	want := [][]string{{filepath.Join(dir, "file")}, {filepath.Join(dir, "file")}}
	synced := enginetest.Synced(enginetest.Trace(t, dir, enginetest.SyncCalls))
	if !slices.EqualFunc(synced, want, slices.Equal) {
		t.Errorf("made durable: %v, want %v", synced, want)
	}
}
