//go:build cgo && !nompi

package mpitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
)

func TestRunRunsEveryRank(t *testing.T) {
	Run(t, On(2, "First", everyRank(2)), On(3, "Second", everyRank(3)))
}

// everyRank lets each of n ranks make a file.
func everyRank(n int) func(t *testing.T, world mpi.Comm) {
	return func(t *testing.T, world mpi.Comm) {
		dir := Dir(t, world)
		name := filepath.Join(dir, string(rune('a'+world.Rank())))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		world.Barrier()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != n {
			t.Errorf("%v, %v in the shared directory, want %d entries", entries, err, n)
		}
	}
}

// failing is the environment variable that is set where a test fails.
const failing = "H5PERF_MPITEST_FAIL"

// A test that fails on one rank, while the other waits for it, ends the launch. Each test is reported, and one that was
// not chosen is not run and takes no processes.
func TestFailureOfOneRankEndsAll(t *testing.T) {
	if os.Getenv(failing) != "" {
		grace = 0
		nothing := func(*testing.T, mpi.Comm) {}
		Run(t, On(3, "NotChosen", func(t *testing.T, _ mpi.Comm) { t.Error("not chosen") }),
			On(1, "Before", nothing),
			On(2, "Failing", func(t *testing.T, world mpi.Comm) {
				if world.Rank() == 1 {
					t.Fatal(os.Getenv(failing))
				}
				world.Barrier()
			}),
			On(1, "After", nothing))
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$/^(Before|Failing|After)$", "-test.v")
	cmd.Env = append(os.Environ(), failing+"=as asked")
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "not chosen") {
		t.Errorf("error %v of a failing rank, output:\n%s", err, out)
	}
	for _, want := range []string{
		"2 processes:", "as asked", "rank 1 failed in Failing", "--- PASS: " + t.Name() + "/Before",
		"--- FAIL: " + t.Name() + "/Failing", "--- FAIL: " + t.Name() + "/After",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
}

func TestLauncher(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if l, err := Launcher("Open MPI v4"); err == nil {
		t.Errorf("launcher %v in an empty PATH", l)
	}
	t.Setenv("H5PERF_MPIEXEC", "/x/mpiexec -l")
	for library, want := range map[string]string{
		"Open MPI v4.1.4":      "/x/mpiexec -l --oversubscribe",
		"MPICH Version: 4.0.2": "/x/mpiexec -l",
	} {
		l, err := Launcher(library)
		if got := strings.Join(l, " "); err != nil || got != want {
			t.Errorf("launcher of %s: %q, %v; want %q", library, got, err, want)
		}
	}
}
