//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/workload"
)

// strace makes each sync take longer, and records the order of writes and syncs. A test of pkg/bench, with a clock that
// counts, shows that syncing is no part of the access time.
func TestDataAreDurableBeforeTheClockOfSyncingStops(t *testing.T) {
	t.Parallel()
	const longer = 20 * time.Millisecond
	for when, syncs := range map[string]int{"none": 0, "close": 1, "phase": 2, "each": 4} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			traces := filepath.Join(t.TempDir(), "trace")
			base := smallDisk(t, "16M") // syncing takes no time there
			l := launch(t, 2, base, nil, []string{
				"strace", "-ff", "-y", "-o", traces, "-e", "trace=openat,pwrite64,write,fsync,close", "-e",
				fmt.Sprintf("inject=fsync:delay_exit=%d", longer.Microseconds()),
			}, "-p", "2", "-w", "-d", "2", "-e", "64K", "-x", "32K", "-X", "32K", "-B", "32K", "--sync", when)
			if status := l.wait(6 * startTime); status != 0 {
				t.Fatalf("exit status %d (strace missing? .ci/setup test installs it)", status)
			}
			for _, c := range l.document().Cases {
				all := longer.Seconds() * float64(syncs)
				if s := c.Samples[0].ClassInterval(workload.Sync); syncs == 0 && s.Max > 0 || syncs > 0 && s.Min < all {
					t.Errorf("%s: the clock of %d syncs of %v each shows %+v", c.API, syncs, longer, s)
				}
			}
			for _, suffix := range []string{".posix", ".mpio", ".h5"} {
				orders := dataCalls(t, traces, suffix)
				for rank, calls := range orders {
					if n := strings.Count(calls, "fsync"); n != syncs {
						t.Errorf("rank %d, %s: %d syncs, want %d: %s", rank, suffix, n, syncs, calls)
					}
					if suffix != ".h5" && syncs > 0 &&
						!strings.HasSuffix(calls, "write fsync close") { // HDF5 writes metadata at the close
						t.Errorf("rank %d, %s: %s; want all that was written to be synced before the close", rank,
							suffix, calls)
					}
					if when == "each" && suffix == ".posix" &&
						calls != "write fsync write fsync write fsync write fsync close" {
						t.Errorf("rank %d: %s; want a sync after each write", rank, calls)
					}
				}
				if len(orders) != 2 {
					t.Errorf("%d ranks called %s files", len(orders), suffix)
				}
			}
		})
	}
}

// dataCalls returns, for each thread, the writes, syncs and closes of data files with a suffix.
func dataCalls(t *testing.T, traces, suffix string) (out []string) {
	t.Helper()
	paths, err := filepath.Glob(traces + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var calls []string
		for line := range strings.Lines(string(text)) {
			call, rest, _ := strings.Cut(line, "(")
			file, _, _ := strings.Cut(rest, ">")
			if call != "openat" && strings.HasSuffix(file, "_1"+suffix) {
				calls = append(calls, strings.TrimPrefix(strings.TrimSuffix(call, "64"), "p"))
			}
		}
		if len(calls) > 0 {
			out = append(out, strings.Join(calls, " "))
		}
	}
	return out
}
