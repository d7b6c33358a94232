package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/bench"
	"h5perf/pkg/doctor"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/provenance"
)

// ringBytes are the sizes of the messages between processes: MPI sends small ones at once, and large ones when they are awaited.
var ringBytes = []int{64, 4 << 20}

// doctorGrace is how much longer than the first process the others wait for the end of a step, or of its examination alone.
const doctorGrace = 15 * time.Second

// examiner is one process of an examination.
type examiner struct {
	cli.Doctor
	world          mpi.Comm
	first          bool // of the job: it tells
	host           string
	trial          doctor.Trial
	stdout, stderr io.Writer

	ending sync.Once
	mu     sync.Mutex // of what follows
	found  doctor.Examination
	timer  *time.Timer // of the step that this process is in
}

// runDoctor examines what a run would rest on, and returns the exit status of this process.
func runDoctor(d cli.Doctor, stdout, stderr io.Writer) int {
	from := launcher.Settled()
	e := &examiner{
		Doctor: d, world: mpi.Self{}, first: from.Rank() == 0, stdout: stdout, stderr: stderr,
		found: doctor.Examination{Version: doctor.Version, Time: time.Now().UTC(), Machine: provenance.Machine(), Launch: doctor.NewLaunch(from)},
	}
	e.host = e.found.Machine.Host
	e.catch()
	wrong := checkLaunch(nil)
	if wrong != nil || !mpi.Available {
		return e.run(wrong, false)
	}
	e.step(doctor.StepInit)
	world, err := mpi.InitMultiple()
	if err != nil {
		return tellOnce(stderr, exitFailed, err)
	}
	if wrong = checkLaunch(world); wrong == nil {
		e.world = world
	}
	status := e.run(wrong, true)
	finalize(world, status, stderr)
	return status
}

// run examines, of a wrong launch on its first process alone, and returns the exit status. initialised tells whether MPI
// is.
func (e *examiner) run(wrong error, initialised bool) int {
	if wrong != nil && !e.first {
		_, _ = fmt.Fprintf(e.stderr, "h5perf doctor: process %d (%s) is in a world of one, too\n", e.found.Launch.Rank, e.host)
		time.Sleep(doctorGrace)
		stay(wrong)
		return exitLaunch
	}
	e.examine(wrong, initialised)
	status := e.end(wrong)
	if wrong != nil { // the launcher may end the others with this one, and they are to tell, too
		time.Sleep(cli.HeadStart)
		stay(wrong)
	}
	if err := closeHDF5(); err != nil {
		return tellOnce(e.stderr, max(status, exitFailed), err)
	}
	return status
}

// examine makes all checks. Collective.
func (e *examiner) examine(wrong error, initialised bool) {
	e.first = e.world.Rank() == 0
	e.found.Software, e.found.HDF5 = software(initialised), hdf5Facts()
	e.found.Launch.PMIx = mpi.PMIx()
	if !initialised {
		e.found.Software.MPI, e.found.Software.MPIStandard = mpi.LibraryVersion(), mpi.Standard()
	}
	if e.first && !e.JSON {
		_, _ = fmt.Fprintf(e.stdout, "h5perf %s %s on %s\n", e.found.Software.Version, e.found.Software.Flavour, e.host)
	}
	e.add(doctor.CheckMPI(e.found.Software))
	if wrong != nil {
		e.add(e.found.Launch.Check(wrong))
	} else {
		e.together()
	}
	e.target()
	e.add(e.found.HDF5.Check(mpi.Available))
	e.add(doctor.CheckContainer(e.found.Machine))
}

// together looks at the processes as one job. Collective.
func (e *examiner) together() {
	if e.world.Size() == 1 {
		e.add(e.found.Launch.Check(nil))
		return
	}
	e.step(doctor.StepRing)
	ring := doctor.Ring{Bytes: ringBytes}
	var slowest float64
	var err error
	for _, n := range ringBytes {
		var took time.Duration
		if took, err = mpi.Ring(e.world, n, e.Timeout/4); err != nil {
			break
		}
		slowest = max(slowest, took.Seconds())
	}
	e.agree(err)
	e.step(doctor.StepTogether)
	all := e.world.Reduce([]float64{slowest})[0]
	ring.Slowest, ring.Rank = all.Max, all.MaxRank
	_, nodes := mpi.Node(e.world)
	l := &e.found.Launch
	l.Processes, l.Nodes = e.world.Size(), nodes
	e.found.Ring = &ring
	e.add(l.Check(nil))
	e.add(ring.Check(l.Processes, nodes))
	e.singleCopy()
}

// agree ends the job when messages of some process did not come.
func (e *examiner) agree(err error) {
	code := exitOK
	if err != nil {
		code = exitFailed
	}
	deadline := time.Now().Add(e.Timeout / 4)
	highest, rank, waited := e.world.Agree(code, func() bool { return time.Now().After(deadline) }, bench.Grace)
	if err = errors.Join(err, waited); err == nil && highest != exitOK {
		err = fmt.Errorf("rank %d tells that messages did not come, or came wrong", rank)
	}
	if err != nil {
		e.abandon(doctor.Ring{Error: fmt.Sprintf("rank %d (%s): %v", e.world.Rank(), e.host, err)}.Check(0, 0))
	}
}

// peer is how the others of a node find a word in the memory of its first process, and the memory that they share with it.
type peer struct {
	PID     int
	Address uint64
	Word    uint64
	Shared  doctor.SharedMemory
}

// word is what others read from this process.
var word uint64

