//go:build cgo && !nompi

package mpiio

import (
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/mpitest"
)

func TestProcesses(t *testing.T) {
	several := 4
	// Ranks of other libraries poll: with more ranks than processors the test takes minutes.
	if !strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") {
		several = 2
	}
	mpitest.Run(t,
		mpitest.On(2, "Conformance", testConformance),
		mpitest.On(1, "ListedMovesOfOne", testListed),
		mpitest.On(several, "ListedMovesOfSeveral", testListed),
		mpitest.On(3, "EveryByteIsWhereTheCToolPutsIt", testEveryByteIsWhereTheCToolPutsIt),
		mpitest.On(2, "HintsInEffect", testHintsInEffect),
		mpitest.On(1, "Refusals", testRefusals),
		mpitest.On(2, "ReadOfATruncatedFile", testReadOfATruncatedFile),
		mpitest.On(2, "WriteBeyondALimit", testWriteBeyondALimit),
	)
}
