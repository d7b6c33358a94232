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
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		enginetest.Run(t, world, hdf5.New, enginetest.Options{Variants: variants()})
	})
}

// variants are driver × layout × mode.
func variants() []enginetest.Variant {
	var all []enginetest.Variant
	for _, layout := range []struct {
		name  string
		chunk func(p pattern.Parallel) uint64 // extent; 0 is contiguous layout
	}{
		{"contiguous", func(pattern.Parallel) uint64 { return 0 }},
		{"chunks of a block", func(p pattern.Parallel) uint64 { return p.Block }},
		{"chunks across blocks", func(p pattern.Parallel) uint64 { return min(p.Block+p.Block/2+1, p.Side()) }},
	} {
		for _, mode := range []struct {
			name string
			set  func(s *engine.Spec)
		}{
			{"independent", func(*engine.Spec) {}},
			{"collective", func(s *engine.Spec) { s.Collective = true }},
			{"MPI-POSIX", func(s *engine.Spec) { s.MPIPosix = true }},
		} {
			all = append(all, enginetest.Variant{
				Name: layout.name + ", " + mode.name,
				Set: func(p pattern.Parallel, s *engine.Spec) bool {
					if extent := layout.chunk(p); extent > 0 {
						for range s.Sequence.Dims {
							s.Chunk = append(s.Chunk, extent)
						}
					}
					mode.set(s)
					return true
				},
				Calls: func(engine.Spec) uint64 { return 1 },
			})
		}
	}
	return all
}
