//go:build cgo

package main

import (
	"io"
	"os"
	"sync"

	"h5perf/pkg/alarm"
	"h5perf/pkg/bench"
	"h5perf/pkg/bench/watchdog"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/progress"
	"h5perf/pkg/result"
)

// job is one run on this process, of one configuration or of two in turns. What only rank 0 has is nil on the others.
type job struct {
	kind    result.Kind
	prefix  string                          // the environment variable that places the data files
	engines map[string]func() engine.Engine // by API
	world   mpi.Comm
	stop    *engine.Stop
	host    string
	dog     *watchdog.Watchdog
	line    alarm.Address // to rank 0

	stdout, stderr io.Writer

	// Rank 0.
	station *alarm.Listener
	bar     *progress.Bar
	writing sync.Mutex // of the reports

	ending sync.Once
	told   chan struct{} // closed when the error that ends the job is in the documents, or with rank 0
	mu     sync.Mutex    // of what the goroutine of signals needs: signal, arms, line, station, and of each arm dir, base, watcher, draft, recorder, text
	signal os.Signal     // the first that asked to end
	arms   []*arm        // when they are planned
}

// enter is told where this process is.
func (j *job) enter(w bench.Where) {
	j.bar.Working(w.Progress)
	j.dog.Enter(w)
}
