//go:build cgo

package posix_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

func TestSyncMakesTheFileDurable(t *testing.T) {
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		s, spec := session(t, pattern.ParallelPattern{
			Processes: 1, BytesPerProcess: 64, TransferSize: 64,
			BlockSize: 64,
		}.Sequence(0), 64)
		f, err := s.Open(filepath.Join(dir, name(0)), workload.Write)
		if err != nil {
			t.Fatal(err)
		}
		d, err := f.Dataset(0, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(d.Transfer(spec.Sequence.NumTransfers()), d.Close(), enginetest.Sync(f), f.Close())
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	synced := enginetest.Synced(enginetest.Trace(t, dir, enginetest.SyncCalls))
	if want := filepath.Join(dir, name(0)); len(synced) != 1 || !slices.Equal(synced[0], []string{want}) {
		t.Errorf("made durable: %v, want %s", synced, want)
	}
}
