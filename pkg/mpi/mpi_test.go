//go:build cgo && !nompi

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/placement"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/units"
)

func TestProcesses(t *testing.T) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGUSR1) // before MPI is initialised
	defer signal.Stop(got)
	mpitest.Run(t,
		mpitest.On(3, "Conformance", mpitest.Conformance),
		mpitest.On(3, "MergeAll", testMergeAll),
		mpitest.On(1, "Handle", testHandle),
		mpitest.On(1, "Info", testInfo),
		mpitest.On(2, "AWaitSleeps", testAWaitSleeps),
		mpitest.On(1, "Facts", testFacts),
		mpitest.On(1, "SignalHandlersAreGo", func(t *testing.T, _ mpi.Comm) { testSignalHandlersAreGo(t, got) }),
	)
}

// testMergeAll merges hosts from all processes, one from each.
func testMergeAll(t *testing.T, world mpi.Comm) {
	r := world.Rank()
	own := placement.NewHost(fmt.Sprint("n", r), []int{r}, []string{"0-3"}, 4)
	hosts, err := mpi.MergeAll(world.Split(0, r), []placement.Host{own})
	var want []placement.Host
	if r == 0 {
		want = []placement.Host{{
			Host: "n[0-2]", Nodes: 3, Ranks: "0", Lowest: "0-2", Count: 1, CPUs: 4,
			Bindings: []placement.Binding{{Local: "0", Ranks: 1, CPUs: "0-3"}},
		}}
	}
	if d := cmp.Diff(want, hosts); d != "" || err != nil {
		t.Errorf("%v, (-want +got)\n%s", err, d)
	}
}

func testHandle(t *testing.T, world mpi.Comm) {
	part := world.Split(0, 0)
	defer part.Free()
	if part.Handle() == nil || part.Handle() == world.Handle() {
		t.Errorf("handle %p of a part, %p of the world", part.Handle(), world.Handle())
	}
}

