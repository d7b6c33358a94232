// Package mpi lets processes communicate, through MPI or within one process. It has reductions, agreement on errors,
// splitting, and the facts of the launch. It uses github.com/sbromberger/gompi for what that covers, and C for what it
// lacks. Without MPI (build tag nompi, or no cgo) there are Self, for one process, and Memory, for several ranks in one
// process.
package mpi

import (
	"errors"
	"time"
	"unsafe"
)

// Extremes holds the reductions of one value over all processes.
type Extremes struct {
	Max, Min, Sum float64
	MaxRank       int // the lowest rank of the communicator that holds Max
}

// Multiple is the highest thread level that ThreadLevel returns: any thread may call MPI at any time.
const Multiple = "multiple"

// Comm is a communicator. Its methods are collective and must be called from the thread that initialised MPI, unless
// their comment says otherwise. Errors of MPI end the job (MPI_ERRORS_ARE_FATAL); only Agree returns an error.
type Comm interface {
	// Rank returns the rank of this process, from 0. Not collective.
	Rank() int
	// Size returns the number of processes. Not collective.
	Size() int

	// Barrier returns when all processes have called it, at nearly the same time on all of them.
	Barrier()

	// Agree returns, on every process, the highest code that any process passed, and the lowest rank that passed it. A
	// process whose own code is not 0, or for which hurry returns true, waits at most grace. Then it gets
	// ErrNoAgreement: other processes hang or are gone, and the job must be aborted. hurry may be nil. how says whether
	// the process may sleep while it waits; processes may pass different values.
	Agree(code int, hurry func() bool, grace time.Duration, how Wait) (highest, rank int, err error)

	// Reduce reduces values[i] over all processes, for each i, and returns the result on every process.
	Reduce(values []float64) []Extremes
	// SumUint64 sets values[i], for each i and on every process, to its sum over all processes.
	SumUint64(values []uint64)
	// Bcast returns root's bytes on all processes. It ignores the argument of the others.
	Bcast(data []byte, root int) []byte
	// Gather returns the bytes of all processes, in the order of ranks, on rank 0, and nil on the others. All bytes
	// together must be less than 2 GiB.
	Gather(data []byte) [][]byte

	// Signal sends a code to another process, without a wait for it: see AwaitSignal. It may wait while an earlier code
	// is on its way to the same process. Not collective.
	Signal(to, code int)
	// AwaitSignal waits until the next code has come that another process sent to this one with Signal. It returns
	// false if hurry returns true before that; then a later call gets the code. hurry may be nil. Not collective.
	AwaitSignal(from int, hurry func() bool) (code int, came bool)

	// Split returns a new communicator of the processes with the same color, in the order of key. It returns nil for a
	// negative color.
	Split(color, key int) Comm
	// SplitNode returns a new communicator of the processes on the same node, in the order of their ranks.
	SplitNode() Comm
	// SplitFirst returns a new communicator of the first n processes, in their order. Only these call it, and it is
	// collective over them alone.
	SplitFirst(n int) Comm
	// SplitSelf returns a new communicator of this process alone. Not collective.
	SplitSelf() Comm
	// Free frees a communicator that Split, SplitNode, First or Alone returned.
	Free()

	// Handle returns the address of the MPI_Comm, for engines in C; nil without MPI. Valid until Free. Not collective.
	Handle() unsafe.Pointer
	// Abort makes the launcher end all processes of the job, with an exit status. It may return if there is no other
	// process: the caller must exit then. Not collective; may be called from any thread.
	Abort(status int)
}

// Wait is how a process waits in Agree.
type Wait bool

// Awake: for processes that come at nearly the same time. Asleep: for a process that has no part in what the others do
// before they come; it leaves its processor to them.
const (
	Awake  Wait = false
	Asleep Wait = true
)

// ErrNoAgreement is returned if the other processes did not take part in an agreement in time.
var ErrNoAgreement = errors.New("the other processes did not answer in time")