// singleCopy lets processes read from the memory of the first one on their node, and compares what they share with it. Collective.
func (e *examiner) singleCopy() {
	node := e.world.SplitNode()
	defer node.Free()
	word = uint64(time.Now().UnixNano())
	shared := doctor.NewSharedMemory("/")
	p := mpi.Broadcast(node, peer{os.Getpid(), uint64(uintptr(unsafe.Pointer(&word))), word, shared}, 0)
	node.Barrier()
	failure := ""
	if node.Rank() > 0 {
		if err := readFrom(p); err != nil {
			failure = err.Error()
		}
	}
	node.Barrier() // the word stays until all have read it
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
	lines := e.world.Reduce([]float64{float64(failed)}) // the first that failed tells why
	failure = string(e.world.Bcast([]byte(failure), lines[0].MaxRank))
	s := doctor.NewSingleCopy("/", os.Environ())
	s.Possible, s.Error, s.Apart = counts[1] == 0, failure, int(counts[2])
	e.found.SingleCopy = &s
	e.add(s.Check(mpi.LibraryVersion()))
}

// readFrom reads the word of a process on this node.
func readFrom(p peer) error {
	var got [8]byte
	local := []unix.Iovec{{Base: &got[0]}}
	local[0].SetLen(len(got))
	n, err := unix.ProcessVMReadv(p.PID, local, []unix.RemoteIovec{{Base: uintptr(p.Address), Len: len(got)}}, 0)
	switch {
	case err != nil:
		return fmt.Errorf("process_vm_readv: %w", err)
	case n != len(got) || binary.NativeEndian.Uint64(got[:]) != p.Word:
		return errors.New("process_vm_readv: another process was read, so that processes of this node are in PID namespaces of their own")
	}
	return nil
}

// target examines the directory. Collective.
func (e *examiner) target() {
	e.step(doctor.StepTarget)
	if !e.first {
		e.see(string(e.world.Bcast(nil, 0)))
		return
	}
	e.found.Target = e.trial.Examine(e.Directory, func(path string) doctor.Shared {
		return e.see(string(e.world.Bcast([]byte(path), 0)))
	})
	for _, c := range e.found.Target.Checks(e.found.Launch.Nodes) {
		e.add(c)
	}
}

// see lets the last process of each node look at the file that the first process holds, unless it is that one; "" is none.
// Collective.
func (e *examiner) see(path string) doctor.Shared {
	node := e.world.SplitNode()
	asked := path != "" && e.world.Rank() != 0 && node.Rank() == node.Size()-1
	node.Free()
	counts := make([]uint64, 4)
	failure := ""
	if asked {
		visible, lock := doctor.See(path)
		counts[0] = 1
		switch {
		case !visible:
			counts[1] = 1
			failure = fmt.Sprintf("rank %d (%s): %v", e.world.Rank(), e.host, lock)
		case doctor.Denied(lock):
			counts[2] = 1
		case lock == nil:
			counts[3] = 1
		}
	}
	worst := e.world.Reduce([]float64{float64(counts[1])})[0]
	e.world.SumUint64(counts)
	failure = string(e.world.Bcast([]byte(failure), worst.MaxRank))
	return doctor.Shared{Asked: int(counts[0]), Blind: int(counts[1]), Denied: int(counts[2]), Given: int(counts[3]), Error: failure}
}

// step begins a step of the examination, which ends with the next one, or with the job when it lasts too long.
func (e *examiner) step(name string) {
	limit := e.Timeout
	if !e.first {
		limit += doctorGrace
	}
	e.stop()
	e.timer = time.AfterFunc(limit, func() { e.abandon(doctor.Hung(name, limit, e.found.Launch.Rank, e.host)) })
}

// stop ends the step that this process is in.
func (e *examiner) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// abandon ends the job with what was found so far, and last.
func (e *examiner) abandon(last doctor.Check) {
	e.ending.Do(func() {
		if e.first {
			e.add(last)
			_ = e.end(nil)
		} else {
			_, _ = fmt.Fprintf(e.stderr, "h5perf doctor: %s", last.Line())
		}
		e.leave(exitFailed)
	})
}

// leave ends the job in the middle of the examination, and does not return. Neither the file system nor MPI may answer.
func (e *examiner) leave(status int) {
	for _, last := range []func(){func() { _ = e.trial.Remove() }, func() { e.world.Abort(status) }} {
		done := make(chan struct{})
		go func() {
			last()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(abortTime):
		}
	}
	os.Exit(status)
}

// catch lets signals that ask to end remove what was made.
func (e *examiner) catch() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		<-signals
		e.ending.Do(func() { e.leave(exitStopped) })
	}()
}

// add adds a check, and on the first process prints it.
func (e *examiner) add(c doctor.Check) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found.Add(c)
	if e.first && !e.JSON {
		_, _ = io.WriteString(e.stdout, c.Line())
	}
}

// end ends the examination and returns the exit status of this process: the first knows of all.
func (e *examiner) end(wrong error) int {
	e.stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	status := exitOK
	switch {
	case wrong != nil:
		status = exitLaunch
	case e.found.Verdict == doctor.Problem:
		status = exitFailed
	}
	e.found.ExitStatus = status
	if !e.first {
		return status
	}
	var err error
	if e.JSON {
		encoder := json.NewEncoder(e.stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(e.found)
	} else {
		_, err = io.WriteString(e.stdout, e.found.Summary())
	}
	if err != nil {
		return tellOnce(e.stderr, max(status, exitFailed), err)
	}
	return status
}
