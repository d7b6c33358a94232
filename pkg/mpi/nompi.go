//go:build !cgo || nompi

package mpi

import (
	"errors"
	"math"
	"os"
	"time"
)

// Available is true if the program was built with MPI.
const Available = false

// MaxInfoKey and MaxInfoValue are the largest lengths of the key and the value of an MPI-IO hint, in bytes.
const (
	MaxInfoKey   = math.MaxInt32
	MaxInfoValue = math.MaxInt32
)

// Init returns an error: the program has no MPI.
func Init() (Comm, error) {
	return nil, errors.New("built without MPI: use a build with FLAVOUR=openmpi or FLAVOUR=mpich")
}

// InitMultiple returns an error: the program has no MPI.
func InitMultiple() (Comm, error) { return Init() }

// Finalize does nothing.
func Finalize(Comm) {}

// Exit ends the process, as os.Exit does.
func Exit(status int) { os.Exit(status) }

// LibraryVersion returns "".
func LibraryVersion() string { return "" }

// ThreadLevel returns "".
func ThreadLevel() string { return "" }

// StandardVersion returns "".
func StandardVersion() string { return "" }

// PMIx returns "".
func PMIx() string { return "" }

// UsesPMIxOnly returns false.
func UsesPMIxOnly() bool { return false }

// Ring does nothing.
func Ring(Comm, int, time.Duration) (time.Duration, error) { return 0, nil }
