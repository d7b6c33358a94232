//go:build scale

package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/test/enginetest"
)

// fileCalls is the set of system calls that the test counts: all that may reach the server of a file system, except for
// those that move data.
const fileCalls = "%file,%fstat,%fstatfs,ftruncate,fallocate,getdents64,fsync,fdatasync,flock"

// rankCalls is how often the average rank calls the file system in the directories of the run. A rank opens the private
// directory, checks its owner, and checks whether it can create files there. Only rank 0 and the first ranks of nodes
// do more.
const rankCalls = 3

// TestRanksUseFilesTheSameInJobsOfAnySize counts the file operations of jobs, in a process that runs under strace. It
// compares jobs of the same number of ranks on nodes of two sizes, to separate operations per node from operations per
// rank. None of these numbers may grow with the number of ranks, and neither may those of rank 0.
func TestRanksUseFilesTheSameInJobsOfAnySize(t *testing.T) {
	var fewest counts
	for _, n := range []int{1024, min(4096, sizes()[2])} {
		var jobs []operations
		for _, ranks := range []int{nodeRanks / 4, nodeRanks} {
			t.Run(fmt.Sprintf("%d-%d", n, ranks), func(t *testing.T) {
				if dir := enginetest.Traced(); dir != "" {
					useFiles(t, dir, n, ranks)
					return
				}
				dir, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				jobs = append(jobs, operationsOf(enginetest.Trace(t, dir, fileCalls), dir, n, ranks))
			})
		}
		if len(jobs) < 2 { // one job runs under strace, or has failed
			continue
		}
		c := perNode(jobs[0], jobs[1])
		t.Logf("%6d ranks: %v", n, c)
		if fewest == nil {
			fewest = c
		}
		c.compare(t, fewest)
		if own := c["operations "+inDirectories+", per rank"]; own != rankCalls {
			t.Errorf("%d ranks: a rank calls the file system %v times, want %v", n, own, rankCalls)
		}
	}
}

// rank0Begins marks the thread of rank 0 in the trace. It is the name of a symbolic link that does not exist.
const rank0Begins = "h5perf-rank-0-begins"

// useFiles runs a job of n ranks with all its files in a directory. All file operations are those of a real run, except
// those of the engine. Rank 0 has its own thread.
func useFiles(t *testing.T, dir string, n, ranks int) {
	t.Helper()
	s := virtual(t, n, nil, nil)
	s.node = func(rank int) int { return rank / ranks }
	s.own = true
	s.base, s.json = filepath.Join(dir, "data"), filepath.Join(dir, "run.json")
	s.arms = []Request{{JSON: s.json}}
	if err := os.Mkdir(s.base, 0o700); err != nil {
		t.Fatal(err)
	}
	s.wrap = func(rank int, world mpi.Comm) mpi.Comm {
		if rank == 0 {
			runtime.LockOSThread()
			_, _ = os.Readlink(rank0Begins)
		}
		return world
	}
	s.run()
	s.statuses(result.ExitOK)
	s.document(s.json, result.Complete, result.ExitOK)
}

// operations holds how often a job called the file system.
type operations struct {
	ranks, nodes int
	all, rank0   places // rank0 counts the calls of rank 0 without those of its other goroutines
}

// places holds numbers of calls, by the place of the files.
type places map[string]float64

// The directories of the run may be on a file system that all nodes share. All other files are local to a node.
const (
	inDirectories = "in the directories of the run"
	elsewhere     = "elsewhere"
)

// call matches a system call in a trace.
var call = regexp.MustCompile(`^\w+\(`)

// operationsOf counts the operations in the trace of a job. All files of the job are in dir.
func operationsOf(trace, dir string, n, ranks int) operations {
	o := operations{ranks: n, nodes: (n-1)/ranks + 1, all: places{}, rank0: places{}}
	ofRank0 := false
	for line := range strings.Lines(trace) {
		if !call.MatchString(line) { // the thread has ended
			ofRank0 = false
			continue
		}
		if strings.Contains(line, rank0Begins) {
			ofRank0 = true
			continue
		}
		place := elsewhere
		if strings.Contains(line, dir) {
			place = inDirectories
		}
		o.all[place]++
		if ofRank0 {
			o.rank0[place]++
		}
	}
	return o
}

// perNode returns the operations per node, per rank and of rank 0. It computes them from two jobs of the same number of
// ranks, one on many nodes and one on few.
func perNode(many, few operations) counts {
	c := counts{}
	for _, place := range []string{inDirectories, elsewhere} {
		others := func(o operations) float64 { return o.all[place] - o.rank0[place] }
		node := (others(many) - others(few)) / float64(many.nodes-few.nodes)
		rank := (others(few) - node*float64(few.nodes-1)) / float64(few.ranks-1)
		c["operations "+place+", per node"] = math.Round(10*node) / 10
		c["operations "+place+", per rank"] = math.Round(10*rank) / 10
		c["operations "+place+", of rank 0"] = few.rank0[place]
	}
	return c
}
