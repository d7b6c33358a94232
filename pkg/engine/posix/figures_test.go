//go:build cgo

package posix_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

type call = enginetest.Call

var calls = enginetest.Calls

// figures holds the figures of the h5perf user guide: the pattern, the calls of each process in order, and the content
// of the file when each process writes its rank.
var figures = []struct {
	name   string
	p      pattern.ParallelPattern
	chunks bool
	calls  [][]call
	file   string
}{
	{
		name:  "figure 2",
		p:     pattern.ParallelPattern{Processes: 3, BlockSize: 2, BytesPerProcess: 8, TransferSize: 4},
		calls: [][]call{calls(4, 0, 4), calls(4, 8, 12), calls(4, 16, 20)},
		file:  "000000001111111122222222",
	},
	{
		name: "figure 3",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 4,
			Interleaved: true,
		},
		calls: [][]call{calls(2, 0, 6), calls(2, 2, 8), calls(2, 4, 10)},
		file:  "001122001122",
	},
	{
		name: "figure 3 as drawn, with 8 bytes per process",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 8, TransferSize: 4,
			Interleaved: true,
		},
		calls: [][]call{
			calls(2, 0, 6, 12, 18), calls(2, 2, 8, 14, 20), calls(2, 4, 10, 16, 22),
		},
		file: "001122001122001122001122",
	},
	{
		name: "figure 5",
		p:    pattern.ParallelPattern{Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true},
		calls: [][]call{
			calls(12, 0, 12, 24, 36), calls(12, 48, 60, 72, 84), calls(12, 96, 108, 120, 132),
		},
		file: strings.Repeat("000000000000", 4) + strings.Repeat("111111111111", 4) + strings.Repeat("222222222222", 4),
	},
	{
		name: "figure 7",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true,
			Interleaved: true,
		},
		calls: [][]call{
			calls(2, 0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 120, 132, 6, 18, 30, 42, 54, 66, 78, 90, 102, 114, 126,
				138),
			calls(2, 2, 14, 26, 38, 50, 62, 74, 86, 98, 110, 122, 134, 8, 20, 32, 44, 56, 68, 80, 92, 104, 116, 128,
				140),
			calls(2, 4, 16, 28, 40, 52, 64, 76, 88, 100, 112, 124, 136, 10, 22, 34, 46, 58, 70, 82, 94, 106, 118, 130,
				142),
		},
		file: strings.Repeat("001122001122", 12),
	},
	{
		name:  "figure 10",
		p:     pattern.ParallelPattern{Processes: 2, BlockSize: 4, BytesPerProcess: 4, TransferSize: 4, TwoD: true},
		calls: [][]call{calls(4, 0, 8, 16, 24, 4, 12, 20, 28), calls(4, 32, 40, 48, 56, 36, 44, 52, 60)},
		file:  strings.Repeat("0", 32) + strings.Repeat("1", 32),
	},
	{
		name:   "figure 11",
		p:      pattern.ParallelPattern{Processes: 2, BlockSize: 4, BytesPerProcess: 4, TransferSize: 4, TwoD: true},
		chunks: true,
		calls:  [][]call{calls(16, 0, 16), calls(16, 32, 48)},
		file:   strings.Repeat("0", 32) + strings.Repeat("1", 32),
	},
	{
		name:   "figure 5 in chunks",
		p:      pattern.ParallelPattern{Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true},
		chunks: true,
		calls:  [][]call{calls(24, 0, 24), calls(24, 48, 72), calls(24, 96, 120)},
		file: strings.Repeat("000000000000", 4) + strings.Repeat("111111111111", 4) +
			strings.Repeat("222222222222", 4),
	},
	{
		name: "figure 7 in chunks",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true,
			Interleaved: true,
		},
		chunks: true,
		calls: [][]call{
			calls(4, 0, 24, 48, 72, 96, 120, 12, 36, 60, 84, 108, 132),
			calls(4, 4, 28, 52, 76, 100, 124, 16, 40, 64, 88, 112, 136),
			calls(4, 8, 32, 56, 80, 104, 128, 20, 44, 68, 92, 116, 140),
		},
		file: strings.Repeat("000011112222", 12),
	},
}

// dataCalls are the system calls that move data.
const dataCalls = "pwrite64,pread64"

func name(figure int) string { return fmt.Sprintf("figure%d", figure) }

