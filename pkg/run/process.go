package run

import (
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/progress"
	"h5perf/pkg/provenance"
	"h5perf/pkg/watch"
)

// Process is what a run has of the process in which it is. All fields are set but Bar.
type Process struct {
	Stdout, Stderr io.Writer

	Now   func() time.Time // with a monotonic reading
	After func(time.Duration) <-chan time.Time
	Grace time.Duration // as bench.Grace, for whole runs

	Exit    func(status int)                               // ends the process, and does not return
	Signals func() (signals <-chan os.Signal, stop func()) // those that ask to end, until stop is called
	Watch   func(watch.Message) (Watcher, error)           // starts the watcher of this node
	Bar     func(total uint64) *progress.Bar               // shows how much of so many bytes is done; nil shows nothing

	// Uncollected keeps the garbage collector from starting by itself, until the function that it returns is called.
	Uncollected func() (restore func())
	// MemoryCopy returns how many bytes per second the memory of this node copies; 0 is unknown.
	MemoryCopy func() float64

	// interject is called after each step of the start. Its error is one of the step. nil but in tests.
	interject func(j *job, step string) error
}

// Watcher is the run's end of a watcher, as of package watch.
type Watcher interface {
	Tell(watch.Message) error
	Done() error
}

// NewProcess returns the process that calls it. end is os.Exit, or what does the same.
func NewProcess(stdout, stderr io.Writer, end func(status int)) Process {
	ends := []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR2, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	return Process{
		Stdout: stdout, Stderr: stderr, Now: time.Now, After: time.After, Grace: bench.Grace, Exit: end,
		Signals: Catch(ends...),
		Watch: func(order watch.Message) (Watcher, error) {
			w, err := watch.Start(order)
			if w == nil {
				return nil, err
			}
			return w, err
		},
		Bar: func(total uint64) *progress.Bar { return progress.New(os.Stderr, total) },
		Uncollected: func() func() {
			automatic := debug.SetGCPercent(-1)
			return func() { debug.SetGCPercent(automatic) }
		},
		MemoryCopy: func() float64 {
			debug.FreeOSMemory() // what the run freed does not add to the peak of this process
			return provenance.MemoryCopy()
		},
	}
}

// Catch returns a function that catches signals, for Process.Signals.
func Catch(which ...os.Signal) func() (<-chan os.Signal, func()) {
	return func() (<-chan os.Signal, func()) {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, which...)
		return signals, func() { signal.Stop(signals) }
	}
}

// sleep waits.
func (p Process) sleep(d time.Duration) { <-p.After(d) }
