//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/mpitest"
)

// launch starts the parallel tool on n ranks. wrapper is a command before the tool, which can make ranks differ; it may
// be nil.
func launch(t *testing.T, n int, base string, env, wrapper []string, args ...string) *launched {
	t.Helper()
	return launchBy(t, mpi.LibraryVersion(), n, base, env, wrapper, args...)
}

// launchBy starts the tool with the launcher of an MPI library.
func launchBy(t *testing.T, library string, n int, base string, env, wrapper []string, args ...string) *launched {
	t.Helper()
	launcher, err := mpitest.Launcher(library)
	if err != nil {
		t.Fatal(err)
	}
	env = append(append(mpitest.Environ(t), rundir.ParallelPrefix+"="+base), env...)
	l := start(t, append(append(launcher, "-n", fmt.Sprint(n)), wrapper...), base, env, args)
	l.loses = losesStatuses.MatchString(library)
	return l
}

// launcherOf returns the command line that starts n ranks of a program.
func launcherOf(t *testing.T, n int, words ...string) []string {
	t.Helper()
	launcher, err := mpitest.Launcher(mpi.LibraryVersion())
	if err != nil {
		t.Fatal(err)
	}
	return append(append(launcher, "-n", fmt.Sprint(n)), words...)
}

// losesStatuses matches releases of MPICH with a bug: if two ranks end with an error at the same time, mpiexec takes
// the statuses of all ranks as 0 (https://github.com/pmodels/mpich/issues/7057).
var losesStatuses = regexp.MustCompile(`^MPICH Version:\s+4\.(1|2\.[0-2])\b`)

func (l *launched) signal(rank int, s syscall.Signal) {
	l.t.Helper()
	pid, found := l.ranks()[rank]
	if !found {
		l.t.Fatalf("rank %d is gone before %v", rank, s)
	}
	if err := syscall.Kill(pid, s); err != nil {
		l.t.Fatal(err)
	}
}

func (l *launched) ranks() map[int]int {
	out := map[int]int{}
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		cmdline, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		exe, _ := os.Readlink(filepath.Join(p, "exe"))
		self, _ := os.Executable()
		if exe != self || !strings.Contains(string(cmdline), l.json) {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		for v := range strings.SplitSeq(string(env), "\x00") {
			name, value, _ := strings.Cut(v, "=")
			if name == "OMPI_COMM_WORLD_RANK" || name == "PMI_RANK" {
				rank, _ := strconv.Atoi(value)
				out[rank], _ = strconv.Atoi(filepath.Base(p))
			}
		}
	}
	return out
}

func TestARunWaitsForNoRankForEver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	late := []string{"sh", "-c", `[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && exec sleep 300; exec "$@"`, "sh"}
	l := launch(t, 2, dir, nil, late, "-A", "posix", "-x", "1M", "--timeout", "3s")
	if status := l.wait(startTime + endsWithin); status == result.ExitOK {
		t.Error("exit status 0")
	}
	if text := l.stderr.String(); !strings.Contains(text, "h5perf: rank 0 (") ||
		!strings.Contains(text, "): MPI_Init has not returned after 30s; ") {
		t.Errorf("standard error is %q", text)
	}
	l.cleaned()
}
