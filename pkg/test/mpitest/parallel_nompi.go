//go:build !cgo || nompi

package mpitest

import (
	"testing"

	"h5perf/pkg/mpi"
)

// Parallel runs body on one process. It fails the test if n is not 1: more processes need MPI.
func Parallel(t *testing.T, n int, body func(t *testing.T, world mpi.Comm)) {
	t.Helper()
	if n != 1 {
		t.Fatalf("%d processes: built without MPI", n)
	}
	body(t, mpi.Self{})
}
