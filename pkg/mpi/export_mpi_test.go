//go:build cgo && !nompi

package mpi

// Nap is nap, for tests.
var Nap = agreePause
