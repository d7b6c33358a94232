//go:build cgo && !nompi

package mpiio

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// The system calls of independent transfers are as planned. Every process syncs the file, because the processes may be
// on different nodes, each with its own cache.
func TestSystemCalls(t *testing.T) { testSystemCalls(t) }

func TestSystemCallsOfROMIO(t *testing.T) {
	useROMIO(t)
	testSystemCalls(t, mpitest.On(2, "ROMIO", testROMIO))
}

func testSystemCalls(t *testing.T, more ...mpitest.Test) {
	t.Helper()
	const processes = 2
	file := func(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("file%d", i)) }
	if dir := enginetest.Traced(); dir != "" {
		mpitest.Run(t, append(more,
			mpitest.On(processes, "Calls", func(t *testing.T, world mpi.Comm) {
				for i, l := range layouts(processes) {
					spec := l.spec(t, world)
					spec.Datasets = 2
					s, err := enginetest.Prepare(New(), spec)
					if err != nil {
						t.Fatal(err)
					}
					for _, op := range []workload.Op{workload.Write, workload.Read} {
						_, err = access(s, spec, file(dir, i), op)
						world.Barrier()
						if err != nil {
							t.Fatal(err)
						}
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}),
			mpitest.On(processes, "Sync", func(t *testing.T, world mpi.Comm) {
				spec := layouts(processes)[0].spec(t, world)
				if err := synced(spec, filepath.Join(dir, "synced")); err != nil {
					t.Fatal(err)
				}
			}))...)
		return
	}
	dir := t.TempDir()
	trace := enginetest.Trace(t, dir, "pwrite64,pread64,pwritev,preadv,"+enginetest.SyncCalls)
	for i, l := range layouts(processes) {
		want := map[uint64][]enginetest.Call{}
		for r := range uint64(processes) {
			want[r] = l.planned(r, 2)
		}
		for _, function := range []string{"pwrite64", "pread64"} {
			got := enginetest.DataCalls(t, trace, function, file(dir, i))
			if !slices.Equal(got, slices.Concat(want[0], want[1])) &&
				!slices.Equal(got, slices.Concat(want[1], want[0])) {
				t.Errorf("%s: %s of (offset, bytes) %v, want %v and %v", l.name, function, got, want[0], want[1])
			}
		}
	}
	want := [][]string{{filepath.Join(dir, "synced")}, {filepath.Join(dir, "synced")}}
	if got := enginetest.Synced(trace); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("made durable: %v, want %v", got, want)
	}
}

// synced writes a file and syncs it, for a trace of its system calls.
func synced(spec enginetest.Spec, path string) error {
	s, err := enginetest.Prepare(New(), spec)
	if err != nil {
		return err
	}
	f, err := s.Open(path, workload.Write)
	if err != nil {
		return err
	}
	d, err := f.Dataset(0, 0, false)
	if err != nil {
		return err
	}
	return errors.Join(d.Transfer(spec.Sequence.NumTransfers()), d.Close(), enginetest.Sync(f), f.Close(), s.Close())
}

// planned returns the calls of a process for all datasets of a file, in order.
func (l layout) planned(rank, datasets uint64) []enginetest.Call {
	s := l.p.Sequence(rank)
	var out []enginetest.Call
	for k := range datasets {
		for n := range s.NumTransfers() * l.calls {
			at := k*s.DatasetBytes() + l.offset(l.p, rank, n/l.calls, n%l.calls)
			out = append(out, enginetest.Call{Offset: int(at), Bytes: int(l.bytes)})
		}
	}
	return out
}
