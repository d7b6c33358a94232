//go:build cgo && !nompi

package hdf5_test

import (
	"slices"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

func testEffective(t *testing.T, world mpi.Comm) {
	hint := units.KeyValue{Key: "cb_buffer_size", Value: "4194304"} // all MPI-IO implementations report it
	for _, c := range []struct {
		access
		driver string
	}{
		{access{}, "mpio"},
		{access{collective: true}, "mpio"},
		{access{collective: true, chunk: 512}, "mpio"},
		{access{mpiPosix: true}, "sec2 (MPI-POSIX)"},
	} {
		change := func(s *enginetest.Spec) {
			c.set(s)
			s.Datasets, s.MPIIO.Hints, s.MPIIO.HintsSet = 2, []units.KeyValue{hint}, true
		}
		prepare(t, world, small, change, func(e *prepared) {
			path := mpitest.Dir(t, world) + "/x.h5"
			e.inFile(path, workload.Write, func(f *enginetest.File) {
				must(t, e.transfer(f, 0))
				must(t, e.transfer(f, 1))
			})
			calls := 2 * e.spec.Sequence.NumTransfers()
			got := e.session.Report()
			if got.Driver != c.driver || got.Calls != calls || got.SetViews != 0 {
				t.Errorf("%+v: %+v, want driver %s and %d calls", c, got, c.driver, calls)
			}
			if e.session.CollectiveSync() == c.mpiPosix {
				t.Errorf("%+v: collective sync %t", c, e.session.CollectiveSync())
			}
			if slices.Contains(got.Hints, hint) == c.mpiPosix {
				t.Errorf("%+v: hints %v", c, got.Hints)
			}
			if u := got.Collective[workload.Write]; (u != nil) != c.collective ||
				u != nil && (u.Collective != calls || u.Mixed+u.Independent > 0 ||
					u.LocalCauses != nil || u.GlobalCauses != nil) {
				t.Errorf("%+v: collective %+v, want %d calls", c, u, calls)
			}
		})
	}
}

// The transfers of a series are accounted with one query, as long as they have the same mode.
func testCollectiveTransfersOfASeriesAreCounted(t *testing.T, world mpi.Comm) {
	for _, chunk := range []uint64{0, 8} {
		spec := newSpec(t, world, small, access{chunk: chunk, collective: true}.set)
		program, part := spec.Program(), uint64(8*world.Rank())
		dims := []uint64{8 * uint64(world.Size())}
		o := &program.Objects[0]
		if o.Dims = dims; chunk > 0 {
			o.Chunk = []uint64{chunk}
		}
		program.Moves = nil
		for i, collective := range []bool{true, true, true, false} {
			one, err := pattern.SelectHyperslab(dims, 1, pattern.Hyperslab{
				Start: []uint64{part + 2*uint64(i)}, Stride: []uint64{1}, Count: []uint64{1}, Block: []uint64{2},
			})
			must(t, err)
			program.Moves = append(program.Moves, workload.Move{
				Listed: true, Selection: one, PlainSelection: one, Collective: collective,
				Buffer: workload.Buffer{Pool: spec.Buffer.Pool, Slots: 1, SlotBytes: 2, Grain: 2},
			})
		}
		s, err := hdf5.New().Prepare(spec.Env, program)
		must(t, err)
		b := workload.Batch{
			Op: workload.Write, Path: mpitest.Dir(t, world) + "/x.h5", Count: 1, Move: workload.NoMove, NumTransfers: 1,
		}
		for _, b.Class = range []workload.StepClass{
			workload.FileOpen, workload.Create, workload.Transfer, workload.ObjectClose, workload.FileClose,
		} {
			one := b
			if b.Class == workload.Transfer {
				one.Move, one.SeriesMoves, one.BeginsAndEnds = 0, len(program.Moves), true
			}
			must(t, s.Do(&one))
		}
		if got := s.Report(); got.Calls != 4 || got.Collective[workload.Write].Collective != 3 ||
			got.Collective[workload.Write].Mixed+got.Collective[workload.Write].Independent > 0 {
			t.Errorf("chunks of %d: %d calls, %+v, want 3 collective ones of 4", chunk, got.Calls, got.Collective)
		}
		must(t, s.Close())
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}
