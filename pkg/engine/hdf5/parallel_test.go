//go:build cgo && !nompi

package hdf5_test

import (
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/mpitest"
)

func TestProcesses(t *testing.T) {
	several := 4
	// With other MPI libraries, ranks poll while they wait: a test with more ranks than processors takes minutes.
	if !strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") {
		several = 2
	}
	mpitest.Run(t,
		mpitest.On(2, "ConformanceOfContiguousStorage", conformance(noChunk)),
		mpitest.On(2, "ConformanceOfChunksOfABlock", conformance(chunkOfABlock)),
		mpitest.On(2, "ConformanceOfChunksAcrossBlocks", conformance(chunkOverBlocks)),
		mpitest.On(1, "ListedMovesOfOne", testListed),
		mpitest.On(several, "ListedMovesOfSeveral", testListed),
		mpitest.On(2, "IndependentWritesWithFiltersAreRefused", testIndependentWritesWithFiltersAreRefused),
		mpitest.On(2, "SharedWritesOfVariableLengthAreRefused", testSharedWritesOfVariableLengthAreRefused),
		mpitest.On(1, "SmallChunksAreTriedOutInAMoment", testSmallChunksAreTriedOutInAMoment),
		mpitest.On(1, "ChunksThatAreWrittenInPartsAreTriedOut", testChunksThatAreWrittenInPartsAreTriedOut),
		mpitest.On(2, "NothingToTransferIsNotIndependent", testNothingToTransferIsNotIndependent),
		mpitest.On(3, "Figure2", figure2),
		mpitest.On(3, "Figure3", figure3),
		mpitest.On(3, "Figure5", figure5),
		mpitest.On(3, "Figure7", figure7),
		mpitest.On(2, "Figures10And11", figures10And11),
		mpitest.On(2, "Content", testContent),
		mpitest.On(2, "DatasetsAreFilledWhenTheyAreCreatedAsAsked", testDatasetsAreFilledWhenTheyAreCreatedAsAsked),
		mpitest.On(2, "Effective", testEffective),
		mpitest.On(2, "CollectiveTransfersOfASeriesAreCounted", testCollectiveTransfersOfASeriesAreCounted),
		mpitest.On(2, "Settings", testSettings),
		mpitest.On(2, "MetadataOfOwnFilesAreNotCollective", testMetadataOfOwnFilesAreNotCollective),
		mpitest.On(2, "ChunksAreMovedAsAskedFor", testChunksAreMovedAsAskedFor),
		mpitest.On(2, "ChunksOfFewAreTransferredIndependently", testChunksOfFewAreTransferredIndependently),
		mpitest.On(2, "LateAllocationOfSharedFilesIsRefused", testLateAllocationOfSharedFilesIsRefused),
		mpitest.On(2, "IndependentTransfersWaitForNoOtherProcess", testIndependentTransfersWaitForNoOtherProcess),
		mpitest.On(2, "DataOffset", testDataOffset),
		mpitest.On(2, "MetaBlocks", testMetaBlocks),
		mpitest.On(1, "PrepareRefuses", testPrepareRefuses),
		mpitest.On(2, "OneProcessRefuses", testOneProcessRefuses),
		mpitest.On(2, "AMissingDatasetIsAnError", testAMissingDatasetIsAnError),
		mpitest.On(2, "AWriteThatFailsIsAnError", testAWriteThatFailsIsAnError),
		mpitest.On(2, "SharedFileThatCannotBeMade", testSharedFileThatCannotBeMade),
	)
}
