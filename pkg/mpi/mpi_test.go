//go:build cgo && !nompi

package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
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
	"h5perf/pkg/mpi/mpitest"
)

func TestReductions(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		r := float64(world.Rank())
		want := []mpi.Extremes{
			{Max: 2, Min: 0, Sum: 3, MaxRank: 2},
			{Max: 0, Min: -4, Sum: -6, MaxRank: 0},
			{Max: 5, Min: 5, Sum: 15, MaxRank: 0},
			{Max: math.Inf(1), Min: math.Inf(1), Sum: math.Inf(1), MaxRank: 0},
		}
		if d := cmp.Diff(want, world.Reduce([]float64{r, -2 * r, 5, math.Inf(1)})); d != "" {
			t.Error(d)
		}
		if got := world.Reduce(nil); got != nil {
			t.Errorf("%v from nothing", got)
		}
		sums := []uint64{1 << 62, uint64(world.Rank())}
		world.SumUint64(sums)
		if d := cmp.Diff([]uint64{3 << 62, 3}, sums); d != "" {
			t.Error(d)
		}
	})
}

func TestBytesGoRound(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		for _, n := range []int{0, 1, 7, 1 << 20} {
			var data []byte
			want := bytes.Repeat([]byte{byte(n), 3}, n)
			if world.Rank() == 2 {
				data = want
			}
			if got := world.Bcast(data, 2); !bytes.Equal(got, want) {
				t.Errorf("%d bytes from rank 2 came as %d other ones", len(want), len(got))
			}
		}
		texts := [][]byte{{}, []byte("one"), []byte("two's")}
		all := world.Gather(texts[world.Rank()])
		var want [][]byte
		if world.Rank() == 0 {
			want = texts
		}
		if d := cmp.Diff(want, all); d != "" {
			t.Error(d)
		}
	})
}

func TestSplit(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		color := 0
		if world.Rank() == 1 {
			color = -1
		}
		part := world.Split(color, -world.Rank())
		if world.Rank() == 1 {
			if part != nil {
				t.Errorf("a communicator for a negative color")
			}
			return
		}
		defer part.Free()
		if want := 1 - world.Rank()/2; part.Size() != 2 || part.Rank() != want {
			t.Errorf("rank %d of %d, want %d of 2", part.Rank(), part.Size(), want)
		}
		if got := part.Reduce([]float64{1})[0].Sum; got != 2 {
			t.Errorf("sum %v in a part of two processes", got)
		}
		if part.Handle() == nil || part.Handle() == world.Handle() {
			t.Errorf("handle %p of a part, %p of the world", part.Handle(), world.Handle())
		}
	})
}

func TestNodes(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		if local, nodes := mpi.Node(world); local != world.Rank() || nodes != 1 {
			t.Errorf("local rank %d on %d nodes, want %d on 1", local, nodes, world.Rank())
		}
		hosts, err := mpi.Placement(world)
		if err != nil {
			t.Fatal(err)
		}
		if world.Rank() != 0 {
			if hosts != nil {
				t.Errorf("rank %d got %v", world.Rank(), hosts)
			}
			return
		}
		if len(hosts) != 1 || hosts[0].Ranks != "0-2" || hosts[0].Count != 3 {
			t.Fatalf("placement %v", hosts)
		}
		bound := 0
		for _, b := range hosts[0].Bindings {
			bound += b.Ranks
		}
		if bound != 3 {
			t.Errorf("%d ranks in the bindings %v, want 3", bound, hosts[0].Bindings)
		}
	})
}

func TestAgreement(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		agree := func(code int) [2]int {
			highest, rank, err := world.Agree(code, nil, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return [2]int{highest, rank}
		}
		for _, c := range []struct {
			codes [3]int
			want  [2]int
		}{
			{[3]int{0, 0, 0}, [2]int{0, 0}},
			{[3]int{0, 7, 7}, [2]int{7, 1}},
			{[3]int{1, 2, 3}, [2]int{3, 2}},
		} {
			if got := agree(c.codes[world.Rank()]); got != c.want {
				t.Errorf("codes %v: code and rank %v, want %v", c.codes, got, c.want)
			}
		}
		world.Barrier()
		const rounds = 200
		start := time.Now()
		for range rounds {
			agree(0)
		}
		t.Logf("an agreement takes %v", time.Since(start)/rounds)
	})
}

