//go:build cgo && !nompi && !race

// The race detector allocates memory of its own.

package bench_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// The test of memory comes first: memory that other tests leave free would hide growth.
func TestMemoryOnTwoProcesses(t *testing.T) {
	together(t, 2, []sentence{
		{"memory is flat in iterations, files and datasets", memoryIsFlatInIterationsFilesAndDatasets},
		{"no garbage is collected inside a clock, and transfers make none", clocksAreFreeOfGarbage},
	})
}

// watched is an engine that leaves much garbage in each file, and records what the Go runtime does during its calls.
type watched struct {
	engine.Engine
	inside      *uint32 // number of collections from the start of an open to the end of the close
	allocations *uint64 // number of allocations in loops of transfers
}

func (w watched) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	s, err := w.Engine.Prepare(env, program)
	return &watchedSession{s, w, 0}, err
}

type watchedSession struct {
	engine.Session
	watched
	before uint32 // number of collections when the file was opened
}

// garbage keeps the garbage reachable when it is made: otherwise it might not be allocated on the heap.
var garbage []byte

func (s *watchedSession) Do(b *workload.Batch) error {
	switch b.Class {
	case workload.FileOpen:
		s.before = runtimeNow().NumGC
		garbage = make([]byte, 3<<20)
	case workload.FileClose:
		defer func() { *s.inside += runtimeNow().NumGC - s.before }()
	case workload.Transfer:
		before := runtimeNow().Mallocs
		defer func() { *s.allocations += runtimeNow().Mallocs - before }()
	}
	return s.Session.Do(b)
}

func runtimeNow() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}

func clocksAreFreeOfGarbage(t *testing.T, world mpi.Comm) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as the program does
	size, bytes, iterations := uint64(64), uint64(64<<10), 4
	for _, api := range []string{result.POSIX, result.MPIIO, result.PHDF5} {
		var inside uint32
		var allocations uint64
		o := plan.Options{
			Sizes: option.Sizes{
				APIs: []string{api}, BytesPerProcess: &bytes, MinTransferSize: &size,
				MaxTransferSize: &size, BlockSize: &size, MinProcesses: new(2),
			},
			Common: option.Common{Iterations: &iterations},
		}
		before := runtimeNow().NumGC
		state, _ := measure(t, world, o, mpitest.Dir(t, world), map[string]func() engine.Engine{
			api: func() engine.Engine { return watched{realEngines()[api](), &inside, &allocations} },
		})
		all := runtimeNow().NumGC - before
		if state != result.Complete || inside > 0 || all == 0 {
			t.Errorf("%s, rank %d: %s, %d of %d collections while a file was open; want some between files alone",
				api, world.Rank(), state, inside, all)
		}
		// The remaining allocations come from loops and from the rest of the process, not from transfers.
		if transfers := 2 * uint64(iterations) * bytes / size; allocations*10 > transfers {
			t.Errorf("%s, rank %d: %d allocations in loops of %d transfers", api, world.Rank(), allocations,
				transfers)
		}
		t.Logf("%s, rank %d: %d collections, %d in clocks, %d allocations", api, world.Rank(), all, inside,
			allocations)
	}
}
