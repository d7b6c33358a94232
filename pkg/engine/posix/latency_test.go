//go:build cgo

package posix_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// timed opens a file for one process and does all transfers of its dataset. It returns the latencies, and the elapsed
// time of the transfers.
func timed(t *testing.T, p pattern.ParallelPattern, path string, op workload.Op) (*fill.Histogram, time.Duration) {
	t.Helper()
	spec, err := enginetest.NewSpec(mpi.Self{}, p.Sequence(0), p.BlockSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	if spec.Latency, err = engine.NewLatencyHistogram(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(engine.FreeLatencyHistogram(spec.Latency),
			engine.UnmapMemory(spec.Buffer.Pool)); err != nil {
			t.Error(err)
		}
	})
	s, err := enginetest.Prepare(posix.New(), spec)
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
	err = d.Transfer(spec.Sequence.NumTransfers())
	passed := time.Since(start)
	if err := errors.Join(err, d.Close(), f.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return spec.Latency, passed
}

// strace makes one call of each kind 0.1 s longer. The sum of all latencies must not exceed the elapsed time.
func TestALatencyIsTheTimeOfItsCall(t *testing.T) {
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 640, TransferSize: 64, BlockSize: 64}
	const slow = 100 * time.Millisecond
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			h, passed := timed(t, p, filepath.Join(dir, name(0)), op)
			// the two clocks may differ by a few parts per million
			if h.Count() != 10 || h.Max < uint64(slow) || h.Sum < h.Max || h.Sum > uint64(passed+passed/1000) {
				t.Errorf("latencies of 10 calls of %s in %v, one of them of %v: %d of %d ns, the longest %d ns", op,
					passed, slow, h.Count(), h.Sum, h.Max)
			}
		}
		return
	}
	dir := t.TempDir()
	delay := fmt.Sprintf(":delay_exit=%d:when=4", slow.Microseconds())
	enginetest.Trace(t, dir, dataCalls, "-P", filepath.Join(dir, name(0)), "-e", "inject=pwrite64"+delay, "-e",
		"inject=pread64"+delay)
}

// Calls to the null device cost almost nothing, but stamping 16 of every 32 bytes takes milliseconds. The test ignores
// the slowest quarter of the calls, because a call takes long if its thread loses its processor.
func TestStampsAreNoPartOfALatency(t *testing.T) {
	for _, p := range []pattern.ParallelPattern{
		{Processes: 1, BytesPerProcess: 32 << 20, TransferSize: 1 << 20, BlockSize: 32},  // stamped one by one
		{Processes: 1, BytesPerProcess: 32 << 20, TransferSize: 32 << 10, BlockSize: 32}, // stamped in pairs
	} {
		h, passed := timed(t, p, os.DevNull, workload.Write)
		calls := 32 << 20 / p.TransferSize
		if usual := h.Quantile(0.75); h.Count() != calls || time.Duration(usual*calls) > passed/4 {
			t.Errorf("transfers of %d bytes: %d calls of up to %d ns in %v, which is mostly stamping", p.TransferSize,
				h.Count(), usual, passed)
		}
	}
}
