// Package mpi lets processes communicate, through MPI or within one process. It offers reductions, agreement on errors,
// splitting of communicators, and facts about the launch. It uses github.com/sbromberger/gompi where possible, and C
// for what gompi lacks. Without MPI (build tag nompi, or no cgo) there are Self, for one process, and Memory, for
// several ranks in one process.
package mpi

import (
	"errors"
	"time"
	"unsafe"
)

// ReducedValue holds the maximum, the minimum and the sum of one value over all processes.
type ReducedValue struct {
	Max, Min, Sum float64
	MaxRank       int // the lowest rank in the communicator whose value is Max
}

// Multiple is the highest thread level that ThreadLevel returns: any thread may call MPI at any time.
const Multiple = "multiple"

// Comm is a communicator. Its methods are collective and must be called from the thread that initialised MPI, unless
// their comments say otherwise. Errors of MPI end the job (MPI_ERRORS_ARE_FATAL); only Agree returns an error.
type Comm interface {
	// Rank returns the rank of this process, from 0. Not collective.
	Rank() int
	// Size returns the number of processes. Not collective.
	Size() int

	// Barrier returns when all processes have called it, at nearly the same time on all of them.
	Barrier()

	// Agree returns, on every process, the highest code that any process passed, and the lowest rank that passed it.
	// The wait of a process has the time limit grace: from its call if its own code is not 0, otherwise from the time
	// at which the function stopped returns true. After that it returns ErrNoAgreement: other processes hang or have
	// ended, and the job must be aborted. stopped may be nil. how says whether the process may sleep while it waits;
	// processes may pass different values.
	Agree(code int, stopped func() bool, grace time.Duration, how WaitMode) (highest, rank int, err error)

	// Reduce reduces values[i] over all processes, for each i, and returns the result on every process.
	Reduce(values []float64) []ReducedValue
	// SumUint64 sets values[i], for each i and on every process, to its sum over all processes.
	SumUint64(values []uint64)
	// Bcast returns root's bytes on all processes. It ignores data on the other processes.
	Bcast(data []byte, root int) []byte
	// Gather returns, on rank 0, the bytes of all processes in the order of ranks, and nil on the other ranks. All
	// bytes together must be less than 2 GiB.
	Gather(data []byte) [][]byte

	// Signal sends a code to another process, which gets it with AwaitSignal. Signal does not wait for that, but it may
	// wait while an earlier code to the same process is not yet delivered. Not collective.
	Signal(to, code int)
	// AwaitSignal waits for the next code that process from sent to this one with Signal. It returns false if the
	// function stopped returns true before the code arrives; a later call then gets the code. stopped may be nil. Not
	// collective.
	AwaitSignal(from int, stopped func() bool) (code int, came bool)

	// Split returns a new communicator of the processes with the same color, in the order of key. It returns nil for a
	// negative color.
	Split(color, key int) Comm
	// SplitNode returns a new communicator of the processes on the same node, in the order of their ranks.
	SplitNode() Comm
	// SplitFirst returns a new communicator of the first n processes, in their order. Only these n processes call it,
	// and it is collective over them alone.
	SplitFirst(n int) Comm
	// SplitSelf returns a new communicator of this process alone. Not collective.
	SplitSelf() Comm
	// Free frees a communicator that Split, SplitNode, SplitFirst or SplitSelf returned.
	Free()

	// Handle returns the address of the MPI_Comm, for engines in C; nil without MPI. It is valid until Free. Not
	// collective.
	Handle() unsafe.Pointer
	// Abort makes the launcher end all processes of the job, with an exit status. It may return if there is no other
	// process; then the caller must exit. Not collective; may be called from any thread.
	Abort(status int)
}

// WaitMode says whether a process that waits in Agree polls all the time (Awake) or sleeps between checks (Asleep).
type WaitMode bool

// Awake is for processes that call Agree at nearly the same time. Asleep is for a process that has nothing to do until
// the others come; while it waits, it leaves its processor to them.
const (
	Awake  WaitMode = false
	Asleep WaitMode = true
)

// ErrNoAgreement is returned if other processes did not take part in an agreement in time.
var ErrNoAgreement = errors.New("the other processes did not answer in time")
