//go:build cgo && !nompi

package bench_test

import (
	"strings"
	"testing"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/workload"
)

// Runs on 3 processes. Each comparison ends on all of them, with the same message.
func programsThatWouldWaitForEverAreRefused(t *testing.T, world mpi.Comm) {
	closed := func(s *steps) *steps { return s.object(workload.ObjectClose, 0, 0, 1).file(workload.FileClose, 0) }
	created := func() *steps { return newSteps().file(workload.FileOpen, 0).object(workload.Create, 0, 0, 1) }
	for _, c := range []struct {
		name string
		of   func(rank int) *steps
		want string
	}{
		{"all write", func(int) *steps { return closed(created().move(collectively, 0, 1)) }, ""},
		{"rank 0 writes", func(rank int) *steps {
			s := created()
			if rank == 0 {
				s.move(collectively, 0, 1)
			}
			return closed(s)
		}, "rank 0: dataset f:/d0 is written in collective mode (line 4); ranks 1 to 2: dataset f:/d0 is closed " +
			"(line 3)"},
		{"a step of rank 2 cannot be done", func(rank int) *steps {
			s := created()
			if rank == 2 {
				s.object(workload.Create, 0, 0, 1)
			}
			return closed(s)
		}, "rank 2: line 3: dataset f:/d0 is created, but it is open since line 2"},
		{"each creates the same file by itself", func(int) *steps {
			return newSteps().file(workload.FileOpen, 2).file(workload.FileClose, 2)
		}, "line 1: file own is created by ranks 0 to 2, each by itself"},
		{"rank 1 opens by itself what rank 2 has created as something else", func(rank int) *steps {
			s := newSteps()
			s.Parts[workload.Read].Dumps = []workload.Dump{{Epochs: []workload.Epoch{{}}}}
			switch s.Objects[0].File = 2; rank {
			case 1:
				s.Objects[0].Dims = []uint64{9}
				s.reading().file(workload.FileOpen, 2).object(workload.Open, 0, 3, 1)
				return s.object(workload.ObjectClose, 0, 3, 1).file(workload.FileClose, 2)
			case 2:
				s.file(workload.FileOpen, 2).object(workload.Create, 0, 0, 10)
				return s.object(workload.ObjectClose, 0, 0, 10).file(workload.FileClose, 2)
			}
			return s
		}, "line 2: dataset own:/d3 is opened by rank 1 of type u8, extent [9], but rank 2 creates it of type u8, " +
			"extent [8] (line 2)"},
		{"rank 1 reads what rank 2 writes", func(rank int) *steps {
			s := created()
			if rank == 2 {
				s.move(independent, 0, 1)
			}
			closed(s).reading().file(workload.FileOpen, 0).object(workload.Open, 0, 0, 1)
			if rank == 1 {
				s.move(independent, 0, 1)
			}
			return closed(s)
		}, ""},
		{"rank 1 reads what none writes", func(rank int) *steps {
			s := closed(created()).reading().file(workload.FileOpen, 0).object(workload.Open, 0, 0, 1)
			if rank == 1 {
				s.move(independent, 0, 1)
			}
			return closed(s)
		}, "line 8: dataset f:/d0 is read, but no step has written to it"},
	} {
		of := func() (workload.Program, error) { return c.of(world.Rank()).Program, nil }
		err := bench.CheckPrograms(world, of, true)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: rank %d: %v, want %q", c.name, world.Rank(), err, c.want)
		}
	}
}
