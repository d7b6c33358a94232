package mpitest

import (
	"sync"
	"sync/atomic"
	"testing"

	"h5perf/pkg/mpi"
)

// InMemory runs body on the n ranks of a job in this process, such as mpi.MemoryJobOptions{}, and returns when all have
// ended. They end in a barrier, as processes of MPI do. A rank that calls t.FailNow aborts the job. An abort fails the
// test, unless the job has its own Aborted.
func InMemory(t testing.TB, job mpi.MemoryJobOptions, n int, body func(world mpi.Comm)) {
	t.Helper()
	seen := job.Aborted
	if seen == nil {
		seen = func(rank, status int, reason error) {
			t.Errorf("rank %d aborted the job with status %d: %v", rank, status, reason)
		}
	}
	var aborted atomic.Bool
	job.Aborted = func(rank, status int, reason error) {
		aborted.Store(true)
		seen(rank, status, reason)
	}
	var running sync.WaitGroup
	for _, world := range job.NewWorld(n) {
		running.Go(func() {
			ended := false
			defer func() {
				if !ended && !aborted.Load() {
					world.Abort(1)
				}
			}()
			body(world)
			world.Barrier()
			ended = true
		})
	}
	running.Wait()
}
