//go:build cgo && !nompi

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

// Processes of runs are killed at random moments. After that, all files of the run are gone, and the document says how
// it ended. The name of the subtest is the seed, so that a failure can be repeated.
func TestRandomKillsLeaveNothing(t *testing.T) {
	t.Parallel()
	for range kills {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			args := strings.Fields(allWays[r.IntN(len(allWays))])
			for _, more := range []string{"--order random", "--sync each", "-D v", "--warmup 2", "-F 3", "-d 2"} {
				if r.IntN(3) == 0 {
					args = append(args, strings.Fields(more)...)
				}
			}
			signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}[r.IntN(3)]
			victim, moment := r.IntN(3), r.IntN(64<<20) // bytes that rank 0 has written by then
			t.Logf("%v: %v to %d after %d bytes", args, signal, victim, moment)
			l := launch(t, 2, t.TempDir(), nil, nil, endless(args...)...)
			l.within(5*startTime, "the moment", func() bool { // each transfer may be synced to a busy disk
				ranks := l.ranks()
				_, err := os.Stat(l.json) // a run without a document has not created any file
				return err == nil && len(ranks) == 2 && written(ranks[0]) >= moment
			})
			memory := segments(t, l.ranks())
			if victim < 2 {
				l.signal(victim, signal)
			} else if err := l.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			l.fails(startTime)
			l.cleaned()
			if doc := l.document(); doc.State == result.Complete || len(doc.Errors) == 0 {
				t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
			}
			l.within(endsWithin, "the end of shared memory", func() bool {
				for _, path := range memory {
					if _, err := os.Lstat(path); err == nil {
						return false
					}
				}
				return true
			})
		})
	}
}

// segments returns the files in shared memory that processes have mapped. It leaves out the program itself, which is
// there if temporary files are in shared memory.
func segments(t *testing.T, pids map[int]int) (paths []string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/map_files/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			if path, err := os.Readlink(link); err == nil && strings.HasPrefix(path, "/dev/shm/") &&
				path != program && !strings.HasSuffix(path, " (deleted)") {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
