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

// Available is true if the program was built with MPI.
const Available = true

// Init initialises MPI and returns a communicator of all processes. The calling goroutine must be locked to its thread
// (runtime.LockOSThread), and must make all further calls. Init restores signal handlers of Go where MPI has installed
// handlers that do not work with the Go runtime.
//
// The thread level is MPI_THREAD_SINGLE, as with MPI_Init. According to the standard, a process with other threads that
// never call MPI, such as those of the Go runtime, must request MPI_THREAD_FUNNELED. But at any higher level, Open MPI
// 4.1 locks and unlocks a mutex in each call: an MPI_Allreduce of 2 processes then takes 25 to 50 % longer than in the
// C programs with which h5perf is compared.
//
// Implements: MPI_Init_thread
func Init() (Comm, error) { return initWithLevel(C.MPI_THREAD_SINGLE) }

// InitMultiple initialises MPI like Init, but at thread level MPI_THREAD_MULTIPLE, for libraries that call MPI from
// their own threads. MPI may provide a lower level: see ThreadLevel.
func InitMultiple() (Comm, error) { return initWithLevel(C.MPI_THREAD_MULTIPLE) }

func initWithLevel(level C.int) (Comm, error) {
	if gompi.IsOn() {
		return nil, errors.New("MPI_Init_thread: MPI is initialised already")
	}
	var provided C.int
	if rc := C.h5perf_mpi_init(level, &provided); rc != C.MPI_SUCCESS {
		return nil, fmt.Errorf("MPI_Init_thread: error %d", rc)
	}
	c := &mpiComm{c: newState(), job: gompi.NewCommunicator(nil)}
	if rc := C.h5perf_mpi_duplicate_world(&c.c.comm); rc != C.MPI_SUCCESS {
		return nil, fmt.Errorf("MPI_Comm_dup of MPI_COMM_WORLD: error %d", rc)
	}
	c.rank, c.size = c.job.Rank(), c.job.Size()
	return c, nil
}

// Finalize frees world and ends MPI. All communicators that were made from world must have been freed.
//
// Implements: MPI_Finalize
func Finalize(world Comm) {
	world.Free()
	gompi.Stop()
}

// Exit ends the process with a status, after Finalize. It calls exit of the C library, because MPICH 4.2 and later have
// an exit handler that reports a normal end to the launcher. os.Exit would skip that handler, and the launcher would
// kill the other processes.
//
// Implements: exit
func Exit(status int) { C.exit(C.int(status)) }
