//go:build cgo && !nompi

package posix_test

import (
	"testing"

	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
)

func TestConformanceOfThreeProcesses(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		enginetest.Run(t, world, posix.New, options)
	})
}
