//go:build cgo && !nompi

package mpitest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/mpi"
)

// process is the environment variable that is set in each rank of a test, to the name of the test.
const process = "H5PERF_MPITEST"

const (
	deadline = 120 * time.Second // for a whole test

	// grace is how long a rank that failed waits for the others, and how long mpiexec may take to end.
	grace = 5 * time.Second
)

// Parallel runs body on n MPI processes: it starts the test binary for this one test, under the mpiexec of the MPI
// library that it is linked with, or under the command in H5PERF_MPIEXEC. The test fails if a process fails, or if it
// takes longer than two minutes. Call Parallel once in a test, before anything else. If body fails on one process, the
// others end. All calls of MPI belong on the goroutine of body.
func Parallel(t *testing.T, n int, body func(t *testing.T, world mpi.Comm)) {
	t.Helper()
	if isProcess(t) {
		rank(t, n, body)
		return
	}
	out, err := Launch(t, n, []string{process + "=" + t.Name()}, arguments(t)...)
	if err != nil {
		t.Fatalf("%d processes: %v\n%s", n, err, out)
	}
	if testing.Verbose() {
		t.Logf("%d processes:\n%s", n, out)
	}
}

// Launch runs this test binary with arguments on n processes under mpiexec, with additional environment variables, and
// returns everything that they print. It returns the error of mpiexec, which fails if a process fails, or an error if
// they do not end in time.
func Launch(t *testing.T, n int, environ []string, arguments ...string) ([]byte, error) {
	t.Helper()
	launcher, err := Launcher(mpi.LibraryVersion())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	words := append(launcher, "-n", fmt.Sprint(n), self)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], arguments...)...)
	cmd.Env = append(append(os.Environ(), environ...), Environ(t)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// mpiexec then ends its processes
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left of the group; there may be nothing
		err = fmt.Errorf("not done after %v: %w", deadline, err)
	}
	return out.Bytes(), err
}

// Environ returns environment variables that launchers need in tests. They are valid until the end of the test. Open
// MPI refuses to run as root without them. And launchers that start at the same time need session directories of
// their own: in a common one, one launcher removes what another has just made.
func Environ(t *testing.T) []string {
	t.Helper()
	// Sockets are in the directory, so its path must be short; and t.TempDir fails on what is left.
	session, err := os.MkdirTemp("", "mpi") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(session) }) // processes of a killed launcher may still use it
	return []string{
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", // Open MPI 5, too
		"OMPI_MCA_orte_tmpdir_base=" + session, "PRTE_MCA_prte_tmpdir_base=" + session,
	}
}

// Launcher returns the command that starts processes of an MPI library. library is the text of MPI_Get_library_version.
func Launcher(library string) ([]string, error) {
	openMPI := strings.HasPrefix(library, "Open MPI")
	var words []string
	if given := os.Getenv("H5PERF_MPIEXEC"); given != "" {
		words = strings.Fields(given)
	} else {
		name := "mpiexec.mpich"
		if openMPI {
			name = "mpiexec.openmpi"
		}
		path, err := exec.LookPath(name)
		if err != nil {
			path, err = exec.LookPath("mpiexec")
		}
		if err != nil {
			return nil, fmt.Errorf("no %s and no mpiexec found; name one in H5PERF_MPIEXEC: %w", name, err)
		}
		words = []string{path}
	}
	if openMPI {
		words = append(words, "--oversubscribe")
	}
	return words, nil
}

// arguments returns the arguments of the test binary for a rank: it runs this test only, and prints without delay.
// Flags that name a file are left out, since all ranks would write it at the same time.
func arguments(t *testing.T) []string {
	parts := strings.Split(t.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	args := []string{
		"-test.run=" + strings.Join(parts, "/"), "-test.v",
		"-test.timeout=" + (deadline - 2*grace).String(),
	}
	for _, a := range os.Args[1:] {
		if strings.HasPrefix(a, "-test.gocoverdir=") || a == "-test.short" || a == "-test.short=true" {
			args = append(args, a)
		}
	}
	return args
}

// isProcess reports whether this process is a rank of the test.
func isProcess(t *testing.T) bool { return os.Getenv(process) == t.Name() }

// rank runs body on this process, which is a rank of the test.
func rank(t *testing.T, n int, body func(t *testing.T, world mpi.Comm)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t.Cleanup(func() { // runs last of all cleanups
		if !t.Failed() {
			mpi.Exit(0)
		}
	})
	world, err := mpi.Init()
	if err != nil {
		t.Fatal(err)
	}
	if world.Size() != n {
		t.Fatalf("%d processes in the job of %s, want %d: mpiexec of another MPI?", world.Size(), mpi.LibraryVersion(),
			n)
	}
	end := world.Split(0, world.Rank()) // for the end: a body that failed may have left incomplete calls on world
	failed := 1                         // also if body panics or ends the goroutine
	defer func() {
		if _, _, err := end.Agree(failed, nil, grace); err != nil {
			t.Logf("rank %d ends the job: %v", end.Rank(), err)
			end.Abort(1)
		}
		end.Free()
		mpi.Finalize(world)
	}()
	body(t, world)
	if !t.Failed() {
		failed = 0
	}
}
