//go:build cgo && !nompi

package hdf5_test

import (
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
	"h5perf/pkg/pattern"
)

func TestConformance(t *testing.T) {
	for _, layout := range []struct {
		name  string
		chunk func(p pattern.Parallel) uint64 // extent; 0 is contiguous layout
	}{
		{"contiguous", func(pattern.Parallel) uint64 { return 0 }},
		{"chunks of a block", func(p pattern.Parallel) uint64 { return p.Block }},
		{"chunks across blocks", func(p pattern.Parallel) uint64 { return min(p.Block+p.Block/2+1, p.Side()) }},
	} {
		t.Run(layout.name, func(t *testing.T) {
			mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
				enginetest.Run(t, world, hdf5.New, enginetest.Options{Variants: []enginetest.Variant{
					variant("independent", layout.chunk, access{}),
					variant("collective", layout.chunk, access{collective: true}),
					variant("MPI-POSIX", layout.chunk, access{mpiPosix: true}),
				}})
			})
		})
	}
}

func variant(name string, chunk func(pattern.Parallel) uint64, a access) enginetest.Variant {
	return enginetest.Variant{
		Name: name,
		Set: func(p pattern.Parallel, s *engine.Spec) bool {
			a.chunk = chunk(p)
			a.set(s)
			return true
		},
		Calls: func(engine.Spec) uint64 { return 1 },
	}
}
