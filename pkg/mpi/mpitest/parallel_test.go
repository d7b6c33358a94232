//go:build cgo && !nompi

package mpitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
)

func TestParallelRunsEveryRank(t *testing.T) {
	Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		dir := Dir(t, world)
		name := filepath.Join(dir, string(rune('a'+world.Rank())))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		world.Barrier()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 3 {
			t.Errorf("%v, %v in the shared directory, want 3 entries", entries, err)
		}
	})
}

// A test that fails on one rank, while the other waits for it, must fail the parent.
const failing = "H5PERF_MPITEST_FAIL"

func TestFailureOfOneRankEndsAll(t *testing.T) {
	if isProcess(t) {
		Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
			if world.Rank() == 1 {
				t.Fatal(os.Getenv(failing))
			}
			world.Barrier()
		})
		return
	}
	out, err := Launch(t, 2, []string{process + "=" + t.Name(), failing + "=as asked"}, arguments(t)...)
	if err == nil || !strings.Contains(string(out), "as asked") {
		t.Errorf("error %v of a failing rank, output:\n%s", err, out)
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
