//go:build cgo && !nompi

package h5_test

import (
	"testing"

	"h5perf/pkg/test/mpitest"
)

func TestProcesses(t *testing.T) {
	mpitest.Run(t,
		mpitest.On(3, "CollectiveWhateverTheSelection", testCollectiveWhateverTheSelection),
		mpitest.On(3, "CollectiveWithConversionSince1_14", testCollectiveWithConversionSince1_14),
		mpitest.On(2, "IndependentTransfersAreToldAsSuch", testIndependentTransfersAreToldAsSuch),
		mpitest.On(2, "HintsInEffect", testHintsInEffect),
		mpitest.On(2, "FilesOfOneProcess", testFilesOfOneProcess),
		mpitest.On(2, "ManyObjectsOfSeveralProcesses", testManyObjectsOfSeveralProcesses),
		mpitest.On(2, "Close", testClose), // the last test: the library cannot be opened again
	)
}
