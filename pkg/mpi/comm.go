// Package mpi is a communicator for the harness: reductions, agreement on errors, splitting, and the facts of the launch.
// It uses github.com/sbromberger/gompi for what that covers, and C for what it lacks. Without MPI (build tag nompi, or no
// cgo) only the one-process form Self exists.
package mpi

import (
	"errors"
	"time"
	"unsafe"
)

// Extremes are reductions of one value over all processes.
type Extremes struct {
	Max, Min, Sum float64
	MaxRank       int // the lowest rank of the communicator that holds Max
}

// Multiple is the highest thread level, as of ThreadLevel: any thread may call MPI at any time.
const Multiple = "multiple"

// Comm is a group of processes. Methods are collective and must be called from the thread that initialised MPI, unless
// their comment says otherwise. MPI errors end the job, as MPI_ERRORS_ARE_FATAL does; what a wait cannot finish is an error.
type Comm interface {
	Rank() int
	Size() int

	// Barrier returns when all have called it, on all at nearly the same time.
	Barrier()

	// Agree tells every process the highest code given by any, and the lowest rank that gave it. It waits without burning
	// a processor. A process whose own code is not 0, or for which hurry reports true, waits no longer than grace and then
	// gets ErrNoAgreement: its peers hang or are gone, and the job must be aborted. hurry may be nil.
	Agree(code int, hurry func() bool, grace time.Duration) (highest, rank int, err error)

	// Reduce combines values[i] of all processes; every process gets the result.
	Reduce(values []float64) []Extremes
	// SumUint64 adds values[i] over all processes, in place; every process gets the result.
	SumUint64(values []uint64)
	// Bcast sends root's bytes to all; the others' argument is ignored.
	Bcast(data []byte, root int) []byte
	// Gather returns the bytes of all to rank 0, in the order of ranks; nil to the others. Less than 2 GiB in all.
	Gather(data []byte) [][]byte

	// Split makes a communicator of the processes with the same color, in the order of key. A negative color gives nil.
	Split(color, key int) Comm
	// SplitNode makes a communicator of the processes on the same node, in the order of their ranks.
	SplitNode() Comm
	// Free releases a communicator made by Split or SplitNode.
	Free()

	// Handle points to the MPI_Comm, for engines in C; nil without MPI. Valid until Free. Not collective.
	Handle() unsafe.Pointer
	// Abort makes the launcher end all processes of the job with an exit status. It may return, where there is no other
	// process: the caller exits then. Not collective; may be called from any thread.
	Abort(status int)
}

// ErrNoAgreement is returned when the other processes did not come to an agreement in time.
var ErrNoAgreement = errors.New("the other processes did not answer in time")
