// Package mpitest runs tests on several MPI processes, or on several ranks in one process.
package mpitest

import (
	"testing"

	"h5perf/pkg/mpi"
)

// Dir returns a new, empty directory that all processes of world share. It is removed at the end of the test.
// Collective.
func Dir(t *testing.T, world mpi.Comm) string {
	t.Helper()
	var dir []byte
	if world.Rank() == 0 {
		dir = []byte(t.TempDir())
	}
	return string(world.Bcast(dir, 0))
}