func testInfo(t *testing.T, _ mpi.Comm) {
	longest := units.KeyValue{Key: strings.Repeat("k", mpi.MaxInfoKey), Value: strings.Repeat("v", mpi.MaxInfoValue)}
	for _, hints := range [][]units.KeyValue{nil, {}, {{Key: "striping_unit", Value: "1 048 576"}, longest}} {
		info, err := mpi.NewInfo(hints)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(hints, mpi.InfoHints(info.Handle())); d != "" {
			t.Error(d)
		}
		info.Free()
	}
	for want, h := range map[string]units.KeyValue{
		`hint "a"="": key and value must not be empty`: {Key: "a"},
		`hint ""="b": key and value must not be empty`: {Value: "b"},
		"the key has":   {Key: longest.Key + "k", Value: "v"},
		"the value has": {Key: "k", Value: longest.Value + "v"},
	} {
		if _, err := mpi.NewInfo([]units.KeyValue{h}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	err := mpi.ErrorOf(1)
	if !strings.HasPrefix(err.Error(), "MPI_ERR_BUFFER") && !strings.Contains(err.Error(), "buffer") {
		t.Errorf("error %v of code 1, MPI_ERR_BUFFER of all implementations", err)
	}
}

// Sleeps get longer while a process waits. In 2 seconds, polls use less than 1 % of a processor, if each takes at most
// 75 µs. A wait ends late by at most 1/16 of its length, and by at most 20 ms.
func TestSleepsOfAWaitGrow(t *testing.T) {
	const spin, wait, cost = 5 * time.Millisecond, 2 * time.Second, 75 * time.Microsecond
	if polls := sleeps(wait); spin+time.Duration(polls)*cost > wait/100 {
		t.Errorf("%d polls in a wait of %v", polls, wait)
	}
	for waited := time.Duration(0); waited < wait; waited += 100 * time.Microsecond {
		nap := mpi.Nap(waited)
		if (nap > 0) != (waited >= spin) || nap > waited/16 || nap > 20*time.Millisecond {
			t.Errorf("after %v it sleeps %v", waited, nap)
		}
	}
}

// sleeps returns the number of sleeps in a wait, if each takes exactly the requested time.
func sleeps(wait time.Duration) (n int) {
	for waited := 5 * time.Millisecond; waited < wait; n++ {
		waited += max(mpi.Nap(waited), 1)
	}
	return n
}

// A waiting thread leaves its processor for each sleep, and a few times more: when it goes from C to Go. Once it
// sleeps, it does not yield its processor between two checks. The system would count a yield as an involuntary context
// switch.
func testAWaitSleeps(t *testing.T, world mpi.Comm) {
	fifo := filepath.Join(mpitest.Dir(t, world), "fifo")
	if world.Rank() == 0 {
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	world.Barrier()
	if world.Rank() == 0 {
		if _, err := os.ReadFile(fifo); err != nil { // until the other process has waited for a while
			t.Fatal(err)
		}
	}
	calls, slept, offered := 0, false, 0
	before, _ := left(t)
	start := time.Now()
	hurry := func() bool {
		calls++
		n, sent := left(t)
		slept = slept || n > before
		if calls == 1 {
			offered = sent
		}
		if calls == 3 && world.Rank() == 1 {
			if err := os.WriteFile(fifo, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
		return false
	}
	if _, _, err := world.Agree(0, hurry, time.Minute, mpi.Asleep); err != nil {
		t.Fatal(err)
	}
	n, sent := left(t)
	n, sent = n-before, sent-offered
	waited := time.Since(start)
	if most := sleeps(waited) + 10*calls; world.Rank() == 1 && (!slept || n > most || sent > 10*most) {
		t.Errorf("the thread left its processor %d times in a wait of %v, want at most %d times; it slept: %v; it was "+
			"sent away %d times", n, waited, most, slept, sent)
	}
}

// left returns the numbers of voluntary and of involuntary context switches of this thread.
func left(t *testing.T) (waits, sent int) {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return int(u.Nvcsw), int(u.Nivcsw)
}

func testFacts(t *testing.T, _ mpi.Comm) {
	if v := mpi.LibraryVersion(); !strings.Contains(v, "MPI") {
		t.Errorf("library version %q", v)
	}
	if v, err := strconv.ParseFloat(mpi.StandardVersion(), 64); err != nil || v < 3 {
		t.Errorf("standard %q", mpi.StandardVersion())
	}
	if mpi.MaxInfoKey < 31 || mpi.MaxInfoValue < 31 {
		t.Errorf("info of %d and %d bytes", mpi.MaxInfoKey, mpi.MaxInfoValue)
	}
	if _, err := mpi.Init(); err == nil {
		t.Error("initialised twice")
	}
	// In Debian, Open MPI uses PMIx and MPICH does not.
	got, want := mpi.PMIx(), strings.HasPrefix(mpi.LibraryVersion(), "Open MPI")
	if (got != "") != want || want && !strings.ContainsAny(got[:1], "3456789") {
		t.Errorf("PMIx %q of %s", got, mpi.LibraryVersion())
	}
	// In Debian, Open MPI has components for PMIx only.
	if got, want := mpi.UsesPMIxOnly(), strings.HasPrefix(mpi.LibraryVersion(), "Open MPI"); got != want {
		t.Errorf("PMIx alone: %v, want %v of %s", got, want, mpi.LibraryVersion())
	}
}

// MPICH installs a handler for this signal with which the Go runtime would end the program.
func testSignalHandlersAreGo(t *testing.T, got <-chan os.Signal) {
	t.Helper()
	if err := unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGUSR1); err != nil { // to a goroutine's thread
		t.Fatal(err)
	}
	select {
	case <-got:
	case <-time.After(time.Minute):
		t.Error("no SIGUSR1 came")
	}
}

// mpiexec must exit with the status of Abort, even if another thread calls Abort while this one waits in MPI.
func TestAbort(t *testing.T) {
	if os.Getenv(inJob) == "" {
		out, err := mpitest.Launch(t, 2, []string{inJob + "=1"}, "-test.run=^TestAbort$")
		var status *exec.ExitError
		if !errors.As(err, &status) || status.ExitCode() != 143 {
			t.Errorf("%v, want exit status 143\n%s", err, out)
		}
		return
	}
	world := initWorld(t)
	if world.Rank() == 1 {
		go world.Abort(143)
	}
	world.Split(world.Rank(), 0).Barrier()
	for {
		world.Barrier()
	}
}

func TestLauncherOfAnotherMPI(t *testing.T) {
	if os.Getenv(inJob) != "" {
		world := initWorld(t)
		defer mpi.Finalize(world)
		err := launcher.CheckWorldSize(launcher.ThisProcess(), world.Size(), mpi.LibraryVersion())
		fmt.Printf("found: %v\n", err)
		return
	}
	other, right := "Open MPI", "mpiexec.mpich"
	if strings.HasPrefix(mpi.LibraryVersion(), other) {
		other, right = "MPICH", "mpiexec.openmpi"
	}
	launcher, err := mpitest.Launcher(other)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := append(launcher, "-n", "2", self, "-test.run=^TestLauncherOfAnotherMPI$")
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(append(os.Environ(), inJob+"=1"), mpitest.Environ(t)...)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "found: 2 processes were launched") != 2 ||
		!strings.Contains(string(out), right) {
		t.Errorf("%v; want 2 processes that name %s:\n%s", err, right, out)
	}
}

// inJob is an environment variable that is set in processes under mpiexec.
const inJob = "H5PERF_TEST_IN_JOB"

func initWorld(t *testing.T) mpi.Comm {
	t.Helper()
	runtime.LockOSThread()
	world, err := mpi.Init()
	if err != nil {
		t.Fatal(err)
	}
	return world
}
