//go:build cgo && !nompi

package mpi_test

import (
	"errors"
	"fmt"
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

	"h5perf/pkg/kv"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
)

func TestConformance(t *testing.T) {
	mpitest.Parallel(t, 3, mpitest.Conformance)
}

func TestHandle(t *testing.T) {
	mpitest.Parallel(t, 1, func(t *testing.T, world mpi.Comm) {
		part := world.Split(0, 0)
		defer part.Free()
		if part.Handle() == nil || part.Handle() == world.Handle() {
			t.Errorf("handle %p of a part, %p of the world", part.Handle(), world.Handle())
		}
	})
}

func TestInfo(t *testing.T) {
	mpitest.Parallel(t, 1, func(t *testing.T, _ mpi.Comm) {
		longest := kv.KeyValue{Key: strings.Repeat("k", mpi.MaxInfoKey), Value: strings.Repeat("v", mpi.MaxInfoValue)}
		for _, hints := range [][]kv.KeyValue{nil, {}, {{Key: "striping_unit", Value: "1 048 576"}, longest}} {
			info, err := mpi.NewInfo(hints)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(hints, mpi.Hints(info.Handle())); d != "" {
				t.Error(d)
			}
			info.Free()
		}
		for want, h := range map[string]kv.KeyValue{
			`hint "a"="": key and value must not be empty`: {Key: "a"},
			`hint ""="b": key and value must not be empty`: {Value: "b"},
			"the key has":   {Key: longest.Key + "k", Value: "v"},
			"the value has": {Key: "k", Value: longest.Value + "v"},
		} {
			if _, err := mpi.NewInfo([]kv.KeyValue{h}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		err := mpi.ErrorOf(1)
		if !strings.HasPrefix(err.Error(), "MPI_ERR_BUFFER") && !strings.Contains(err.Error(), "buffer") {
			t.Errorf("error %v of code 1, MPI_ERR_BUFFER of all implementations", err)
		}
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
		got, want := mpi.PMIx(), strings.HasPrefix(mpi.LibraryVersion(), "Open MPI")
		if (got != "") != want || want && !strings.ContainsAny(got[:1], "3456789") {
			t.Errorf("PMIx %q of %s", got, mpi.LibraryVersion())
		}
		// Debian's
		if got, want := mpi.SpeaksPMIxAlone(), strings.HasPrefix(mpi.LibraryVersion(), "Open MPI"); got != want {
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
	if err != nil || strings.Count(string(out), "found: 2 processes were launched") != 2 ||
		!strings.Contains(string(out), right) {
		t.Errorf("%v; want 2 processes that name %s:\n%s", err, right, out)
	}
}

// inJob is the environment variable that is set in processes that mpiexec started.
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
