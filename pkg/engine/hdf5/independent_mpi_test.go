//go:build cgo && !nompi

package hdf5_test

import (
	"errors"
	"path/filepath"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// Processes transfer one after another. If a transfer were collective, the first process would wait for the second
// process, which waits in a barrier.
func testIndependentTransfersWaitForNoOtherProcess(t *testing.T, world mpi.Comm) {
	for _, a := range []access{{}, {chunk: 512}, {mpiPosix: true}} {
		path := filepath.Join(mpitest.Dir(t, world), "x.h5")
		set := func(s *enginetest.Spec) {
			a.set(s)
			s.DataMayBeZeros = true
		}
		prepare(t, world, small, set, func(e *prepared) {
			for _, op := range []workload.Op{workload.Write, workload.Read} {
				e.inFile(path, op, func(f *enginetest.File) {
					set, err := f.Dataset(0, 0, false)
					must(t, err)
					for turn := range world.Size() {
						if turn == world.Rank() {
							err = set.Transfer(e.spec.Sequence.NumTransfers())
						}
						world.Barrier()
					}
					must(t, errors.Join(err, set.Close()))
				})
			}
		})
	}
}
