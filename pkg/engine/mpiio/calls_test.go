//go:build cgo && !nompi

package mpiio

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
)

// Independent transfers reach the system as they are planned, call by call.
func TestSystemCallsOfIndependentTransfers(t *testing.T) { testCalls(t) }

func TestSystemCallsOfIndependentTransfersOfROMIO(t *testing.T) {
	useROMIO(t)
	testCalls(t)
}

func testCalls(t *testing.T) {
	t.Helper()
	const processes = 2
	file := func(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("file%d", i)) }
	if dir := enginetest.Traced(); dir != "" {
		mpitest.Parallel(t, processes, func(t *testing.T, world mpi.Comm) {
			for i, l := range layouts(processes) {
				spec := l.spec(t, world)
				spec.Datasets = 2
				s, err := New().Prepare(spec)
				if err != nil {
					t.Fatal(err)
				}
				for _, op := range []engine.Op{engine.Write, engine.Read} {
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
		})
		return
	}
	dir := t.TempDir()
	trace := enginetest.Trace(t, dir, "pwrite64,pread64,pwritev,preadv")
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
}

// planned are the calls of a process for all datasets of a file, in their order.
func (l layout) planned(rank, datasets uint64) []enginetest.Call {
	s := l.p.Sequence(rank)
	var out []enginetest.Call
	for k := range datasets {
		for n := range s.Transfers() * l.calls {
			at := k*s.DatasetBytes() + l.offset(l.p, rank, n/l.calls, n%l.calls)
			out = append(out, enginetest.Call{Offset: int(at), Bytes: int(l.bytes)})
		}
	}
	return out
}
