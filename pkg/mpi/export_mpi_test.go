//go:build cgo && !nompi

package mpi

// Nap is agreePause, for tests.
var Nap = agreePause
