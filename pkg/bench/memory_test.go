//go:build cgo && !nompi && !race

// The race detector keeps a growing history of the memory that goroutines touch.

package bench_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
)

// residentBytes returns the resident memory of this process without garbage, in bytes.
func residentBytes(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
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

// A process may grow by mostGrowth bytes, 2 KiB per file, for this many more files.
const more, mostGrowth = 2000, more * 2 << 10

// Each process measures by itself: with so many files, waiting for others would take most of the time, and no memory.
func memoryIsFlatInIterationsFilesAndDatasets(t *testing.T, world mpi.Comm) {
	alone := world.Split(world.Rank(), 0)
	defer alone.Free()
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
				Sizes: option.Sizes{
					APIs: []string{result.POSIX}, BytesPerProcess: &size, MinTransferSize: &size,
					MaxTransferSize: &size, BlockSize: &size,
				},
			}
			row.many(&o, n)
			state, cases := measure(t, alone, o, mpitest.Dir(t, alone), realEngines())
			if state != result.Complete || len(cases) != 1 ||
				row.name != "iterations" && len(cases[0].Samples) != 2 {
				t.Errorf("%d %s: %s, %d cases; want one record for each iteration and direction", n, row.name,
					state, len(cases))
			}
		}
		run(100)
		before := residentBytes(t)
		run(more)
		if grown := residentBytes(t) - before; grown > mostGrowth {
			t.Errorf("rank %d grew by %d MiB with more %s", world.Rank(), grown>>20, row.name)
		} else {
			t.Logf("rank %d grew by %d KiB with more %s", world.Rank(), grown>>10, row.name)
		}
	}
}
