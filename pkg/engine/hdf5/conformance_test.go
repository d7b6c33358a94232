//go:build cgo && !nompi

package hdf5_test

import (
	"testing"

	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// conformance runs the suite with a layout. chunk returns the extent of a chunk, or 0 for contiguous layout.
func conformance(chunk func(p pattern.ParallelPattern) uint64) func(t *testing.T, world mpi.Comm) {
	return func(t *testing.T, world mpi.Comm) {
		enginetest.Run(t, world, hdf5.New, enginetest.Options{Variants: []enginetest.Variant{
			variant("independent", chunk, access{}),
			variant("collective", chunk, access{collective: true}),
			variant("MPI-POSIX", chunk, access{mpiPosix: true}),
		}})
	}
}

// testListed tests listed moves in the modes of the driver mpio, with contiguous and chunked storage.
func testListed(t *testing.T, world mpi.Comm) {
	var variants []enginetest.Variant
	for _, a := range []access{{}, {collective: true}} {
		name := "independent"
		if a.collective {
			name = "collective"
		}
		plain, chunked := variant(name, noChunk, a), variant(name+", chunks", noChunk, a)
		chunked.Dataset = inChunks(5, 4) // several processes write parts of the same chunk
		variants = append(variants, plain, chunked)
	}
	filtered := variant("collective, filters", noChunk, access{collective: true})
	filtered.Dataset = func(o *workload.Object) {
		inChunks(5, 4)(o)
		o.Filters = []workload.Filter{{Name: "shuffle"}, {Name: "deflate", Level: 1}, {Name: "fletcher32"}}
	}
	variants = append(variants, filtered)
	enginetest.RunListed(t, world, hdf5.New, listed(variants))
}

func noChunk(pattern.ParallelPattern) uint64         { return 0 }
func chunkOfABlock(p pattern.ParallelPattern) uint64 { return p.BlockSize }
func chunkOverBlocks(p pattern.ParallelPattern) uint64 {
	return min(p.BlockSize+p.BlockSize/2+1, p.DatasetSide())
}

func variant(name string, chunk func(pattern.ParallelPattern) uint64, a access) enginetest.Variant {
	return enginetest.Variant{
		Name: name,
		Set: func(p pattern.ParallelPattern, s *enginetest.Spec) bool {
			a.chunk = chunk(p)
			a.set(s)
			return true
		},
		Calls: func(enginetest.Spec) uint64 { return 1 },
	}
}