func TestSystemCallsOfTheFigures(t *testing.T) {
	if dir := enginetest.Traced(); dir != "" {
		for i := range figures {
			figure(t, i, filepath.Join(dir, name(i)))
		}
		return
	}
	dir := t.TempDir()
	trace := enginetest.Trace(t, dir, dataCalls)
	for i, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join(dir, name(i))
			file, err := os.ReadFile(path)
			if err != nil || string(file) != f.file {
				t.Errorf("the file holds\n%s, want\n%s, error %v", file, f.file, err)
			}
			want := slices.Concat(f.calls...)
			for _, function := range []string{"pwrite64", "pread64"} {
				if got := enginetest.DataCalls(t, trace, function, path); !slices.Equal(got, want) {
					t.Errorf("%s of (offset, bytes) %v, want %v", function, got, want)
				}
			}
		})
	}
}

// The trace contains an interrupted call and its repetition.
func TestAnInterruptedCallIsRepeated(t *testing.T) {
	if dir := enginetest.Traced(); dir != "" {
		figure(t, 0, filepath.Join(dir, name(0)))
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, name(0))
	trace := enginetest.Trace(t, dir, dataCalls, "-P", path, "-e", "inject=pwrite64,pread64:error=EINTR:when=2..6+2")
	if !strings.Contains(trace, "EINTR") {
		t.Errorf("no call was interrupted:\n%s", trace)
	}
	want := slices.Concat(figures[0].calls...)
	for _, function := range []string{"pwrite64", "pread64"} {
		if got := enginetest.DataCalls(t, trace, function, path); !slices.Equal(got, want) {
			t.Errorf("%s that were not interrupted: (offset, bytes) %v, want %v", function, got, want)
		}
	}
	if file, err := os.ReadFile(path); err != nil || string(file) != figures[0].file {
		t.Errorf("the file holds %s, want %s, error %v", file, figures[0].file, err)
	}
}

// strace makes the first call of each kind return 10 bytes, and does not execute it.
func TestAShortCallIsResumedWhereItEnded(t *testing.T) {
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		s, spec := session(t, pattern.ParallelPattern{
			Processes: 1, BytesPerProcess: 64, TransferSize: 64,
			BlockSize: 64,
		}.Sequence(0), 64)
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			progress, err := transfer(t, s, spec, filepath.Join(dir, name(0)), op)
			if want := (engine.Progress{Transfers: 1, Bytes: 64, Calls: 2}); err != nil || progress != want {
				t.Errorf("progress of the %s: %+v with error %v, want %+v", op, progress, err, want)
			}
		}
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, name(0))
	trace := enginetest.Trace(t, dir, dataCalls, "-P", path, "-e", "inject=pwrite64:retval=10:when=1", "-e",
		"inject=pread64:retval=10:when=1")
	for _, function := range []string{"pwrite64", "pread64"} {
		got, want := enginetest.DataCalls(t, trace, function, path), append(calls(64, 0), calls(54, 10)...)
		if !slices.Equal(got, want) {
			t.Errorf("%s of (offset, bytes) %v, want %v", function, got, want)
		}
	}
}

// figure executes a figure as its processes do: all open the file, then each writes its rank as a digit, then each
// reads. It uses one thread, because each thread has its own trace.
func figure(t *testing.T, i int, path string) {
	t.Helper()
	runtime.LockOSThread()
	f := figures[i]
	sessions, specs := make([]*enginetest.Session, f.p.Processes), make([]enginetest.Spec, f.p.Processes)
	for rank := range f.p.Processes {
		seq := f.p.Sequence(rank)
		if f.chunks {
			seq = f.p.ChunkSequence(rank)
		}
		sessions[rank], specs[rank] = session(t, seq, f.p.BlockSize)
	}
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		files := make([]*enginetest.File, f.p.Processes)
		for rank := range files {
			var err error
			if files[rank], err = sessions[rank].Open(path, op); err != nil {
				t.Fatal(err)
			}
		}
		for rank, file := range files {
			pool := specs[rank].Buffer.Pool
			for b := range pool {
				pool[b] = '?'
				if op == workload.Write {
					pool[b] = byte('0' + rank)
				}
			}
			d, err := file.Dataset(0, 0, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.Transfer(specs[rank].Sequence.NumTransfers()), d.Close(),
				file.Close()); err != nil {
				t.Fatal(err)
			}
			if got, want := string(pool), strings.Repeat(strconv.Itoa(rank), len(pool)); got != want {
				t.Errorf("%s: rank %d has %s after the %s, want %s", f.name, rank, got, op, want)
			}
		}
	}
}
