//go:build cgo && !nompi

package mpiio

import (
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
)

func oneCall(enginetest.Spec) uint64 { return 1 }

// views holds the values of the option for file views.
var views = []option.ViewChoice{option.ViewAuto, option.ViewTransfer}

// variants returns all settings of MPI-IO for a pattern.
func variants() []enginetest.Variant {
	var all []enginetest.Variant
	for _, chunks := range []bool{false, true} {
		suffix := ""
		if chunks {
			suffix = ", chunks"
		}
		all = append(all, enginetest.Variant{Name: "independent" + suffix, ChunkEmulation: chunks})
		for _, asked := range views {
			all = append(all, enginetest.Variant{
				Name: "collective, view " + string(asked) + suffix, ChunkEmulation: chunks, Calls: oneCall,
				Set: func(p pattern.ParallelPattern, s *enginetest.Spec) bool {
					s.Collective, s.ContiguousPart, s.MPIIO.View = true, !p.TwoD && !p.Interleaved, asked
					return true
				},
			})
		}
	}
	return all
}

// testListed tests listed moves. Only the mode matters for them, because they have a view for each transfer.
func testListed(t *testing.T, world mpi.Comm) {
	enginetest.RunListed(t, world, New, enginetest.Options{Plain: true, Variants: variants()[:2]})
}

func testConformance(t *testing.T, world mpi.Comm) {
	enginetest.Run(t, world, New, enginetest.Options{Plain: true, Variants: variants()})
}
