//go:build cgo && !nompi

package mpiio

import (
	"testing"

	"h5perf/pkg/mpi/mpitest"
)

func TestProcesses(t *testing.T) {
	mpitest.Run(t,
		mpitest.On(2, "Conformance", testConformance),
		mpitest.On(1, "ListedMovesOfOne", testListed),
		mpitest.On(4, "ListedMovesOfFour", testListed),
		mpitest.On(3, "EveryByteIsWhereTheCToolPutsIt", testEveryByteIsWhereTheCToolPutsIt),
		mpitest.On(2, "HintsInEffect", testHintsInEffect),
		mpitest.On(1, "Refusals", testRefusals),
		mpitest.On(2, "ReadOfATruncatedFile", testReadOfATruncatedFile),
		mpitest.On(2, "WriteBeyondALimit", testWriteBeyondALimit),
	)
}
