//go:build cgo && !nompi

package mpitest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/mpi"
)

// Environment variables that are set in each rank of a launch.
const (
	process = "H5PERF_MPITEST"        // the name of the test that launched it
	chosen  = "H5PERF_MPITEST_CHOSEN" // names of tests of Run, one a line
	passed  = "H5PERF_MPITEST_PASSED" // a file to which the first rank adds the name of each test that passed
)

// deadline is for a whole launch.
const deadline = 10 * time.Minute

// grace is how long a rank that failed waits for the others, and how long mpiexec may take to end.
var grace = 5 * time.Second

// Test is a test on some MPI processes.
type Test struct {
	name      string
	processes int
	body      func(t *testing.T, world mpi.Comm)
}

// On returns a test on n processes.
func On(n int, name string, body func(t *testing.T, world mpi.Comm)) Test { return Test{name, n, body} }

// Run runs tests on MPI processes, one after another in the same launch, and reports each as a subtest. To start the
// processes takes longer than most tests. A test of fewer processes than another is run on the first ones, and the
// rest wait. What a test leaves behind is there for those after it: an ignored signal, a directory. A test that fails
// ends the launch, and those after it fail, too. The subtests that -run and -skip leave out are not run.
func Run(t *testing.T, tests ...Test) {
	t.Helper()
	if isProcess(t) {
		names := strings.Split(os.Getenv(chosen), "\n")
		ranks(t, slices.DeleteFunc(tests, func(one Test) bool { return !slices.Contains(names, one.name) }))
		return
	}
	var names []string
	file := filepath.Join(t.TempDir(), "passed")
	n := 0
	for _, one := range tests {
		t.Run(one.name, func(t *testing.T) {
			names, n = append(names, one.name), max(n, one.processes)
			t.Parallel()                // goes on when Run has returned
			all, _ := os.ReadFile(file) // there is none if no test passed
			if !slices.Contains(strings.Split(string(all), "\n"), one.name) {
				t.Error("it failed, or a test before it: see the output of the processes")
			}
		})
	}
	if n > 0 {
		launch(t, n, chosen+"="+strings.Join(names, "\n"), passed+"="+file)
	}
}

// Parallel runs body on n MPI processes: it starts the test binary for this one test, under the mpiexec of the MPI
// library that it is linked with, or under the command in H5PERF_MPIEXEC. The test fails if a process fails, or if it
// takes longer than ten minutes. Call Parallel or Run once in a test, before anything else. If body fails on one
// process, the others end. All calls of MPI belong on the goroutine of body.
func Parallel(t *testing.T, n int, body func(t *testing.T, world mpi.Comm)) {
	t.Helper()
	if isProcess(t) {
		ranks(t, []Test{{t.Name(), n, body}})
		return
	}
	launch(t, n)
}

// launch runs this test on n processes, with additional environment variables.
func launch(t *testing.T, n int, environ ...string) {
	t.Helper()
	out, err := Launch(t, n, append(environ, process+"="+t.Name()), arguments(t)...)
	if err != nil {
		t.Errorf("%d processes: %v\n%s", n, err, out)
	} else if testing.Verbose() {
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

// Compiler returns the command that compiles C programs for an MPI library: that in MPICC, or the library's own.
// library is the text of MPI_Get_library_version.
func Compiler(library string) (string, error) {
	names := []string{os.Getenv("MPICC"), "mpicc.mpich", "mpicc"}
	if strings.HasPrefix(library, "Open MPI") {
		names[1] = "mpicc.openmpi"
	}
	at := slices.IndexFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if at < 0 {
		return "", fmt.Errorf("none of the compilers of MPI programs %s is installed: install libopenmpi-dev and "+
			"libmpich-dev (make test-setup), or set MPICC", strings.Join(names[1:], " and "))
	}
	return names[at], nil
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

// ranks runs tests on this process, which is a rank.
func ranks(t *testing.T, tests []Test) {
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
	most := slices.MaxFunc(tests, func(a, b Test) int { return cmp.Compare(a.processes, b.processes) }).processes
	if world.Size() != most {
		t.Fatalf("%d processes in the job of %s, want %d: mpiexec of another MPI?", world.Size(), mpi.LibraryVersion(),
			most)
	}
	end := world.Split(0, world.Rank()) // for the end: a body that failed may have left incomplete calls
	agree := func(code int) (highest int) {
		highest, _, err := end.Agree(code, nil, grace, mpi.Asleep)
		if err != nil {
			t.Logf("rank %d ends the job: %v", end.Rank(), err)
			end.Abort(1)
		}
		return highest
	}
	ended, at := false, ""
	defer func() {
		if !ended { // also if a body panicked or ended the goroutine
			t.Logf("rank %d failed in %s", world.Rank(), at)
			agree(1)
		}
		end.Free()
		mpi.Finalize(world)
	}()
	for _, one := range tests {
		at = one.name
		start := time.Now()
		color := 0
		if world.Rank() >= one.processes {
			color = -1
		}
		if part := world.Split(color, world.Rank()); part != nil {
			one.body(t, part)
			part.Free()
		}
		if t.Failed() {
			return
		}
		if agree(0) > 0 {
			break
		}
		if world.Rank() == 0 {
			note(t, one.name)
			t.Logf("%s took %v", one.name, time.Since(start))
		}
	}
	ended = true
}

// note adds the name of a test to those that passed.
func note(t *testing.T, name string) {
	t.Helper()
	path := os.Getenv(passed)
	if path == "" { // of Parallel
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, name)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Error(err)
	}
}
