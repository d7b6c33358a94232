//go:build cgo && !nompi

package mpi

// #include <stdlib.h>
// #include "h5perf_mpi.h"
import "C"

import (
	"errors"
	"fmt"

	gompi "github.com/sbromberger/gompi"
)

// Available tells whether the program was built with MPI.
const Available = true

// Init initialises MPI, at thread level MPI_THREAD_SINGLE as MPI_Init does, and returns a communicator of all processes. The
// calling goroutine must be locked to its thread (runtime.LockOSThread); all further calls belong on it. Signal handlers of Go
// that MPI replaces in a way the Go runtime does not bear are put back. By the letter a process whose other threads never call
// MPI, as those of the Go runtime, asks for MPI_THREAD_FUNNELED; but at any higher level Open MPI 4.1 locks and unlocks in each call,
// and an MPI_Allreduce of 2 processes takes a quarter to a half longer than in the programs that this one is compared with.
func Init() (Comm, error) { return start(C.MPI_THREAD_SINGLE) }

// InitMultiple is Init at thread level MPI_THREAD_MULTIPLE, for libraries that call MPI in threads of their own. Where MPI
// gives a lower one, ThreadLevel tells.
func InitMultiple() (Comm, error) { return start(C.MPI_THREAD_MULTIPLE) }

func start(level C.int) (Comm, error) {
	if gompi.IsOn() {
		return nil, errors.New("MPI_Init_thread: MPI is initialised already")
	}
	var provided C.int
	if rc := C.h5perf_mpi_init(level, &provided); rc != C.MPI_SUCCESS {
		return nil, fmt.Errorf("MPI_Init_thread: error %d", rc)
	}
	c := &comm{c: newState(), job: gompi.NewCommunicator(nil)}
	if rc := C.h5perf_mpi_duplicate_world(&c.c.comm); rc != C.MPI_SUCCESS {
		return nil, fmt.Errorf("MPI_Comm_dup of MPI_COMM_WORLD: error %d", rc)
	}
	c.rank, c.size = c.job.Rank(), c.job.Size()
	return c, nil
}

// Finalize frees world and ends MPI. All communicators made of world must have been freed.
func Finalize(world Comm) {
	world.Free()
	gompi.Stop()
}

// Exit ends the process, after Finalize, with the status. MPICH 4.2 and later tell the launcher that a process has ended
// well in a handler of the C library's exit, which os.Exit leaves out: the launcher then kills the other processes.
func Exit(status int) { C.exit(C.int(status)) }