// Rank 0 comes two seconds late; the others must have used less than 1 % of a processor meanwhile.
func TestWaitCostsNothing(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		least := 1.0 // what else the machine does makes a wait dearer
		for range 3 {
			world.Barrier()
			if world.Rank() == 0 {
				<-time.After(2 * time.Second)
			}
			before, start := cpuTime(t), time.Now()
			if _, _, err := world.Agree(0, nil, time.Minute); err != nil {
				t.Fatal(err)
			}
			used, waited := cpuTime(t)-before, time.Since(start)
			t.Logf("rank %d used %v of the processor in %v", world.Rank(), used, waited)
			if world.Rank() == 1 && waited > time.Second {
				least = min(least, used.Seconds()/waited.Seconds())
			}
		}
		if world.Rank() == 1 && least > 0.01 {
			t.Errorf("%.1f %% of the processor used while waiting", 100*least)
		}
	})
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestNoAgreementInTime(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		const grace = 200 * time.Millisecond
		for _, c := range []struct {
			code  int
			hurry bool
		}{{1, false}, {0, true}} {
			late := world.Split(0, world.Rank()) // not freed: rank 1 leaves its agreement open
			if world.Rank() == 1 {
				start := time.Now()
				_, _, err := late.Agree(c.code, func() bool { return c.hurry }, grace)
				if took := time.Since(start); !errors.Is(err, mpi.ErrNoAgreement) || took < grace || took > time.Minute {
					t.Errorf("code %d: %v after %v, want %v after %v", c.code, err, took, mpi.ErrNoAgreement, grace)
				}
			}
			world.Barrier()
			if world.Rank() == 0 {
				if code, rank, err := late.Agree(0, nil, grace); err != nil || code != c.code || rank != c.code {
					t.Errorf("%d of rank %d, %v; want %d of rank %d", code, rank, err, c.code, c.code)
				}
			}
		}
	})
}

func TestFacts(t *testing.T) {
	mpitest.Parallel(t, 1, func(t *testing.T, _ mpi.Comm) {
		if v := mpi.LibraryVersion(); !strings.Contains(v, "MPI") {
			t.Errorf("library version %q", v)
		}
		if v, err := strconv.ParseFloat(mpi.Standard(), 64); err != nil || v < 3 {
			t.Errorf("standard %q", mpi.Standard())
		}
		if mpi.MaxInfoKey < 31 || mpi.MaxInfoValue < 31 {
			t.Errorf("info of %d and %d bytes", mpi.MaxInfoKey, mpi.MaxInfoValue)
		}
		if _, err := mpi.Init(); err == nil {
			t.Error("initialised twice")
		}
		// Debian's Open MPI asks by PMIx, its MPICH does not.
		if got, want := mpi.PMIx(), strings.HasPrefix(mpi.LibraryVersion(), "Open MPI"); (got != "") != want || want && !strings.ContainsAny(got[:1], "3456789") {
			t.Errorf("PMIx %q of %s", got, mpi.LibraryVersion())
		}
		if got, want := mpi.SpeaksPMIxAlone(), strings.HasPrefix(mpi.LibraryVersion(), "Open MPI"); got != want { // Debian's
			t.Errorf("PMIx alone: %v, want %v of %s", got, want, mpi.LibraryVersion())
		}
	})
}

// MPICH's handler of this signal would make the Go runtime end the program.
func TestSignalHandlersAreGo(t *testing.T) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGUSR1) // before MPI is initialised
	defer signal.Stop(got)
	mpitest.Parallel(t, 1, func(t *testing.T, _ mpi.Comm) {
		if err := unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGUSR1); err != nil { // here: on a goroutine's stack
			t.Fatal(err)
		}
		select {
		case <-got:
		case <-time.After(time.Minute):
			t.Error("no SIGUSR1 came")
		}
	})
}

// The status of Abort must come out of mpiexec, also from another thread while this one waits in MPI.
func TestAbort(t *testing.T) {
	if os.Getenv(inJob) == "" {
		out, err := mpitest.Launch(t, 2, []string{inJob + "=1"}, "-test.run=^TestAbort$")
		var status *exec.ExitError
		if !errors.As(err, &status) || status.ExitCode() != 143 {
			t.Errorf("%v, want exit status 143\n%s", err, out)
		}
		return
	}
	world := start(t)
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
		world := start(t)
		defer mpi.Finalize(world)
		err := launcher.Check(launcher.Here(), world.Size(), mpi.LibraryVersion())
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
	cmd.Env = append(os.Environ(), inJob+"=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "found: 2 processes were launched") != 2 || !strings.Contains(string(out), right) {
		t.Errorf("%v; want 2 processes that name %s:\n%s", err, right, out)
	}
}

// inJob tells a process that mpiexec started it.
const inJob = "H5PERF_TEST_IN_JOB"

func start(t *testing.T) mpi.Comm {
	t.Helper()
	runtime.LockOSThread()
	world, err := mpi.Init()
	if err != nil {
		t.Fatal(err)
	}
	return world
}
