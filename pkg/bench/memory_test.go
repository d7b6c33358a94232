//go:build cgo && !nompi && !race

// Not under the race detector: it keeps a history of its own of the memory that goroutines touch, which grows.

package bench_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// resident is the memory of this process, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// mostGrowth is how much a process may grow: by the garbage that may pile up, and by samples.
const mostGrowth = 20 << 20

func TestMemoryIsFlatInIterationsFilesAndDatasets(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as the program does
		size := uint64(16)
		for _, row := range []struct {
			name string
			many func(*plan.Options, int)
		}{
			{"iterations", func(o *plan.Options, n int) { o.Iterations = new(n / 10) }},
			{"files", func(o *plan.Options, n int) { o.Files = &n }},
			{"datasets", func(o *plan.Options, n int) { o.Datasets = &n }},
		} {
			run := func(n int) {
				o := plan.Options{
					APIs: []string{result.POSIX}, BytesPerProcess: &size, MinTransfer: &size, MaxTransfer: &size,
					Block: &size, MinProcesses: new(2),
				}
				row.many(&o, n)
				state, cases := measure(t, world, o, mpitest.Dir(t, world), realEngines())
				if state != result.Complete || len(cases) != 1 ||
					row.name != "iterations" && len(cases[0].Samples) != 2 {
					t.Errorf("%d %s: %s, %d cases; want one record for each iteration and direction", n, row.name,
						state, len(cases))
				}
			}
			run(100)
			before := resident(t)
			run(10000)
			if grown := resident(t) - before; grown > mostGrowth {
				t.Errorf("rank %d grew by %d MiB with more %s", world.Rank(), grown>>20, row.name)
			} else {
				t.Logf("rank %d grew by %d KiB with more %s", world.Rank(), grown>>10, row.name)
			}
		}
	})
}
