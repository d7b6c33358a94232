//go:build cgo && !nompi

package hdf5_test

import (
	"slices"
	"testing"

	"h5perf/pkg/mpi"
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
			if u := got.Collective; (u != nil) != c.collective ||
				u != nil && (u.Collective != calls || u.Mixed+u.Independent > 0 ||
					u.LocalCauses != nil || u.GlobalCauses != nil) {
				t.Errorf("%+v: collective %+v, want %d calls", c, u, calls)
			}
		})
	}
}
