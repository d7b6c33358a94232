package run

import (
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/output"
	"h5perf/pkg/rundir"
	"h5perf/pkg/watch"
)

// Process describes a process that measures: its streams, and functions such as the clock and signals, which tests
// replace. All exported fields must be set, except Bar.
type Process struct {
	Stdout, Stderr io.Writer
	Terminal       bool   // standard error is a terminal
	LimitWrites    func() // from now on, writes to the streams give up soon

	Now   func() time.Time
	Clock func() time.Duration // see bench.Config
	After func(time.Duration) <-chan time.Time
	// Jitter returns a random duration, shorter than its argument, so that processes do not act at the same time.
	Jitter func(time.Duration) time.Duration
	Grace  time.Duration // how long processes wait for one another before the job is ended; usually bench.Grace
	// Patience extends these waits if opening, closing and syncing files takes long. Measure records these times in it.
	// Signals and the start of a run do not wait longer.
	Patience *bench.WaitPolicy

	Exit    func(status int)                               // ends the process, and does not return
	Signals func() (signals <-chan os.Signal, stop func()) // catches signals to end, until stop is called
	Watch   func(watch.WatcherMessage) (Watcher, error)    // starts the watcher of this node
	// Bar creates the progress bar, see NewProgressBar. If Bar is nil, no progress is shown.
	Bar func(ProgressSetup) *ProgressBar

	// DisableGC switches automatic garbage collection off, until the function that it returns is called.
	DisableGC func() (restore func())
	// MemoryCopy returns the speed at which this node copies memory, in bytes per second; 0 is unknown. It is called on
	// rank 0 before the run allocates memory, so that the buffers of the copy do not add to the peak.
	MemoryCopy func() float64
	// Processors returns the processors that this process may use.
	Processors func() (mpi.Processors, error)

	// afterStep is called after each step of the start. Its error counts as an error of the step. It is nil except in
	// tests.
	afterStep func(j *job, step string) error
	// messageTimeout is the time limit for a message to rank 0. It is 0 except in tests: then the limit is
	// watch.Deadline.
	messageTimeout time.Duration
	// openDir opens the private directory. It is nil except in tests: then (rundir.Dir).Hold opens it.
	openDir func(rundir.Dir) (*rundir.OpenDir, error)
}

// Watcher contains the methods of watch.Watcher that a run uses.
type Watcher interface {
	SendMessage(watch.WatcherMessage) error
	Resume()
	FinishWatch() error
}

// NewProcess returns a description of the calling process. end must do the same as os.Exit.
func NewProcess(stdout, stderr *output.Stream, end func(status int)) Process {
	ends := []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR2, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // under nohup, it is ignored
		ends = append(ends, syscall.SIGHUP)
	}
	var terminal *os.File
	if term.IsTerminal(int(os.Stderr.Fd())) {
		terminal = os.Stderr
	}
	return Process{
		Stdout: stdout, Stderr: stderr, Terminal: terminal != nil,
		LimitWrites: func() {
			stdout.LimitWrites()
			stderr.LimitWrites()
		},
		Now: time.Now, Clock: bench.NodeClock, After: time.After, Jitter: rand.N[time.Duration],
		Grace: bench.Grace, Patience: &bench.WaitPolicy{}, Exit: end,
		Signals: CatchSignals(ends...),
		Watch: func(order watch.WatcherMessage) (Watcher, error) {
			w, err := watch.Start(order)
			if w == nil {
				return nil, err
			}
			return w, err
		},
		Bar: func(r ProgressSetup) *ProgressBar { return NewProgressBar(r, terminal, stderr) },
		DisableGC: func() func() {
			automatic := debug.SetGCPercent(-1)
			return func() { debug.SetGCPercent(automatic) }
		},
		MemoryCopy: sync.OnceValue(node.MemoryCopyRate),
		Processors: mpi.OwnProcessors,
	}
}

// DescribeEarly begins to find out what the document says about the machine, and calls more functions of this kind. It
// is called on rank 0 before MPI starts, which mostly waits.
func (p Process) DescribeEarly(more ...func()) {
	for _, describe := range append(more, func() { node.Machine() }, func() { p.MemoryCopy() }) {
		go describe()
	}
}

// CatchSignals returns a function for Process.Signals that catches the given signals. From then on, writing to a pipe
// that nobody reads returns an error, and SIGPIPE no longer ends the process. The calling thread blocks the signals
// until the returned stop function is called, so that other threads receive them. Otherwise Linux would deliver them to
// the main thread, which measures, and a signal would wait there for the end of a long system call, while some
// launchers kill the process after a second.
func CatchSignals(which ...os.Signal) func() (<-chan os.Signal, func()) {
	return func() (<-chan os.Signal, func()) {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, which...)
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		set, before := signalSet(which), unix.Sigset_t{}
		// It fails only with wrong arguments.
		_ = unix.PthreadSigmask(unix.SIG_BLOCK, &set, &before)
		return signals, func() {
			signal.Stop(signals)
			_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
		}
	}
}

func signalSet(signals []os.Signal) unix.Sigset_t {
	var set unix.Sigset_t
	bits := 1024 / len(set.Val) // bits per word
	for _, s := range signals {
		if number, ok := s.(syscall.Signal); ok {
			set.Val[(int(number)-1)/bits] |= 1 << ((int(number) - 1) % bits)
		}
	}
	return set
}

// sleepFor returns after the duration d on the clock of the process.
func (p Process) sleepFor(d time.Duration) { <-p.After(d) }
