package doctor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"h5perf/pkg/figures"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/result"
)

// ringBytes holds the sizes of the messages in the ring. MPI sends small messages at once (eager), and large messages
// when the receiver is ready (rendezvous).
var ringBytes = []int{64, 4 << 20}

// examineJob checks the launch, messages around a ring of all processes, and single-copy transfers within a node. It is
// collective.
func (e *examiner) examineJob() {
	if e.world.Size() == 1 {
		e.addCheck(e.examination.Launch.Check(nil))
		return
	}
	e.beginStep(StepRing)
	ring := Ring{Bytes: ringBytes}
	var slowest float64
	var err error
	for _, n := range ringBytes {
		var took time.Duration
		if took, err = e.Ring(e.world, n, e.Timeout/4); err != nil {
			break
		}
		slowest = max(slowest, took.Seconds())
	}
	e.abandonOnAnyError(err)
	e.beginStep(StepCollectives)
	all := e.world.Reduce([]float64{slowest})[0]
	ring.SlowestSeconds, ring.SlowestRank = all.Max, all.MaxRank
	_, nodes := mpi.Node(e.world)
	l := &e.examination.Launch
	l.Processes, l.Nodes = e.world.Size(), nodes
	e.examination.Ring = &ring
	e.addCheck(l.Check(nil))
	e.addCheck(ring.AsCheck(l.Processes, nodes))
	e.examineSingleCopy()
}

// examineProcessors checks the processors that the processes of each node may use. It is collective.
func (e *examiner) examineProcessors() {
	hosts, _ := mpi.CollectPlacement(e.world, e.Processors) // hosts lacks what is not known
	if !e.isFirst {
		return
	}
	j := result.Job{Processes: e.world.Size(), Slurm: node.SlurmVariables(os.Environ())}
	j.Placement, e.examination.Placement = hosts, hosts
	e.addCheck(CheckProcessors(j))
	if part := figures.PartOfNodeText(j, e.examination.Machine); part != "" {
		e.addCheck(CheckSharing(part))
	}
}

// abandonOnAnyError ends the job if messages around the ring failed on any process. It is collective.
func (e *examiner) abandonOnAnyError(err error) {
	code := result.ExitOK
	if err != nil {
		code = result.ExitFailed
	}
	deadline := e.Now().Add(e.Timeout / 4)
	highest, rank, waited := e.world.Agree(code, func() bool { return e.Now().After(deadline) }, e.Grace, mpi.Asleep)
	if err = errors.Join(err, waited); err == nil && highest != result.ExitOK {
		err = fmt.Errorf("rank %d reports that messages did not arrive, or arrived with wrong content", rank)
	}
	if err != nil {
		e.abandonJob(Ring{Error: fmt.Sprintf("rank %d (%s): %v", e.world.Rank(), e.host, err)}.AsCheck(0, 0))
	}
}

// memoryProbe is the message from the first process of a node to the other processes on the node: a 64-bit value, its
// address in the memory of the first process, and the /dev/shm that the first process sees.
type memoryProbe struct {
	PID     int
	Address uint64
	Word    uint64
	Shared  SharedMemory
}

// examineSingleCopy lets each process read a 64-bit value directly from the memory of the first process on its node. It
// also compares the /dev/shm of both processes. It is collective.
func (e *examiner) examineSingleCopy() {
	node := e.world.SplitNode()
	defer node.Free()
	word := new(uint64) // on the heap, where it does not move
	*word = uint64(e.Now().UnixNano())
	shared := NewSharedMemory("/")
	p := mpi.Broadcast(node, memoryProbe{os.Getpid(), uint64(uintptr(unsafe.Pointer(word))), *word, shared}, 0)
	node.Barrier()
	failure := ""
	if node.Rank() > 0 {
		if err := readProbedWord(p); err != nil {
			failure = err.Error()
		}
	}
	node.Barrier() // the word must exist until all processes have read it
	runtime.KeepAlive(word)
	tried, failed, apart := uint64(0), uint64(0), uint64(0)
	if node.Rank() > 0 {
		tried = 1
	}
	if failure != "" {
		failed = 1
	}
	if shared != p.Shared {
		apart = 1
	}
	counts := []uint64{tried, failed, apart}
	e.world.SumUint64(counts)
	if counts[0] == 0 {
		return
	}
	lines := e.world.Reduce([]float64{float64(failed)}) // the first process that failed says why
	failure = string(e.world.Bcast([]byte(failure), lines[0].MaxRank))
	s := NewSingleCopy("/", os.Environ())
	s.Possible, s.Error, s.ApartProcesses = counts[1] == 0, failure, int(counts[2])
	e.examination.SingleCopy = &s
	e.addCheck(s.Check(e.Guard.Library))
}

// readProbedWord reads the 64-bit value at p.Address from the memory of the process p.PID. It returns an error if the
// value differs from p.Word.
func readProbedWord(p memoryProbe) error {
	var got [8]byte
	local := []unix.Iovec{{Base: &got[0]}}
	local[0].SetLen(len(got))
	n, err := unix.ProcessVMReadv(p.PID, local, []unix.RemoteIovec{{Base: uintptr(p.Address), Len: len(got)}}, 0)
	switch {
	case err != nil:
		return fmt.Errorf("process_vm_readv: %w", err)
	case n != len(got) || binary.NativeEndian.Uint64(got[:]) != p.Word:
		return errors.New("process_vm_readv read the memory of a wrong process: the processes of this node are in " +
			"different PID namespaces")
	}
	return nil
}

// examineTarget checks the directory of the examination. It is collective.
func (e *examiner) examineTarget() {
	e.beginStep(StepTarget)
	if !e.isFirst {
		e.askLastRanks(string(e.world.Bcast(nil, 0)))
		return
	}
	e.examination.Target = e.trial.Examine(e.Directory, func(path string) SharedFileView {
		return e.askLastRanks(string(e.world.Bcast([]byte(path), 0)))
	})
	for _, c := range e.examination.Target.Checks(e.examination.Launch.Nodes) {
		e.addCheck(c)
	}
}

// askLastRanks asks the last process of each node, except for the first process of the job, whether it sees the file
// that the first process has locked. If path is "", there is no such file, and no process is asked. It is collective.
func (e *examiner) askLastRanks(path string) SharedFileView {
	node := e.world.SplitNode()
	asked := path != "" && e.world.Rank() != 0 && node.Rank() == node.Size()-1
	node.Free()
	counts := make([]uint64, 4)
	failure := ""
	if asked {
		visible, lock := SeesFile(path)
		counts[0] = 1
		switch {
		case !visible:
			counts[1] = 1
			failure = fmt.Sprintf("rank %d (%s): %v", e.world.Rank(), e.host, lock)
		case IsLockDenied(lock):
			counts[2] = 1
		case lock == nil:
			counts[3] = 1
		}
	}
	worst := e.world.Reduce([]float64{float64(counts[1])})[0]
	e.world.SumUint64(counts)
	failure = string(e.world.Bcast([]byte(failure), worst.MaxRank))
	return SharedFileView{
		AskedProcesses: int(counts[0]), NotSeeingFile: int(counts[1]), LocksDenied: int(counts[2]),
		LocksGrantedTwice: int(counts[3]), Error: failure,
	}
}
