//go:build cgo && !nompi && !race

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
)

// Limits of the memory of a rank without its buffers: mostMemory is how much more than an empty MPI program it may use,
// and mostVariance how much more in a larger run. Programs and libraries are not counted, because they are in memory
// only once, and their resident part varies.
const (
	mostMemory   = 44 << 20
	mostVariance = 12 << 20
)

// emptyProgram builds an MPI program that does nothing, and returns its path.
func emptyProgram(t *testing.T) string {
	t.Helper()
	compiler, err := mpitest.Compiler(mpi.LibraryVersion())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "empty")
	if out, err := exec.Command(compiler, "-o", program, "testdata/empty.c").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return program
}

var kilobytes = regexp.MustCompile(`own memory: (\d+) KiB`)

// emptyMemory returns the peak memory, in bytes, of the largest of n processes of the empty program.
func emptyMemory(t *testing.T, program string, n int) int {
	t.Helper()
	line := launcherOf(t, n, program, filepath.Join(t.TempDir(), "data"))
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), mpitest.Environ(t)...)
	out, err := cmd.CombinedOutput()
	peaks := kilobytes.FindAllSubmatch(out, -1)
	if err != nil || len(peaks) != n {
		t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, out)
	}
	most := 0
	for _, p := range peaks {
		kib, _ := strconv.Atoi(string(p[1]))
		most = max(most, kib<<10)
	}
	return most
}

// cost is the maximum cost of a process of a run: bytes of memory, and threads.
type cost struct{ memory, threads int }

// costOf runs the tool, and returns the cost of its most expensive rank, without its buffers, and that of the watcher.
func costOf(t *testing.T, n int, args ...string) (rank, watcher cost) {
	t.Helper()
	doc, rank, watcher := wholeCostOf(t, n, append(args, "-C", "-I", "-c", "--latency")...)
	buffers := uint64(0)
	for _, c := range doc.Cases {
		p := plan.Case{Parameters: doc.Parameters, Processes: c.Processes, TransferSize: c.TransferSize, API: c.API}
		buffers = max(buffers, p.NumBuffers()*p.BufferBytes())
	}
	rank.memory -= int(buffers)
	return rank, watcher
}

// wholeCostOf runs the tool, and returns its document, the cost of its most expensive rank and that of the watcher. If
// a run ends before its watcher has told of its memory, wholeCostOf runs the tool again.
func wholeCostOf(t *testing.T, n int, args ...string) (doc result.Document, rank, watcher cost) {
	t.Helper()
	const mostRuns = 10
	for range mostRuns {
		if doc, rank, watcher = costOfRun(t, n, args...); watcher.memory > 0 {
			return doc, rank, watcher
		}
	}
	t.Fatalf("no watcher of %d runs told of its memory", mostRuns)
	return doc, rank, watcher
}

// costOfRun runs the tool once. The cost of the watcher is 0 if the run ended too early.
func costOfRun(t *testing.T, n int, args ...string) (doc result.Document, rank, watcher cost) {
	t.Helper()
	dir := t.TempDir()
	l := launch(t, n, t.TempDir(), []string{tellMemory + "=" + dir}, nil, args...)
	if status := l.wait(3 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		var bytes, threads int
		if _, e := fmt.Sscan(string(text), &bytes, &threads); err != nil || e != nil || bytes == 0 || threads == 0 {
			t.Fatalf("%s: %v, %v, %q", file, err, e, text)
		}
		if strings.HasPrefix(filepath.Base(file), "watcher") {
			watcher = cost{bytes, threads}
			continue
		}
		rank = cost{max(rank.memory, bytes), max(rank.threads, threads)}
	}
	if ranks, _ := filepath.Glob(filepath.Join(dir, "rank*")); len(ranks) != n {
		t.Fatalf("%q told of their memory, want %d ranks", files, n)
	}
	return l.document(), rank, watcher
}

// mostThreads is the maximum number of threads of a process of a run. MPI uses about three of them.
const mostThreads = 16

func TestARankHasFewThreads(t *testing.T) {
	t.Parallel()
	rank, watcher := costOf(t, 2, "-i", "3")
	t.Logf("threads: %d of a rank, %d of the watcher", rank.threads, watcher.threads)
	if max(rank.threads, watcher.threads) > mostThreads {
		t.Errorf("want %d at most", mostThreads)
	}
}

func TestARankUsesLittleMemoryBesidesItsBuffers(t *testing.T) {
	t.Parallel()
	empty := emptyProgram(t)
	first := 0
	for _, row := range []struct {
		name  string
		ranks int
		args  []string
	}{
		{"a run", 2, nil},
		{"iterations", 2, []string{"-i", "20"}},
		{"file size", 2, []string{"-e", "16M", "-B", "128K", "-x", "128K", "-X", "128K"}},
		{"ranks", 4, nil},
	} {
		without := emptyMemory(t, empty, row.ranks)
		rank, watcher := costOf(t, row.ranks, append(row.args, "-p", fmt.Sprint(row.ranks))...)
		above := rank.memory - without + watcher.memory
		t.Logf("%s: %.1f MiB above the %.1f of an empty program, with %.1f of the watcher", row.name, mib(above),
			mib(without), mib(watcher.memory))
		if above > mostMemory {
			t.Errorf("%s: a rank uses %.1f MiB besides its buffers, want %.1f at most", row.name, mib(above),
				mib(mostMemory))
		}
		if first == 0 {
			first = above
		}
		if above > first+mostVariance {
			t.Errorf("with more %s a rank uses %.1f MiB, without %.1f", row.name, mib(above), mib(first))
		}
	}
}

// A plan tells the memory of buffers. HDF5 needs no more for elements of 128 MiB.
func TestLargeElementsNeedTheMemoryOfTheirBuffer(t *testing.T) {
	t.Parallel()
	const elementBytes = 128 << 20
	script := filepath.Join(t.TempDir(), "large.star")
	if err := os.WriteFile(script, []byte(`"""Writes and reads an element of 128 MiB."""
def write(job):
    job.dump()
    f = job.create("f")
    f.create_dataset("d", array("f8", 1 << 24), 1).write(everything())
    f.close()

def read(job):
    job.dump()
    f = job.open("f")
    f["d"].read(everything())
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, rank, watcher := wholeCostOf(t, 1, "run", script, "-A", "phdf5", "-i", "1")
	above := rank.memory - elementBytes - emptyMemory(t, emptyProgram(t), 1) + watcher.memory
	if above > mostMemory {
		t.Errorf("a rank uses %.1f MiB besides its buffer, want %.1f at most", mib(above), mib(mostMemory))
	}
}

func mib(bytes int) float64 { return float64(bytes) / (1 << 20) }
