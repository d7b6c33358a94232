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

// process tells a process that it is one of the ranks of a test, and of which.
const process = "H5PERF_MPITEST"

const (
	deadline = 120 * time.Second // of a whole test
	grace    = 5 * time.Second   // how long a rank that failed waits for the others, and mpiexec may take to end
)

// Parallel runs body on n MPI processes: it starts the test binary under the mpiexec of the MPI library it is linked with
// (or the command in H5PERF_MPIEXEC), to run this one test, and fails when a process fails or the deadline of two minutes
// passes. Call it once in a test, first. A body that fails on one process ends the others. Calls of MPI belong on the
// goroutine of body.
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

// Launch runs this test binary with arguments on n processes under mpiexec, with some more environment, and returns all
// that they print. The error is that of mpiexec: a process that fails, or the deadline.
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
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // mpiexec ends its processes
	cmd.WaitDelay = grace
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left; there may be nothing
		err = fmt.Errorf("not done after %v: %w", deadline, err)
	}
	return out.Bytes(), err
}

// Environ is what a launcher needs in tests besides its command, until the end of one: Open MPI refuses root unless told, and
// launchers that start at the same time fail over their directories in a common one, where one removes it as another makes it.
func Environ(t *testing.T) []string {
	t.Helper()
	session, err := os.MkdirTemp("", "mpi") //nolint:usetesting // a short name, for a socket's comes behind it, of which something may be left
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(session) }) // processes of a launcher that was killed may still be in it
	return []string{
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", // Open MPI 5, too
		"OMPI_MCA_orte_tmpdir_base=" + session, "PRTE_MCA_prte_tmpdir_base=" + session,
	}
}

// Launcher is the command that starts processes of an MPI library, by the text of MPI_Get_library_version.
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

// arguments are those of the test binary for one rank: this test only, and what it prints at once. Flags that name a file
// are left out: the ranks would write it all at a time.
func arguments(t *testing.T) []string {
	parts := strings.Split(t.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	args := []string{"-test.run=" + strings.Join(parts, "/"), "-test.v", "-test.timeout=" + (deadline - 2*grace).String()}
	for _, a := range os.Args[1:] {
		if strings.HasPrefix(a, "-test.gocoverdir=") || a == "-test.short" || a == "-test.short=true" {
			args = append(args, a)
		}
	}
	return args
}

// isProcess tells whether this process is a rank of the test.
func isProcess(t *testing.T) bool { return os.Getenv(process) == t.Name() }

// rank is one of the processes.
func rank(t *testing.T, n int, body func(t *testing.T, world mpi.Comm)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t.Cleanup(func() { // the last one of all
		if !t.Failed() {
			mpi.Exit(0)
		}
	})
	world, err := mpi.Init()
	if err != nil {
		t.Fatal(err)
	}
	if world.Size() != n {
		t.Fatalf("%d processes in the job of %s, want %d: mpiexec of another MPI?", world.Size(), mpi.LibraryVersion(), n)
	}
	end := world.Split(0, world.Rank()) // a body that failed may have left calls on world without their counterparts
	failed := 1                         // also when body panics or ends the goroutine
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
