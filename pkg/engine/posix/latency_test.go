//go:build cgo

package posix_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/hist"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// timed opens a file for one process and does all transfers of its dataset. It returns the latencies, and the time that
// passed.
func timed(t *testing.T, p pattern.Parallel, path string, op engine.Op) (*hist.Histogram, time.Duration) {
	t.Helper()
	spec, err := enginetest.Spec(mpi.Self{}, p.Sequence(0), p.Block, 0)
	if err != nil {
		t.Fatal(err)
	}
	if spec.Latency, err = engine.NewLatency(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(engine.FreeLatency(spec.Latency), engine.Unmap(spec.Buffer.Pool)); err != nil {
			t.Error(err)
		}
	})
	s, err := posix.New().Prepare(spec)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(path, op)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Dataset(0, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = d.Transfer(spec.Sequence.Transfers())
	passed := time.Since(start)
	if err := errors.Join(err, d.Close(), f.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return spec.Latency, passed
}

// strace lets one call of each kind take half a second longer.
func TestALatencyIsTheTimeOfItsCall(t *testing.T) {
	p := pattern.Parallel{Processes: 1, Bytes: 640, Transfer: 64, Block: 64}
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		for _, op := range []engine.Op{engine.Write, engine.Read} {
			h, _ := timed(t, p, filepath.Join(dir, name(0)), op)
			const ms = uint64(time.Millisecond)
			if h.Count() != 10 || h.Max < 500*ms || h.Quantile(0.9) >= 500*ms || h.Sum < h.Max {
				t.Errorf("latencies of 10 calls of %s, one of them of 500 ms: %d, the longest %d ns, 9 up to %d ns", op,
					h.Count(), h.Max, h.Quantile(0.9))
			}
		}
		return
	}
	dir := t.TempDir()
	const slow = ":delay_exit=500000:when=4"
	enginetest.Trace(t, dir, dataCalls, "-P", filepath.Join(dir, name(0)), "-e", "inject=pwrite64"+slow, "-e",
		"inject=pread64"+slow)
}

// To the null device calls cost nothing, and stamping 16 of each 32 bytes costs milliseconds.
func TestStampsAreNoPartOfALatency(t *testing.T) {
	for _, p := range []pattern.Parallel{
		{Processes: 1, Bytes: 32 << 20, Transfer: 8 << 20, Block: 32},
		{Processes: 1, Bytes: 32 << 20, Transfer: 32 << 10, Block: 32},
	} {
		h, passed := timed(t, p, os.DevNull, engine.Write)
		if h.Count() != 32<<20/p.Transfer || time.Duration(h.Sum) > passed/4 {
			t.Errorf("transfers of %d bytes: %d calls took %v of %v, which is mostly stamping", p.Transfer, h.Count(),
				time.Duration(h.Sum), passed)
		}
	}
}
