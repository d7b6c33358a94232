//go:build cgo

package posix_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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

var options = enginetest.Options{
	Plain:    true,
	Listed:   true,
	Variants: []enginetest.Variant{{Name: "contiguous"}, {Name: "chunk emulation", ChunkEmulation: true}},
}

func TestConformance(t *testing.T) {
	enginetest.Run(t, mpi.Self{}, posix.New, options)
}

// session prepares the engine for one process.
func session(t *testing.T, seq pattern.Sequence, block uint64) (*enginetest.Session, enginetest.Spec) {
	t.Helper()
	spec, err := enginetest.NewSpec(mpi.Self{}, seq, block, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := enginetest.Prepare(posix.New(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), engine.UnmapMemory(spec.Buffer.Pool)); err != nil {
			t.Error(err)
		}
	})
	return s, spec
}

// transfer opens a file and its first dataset, and does all transfers. It returns their progress and their error.
func transfer(
	t *testing.T, s *enginetest.Session, spec enginetest.Spec, path string, op workload.Op,
) (engine.Progress, error) {
	t.Helper()
	f, err := s.Open(path, op)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Dataset(0, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	failure := d.Transfer(spec.Sequence.NumTransfers())
	progress := d.Progress()
	if err := errors.Join(d.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	return progress, failure
}

func TestAFullDeviceIsAnErrorOfTheSystem(t *testing.T) {
	s, spec := session(t, pattern.ParallelPattern{
		Processes: 2, BytesPerProcess: 64, TransferSize: 64,
		BlockSize: 32,
	}.Sequence(1), 32)
	progress, err := transfer(t, s, spec, "/dev/full", workload.Write)
	var e *engine.CallError
	if !errors.As(err, &e) || e.Call != "pwrite" || e.Path != "/dev/full" || e.Offset != 64 || e.Bytes != 64 ||
		e.Moved != 0 ||
		!errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write to /dev/full: %v", err)
	}
	if progress != (engine.Progress{}) {
		t.Errorf("nothing was written, progress is %+v", progress)
	}
}

func TestTheEndOfAFileIsAnErrorAndTellsWhatCameBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	s, spec := session(t, pattern.ParallelPattern{
		Processes: 1, BytesPerProcess: 128, TransferSize: 64,
		BlockSize: 64,
	}.Sequence(0), 64)
	progress, err := transfer(t, s, spec, path, workload.Read)
	var e *engine.CallError
	if !errors.As(err, &e) || e.Call != "pread" || e.Offset != 64 || e.Bytes != 64 || e.Moved != 36 ||
		!errors.Is(err, engine.ErrShortTransfer) {
		t.Errorf("read beyond the end: %v", err)
	}
	if want := (engine.Progress{Transfers: 1, Bytes: 100, Calls: 2}); progress != want {
		t.Errorf("progress is %+v, want %+v", progress, want)
	}
}

// The null device moves at most 2 GiB - 4 KiB in a call, as every file does, but does not read the data.
func TestATransferBeyondTheLimitOfACallIsResumed(t *testing.T) {
	const size = 2 << 30
	s, spec := session(t, pattern.ParallelPattern{
		Processes: 1, BytesPerProcess: size, TransferSize: size,
		BlockSize: size,
	}.Sequence(0), size)
	progress, err := transfer(t, s, spec, os.DevNull, workload.Write)
	if want := (engine.Progress{Transfers: 1, Bytes: size, Calls: 2}); err != nil || progress != want {
		t.Errorf("progress of %d bytes in one transfer is %+v with error %v, want %+v", size, progress, err, want)
	}
}

func TestAFileIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	s, spec := session(t, pattern.ParallelPattern{
		Processes: 1, BytesPerProcess: 64, TransferSize: 64,
		BlockSize: 64,
	}.Sequence(0), 64)
	if _, err := transfer(t, s, spec, path, workload.Write); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the file: %v, %v", info.Mode(), err)
	}
}

func TestASymbolicLinkIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	s, _ := session(t,
		pattern.ParallelPattern{Processes: 1, BytesPerProcess: 8, TransferSize: 8, BlockSize: 8}.Sequence(0), 8)
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		if f, err := s.Open(link, op); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("open for %s of a link: file %v, error %v", op, f, err)
		}
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "precious" {
		t.Errorf("the target of the link holds %q, %v", data, err)
	}
}

func TestAMissingFileIsAnErrorOfTheSystem(t *testing.T) {
	s, _ := session(t,
		pattern.ParallelPattern{Processes: 1, BytesPerProcess: 8, TransferSize: 8, BlockSize: 8}.Sequence(0), 8)
	_, err := s.Open(filepath.Join(t.TempDir(), "none"), workload.Read)
	var e *engine.CallError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || e.Call != "open" {
		t.Errorf("open of a missing file: %v", err)
	}
}

// BenchmarkTransfer measures the shortest time of a transfer to memory, and how much longer it takes when each call is
// timed.
func BenchmarkTransfer(b *testing.B) {
	for _, size := range []uint64{64, 4096, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			path := filepath.Join("/dev/shm", fmt.Sprintf("h5perf-benchmark-%d", os.Getpid()))
			defer func() { _ = os.Remove(path) }()
			const n = 512
			latency, err := engine.NewLatencyHistogram()
			if err != nil {
				b.Fatal(err)
			}
			untimed, timed := writer(b, path, size, n, nil), writer(b, path, size, n, latency)
			least := [2]time.Duration{time.Hour, time.Hour}
			b.ReportAllocs()
			for b.Loop() { // alternately; the first transfer follows the last
				for i, d := range []*enginetest.Dataset{untimed, timed} {
					start := time.Now()
					if err := d.Transfer(n); err != nil {
						b.Fatal(err)
					}
					least[i] = min(least[i], time.Since(start))
				}
			}
			b.ReportMetric(float64(least[0])/n, "ns/transfer")
			b.ReportMetric(100*float64(least[1]-least[0])/float64(least[0]), "%timing")
		})
	}
}

// writer opens a dataset for writing n transfers.
func writer(b *testing.B, path string, size, n uint64, latency *fill.Histogram) *enginetest.Dataset {
	b.Helper()
	spec, err := enginetest.NewSpec(mpi.Self{},
		pattern.ParallelPattern{
			Processes: 1, BytesPerProcess: size * n, TransferSize: size,
			BlockSize: size,
		}.Sequence(0),
		size, 0)
	if err != nil {
		b.Fatal(err)
	}
	spec.Latency = latency
	s, err := enginetest.Prepare(posix.New(), spec)
	if err != nil {
		b.Fatal(err)
	}
	f, err := s.Open(path, workload.Write)
	if err != nil {
		b.Fatal(err)
	}
	d, err := f.Dataset(0, 1, true)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(d.Close(), f.Close(), s.Close(), engine.UnmapMemory(spec.Buffer.Pool)); err != nil {
			b.Error(err)
		}
	})
	return d
}

// A process may open a file only after other processes have written to it.
func TestAFileThatWasMadeIsNotTruncated(t *testing.T) {
	for made, want := range map[bool]string{true: "written", false: ""} {
		path := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(path, []byte("written"), 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := os.Open(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		env := engine.Env{Comm: mpi.Self{}, Dir: filepath.Dir(path), DirHandle: at}
		s, err := posix.New().Prepare(env, workload.Program{Files: []workload.File{{Name: "data"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, class := range []workload.StepClass{workload.FileOpen, workload.FileClose} {
			b := workload.Batch{Class: class, Path: path, InitiallyEmpty: made, Move: workload.NoMove}
			if err := s.Do(&b); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("made %v: %q, %v, want %q", made, got, err, want)
		}
		if err := errors.Join(s.Close(), at.Close()); err != nil {
			t.Error(err)
		}
	}
}
