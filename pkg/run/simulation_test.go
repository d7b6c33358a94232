package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/history"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/output"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/null"
	"h5perf/pkg/watch"
)

// simulation is a run whose processes are goroutines. Time does not pass: a wait for the grace of the run never ends,
// or with impatient ends soon, and other waits end at once.
type simulation struct {
	t         *testing.T
	processes int
	node      func(rank int) int // nil is one node for all
	arms      []Request          // of one arm, or of two
	plan      func(arm int, at plan.JobFacts) (plan.Plan, error)
	impatient bool
	grace     time.Duration               // of the run; 0 is the constant
	hang      time.Duration               // see Configuration
	timeless  bool                        // no wait ends: no process looks from time to time whether it must hurry
	terminal  bool                        // standard error is one
	bar       func(Progress) *ProgressBar // see Process

	// fails is called before each step of the engine of an arm. Its error makes the step fail.
	fails func(p *process, arm int, s null.Step) error
	// cpus is the list of processors that the processes of a node share; "" has one for each process of the run.
	cpus string
	// bound returns the list of processors of a process, instead.
	bound func(rank int) string
	// own makes each process find out what processors it may use, instead.
	own bool
	// engines replace the null engines of the arms.
	engines map[string]func() engine.Engine
	// wrap returns the communicator that a process uses instead of its world.
	wrap func(rank int, world mpi.Comm) mpi.Comm
	// shared makes all processes but rank 0 use one descriptor of the private directory: a system has not enough of
	// them for all.
	shared bool
	// clocks are those of the processes, by their ranks: their messages take hop. nil is real clocks.
	clocks []mpi.Clock
	hop    time.Duration
	// interject is called on each process after each step of the start.
	interject func(p *process, step string) error
	// wait is the clock of a process, or of the communicators with nil, instead. It returns false for a wait that it
	// leaves to the simulation.
	wait func(p *process, d time.Duration) (<-chan time.Time, bool)
	// hurry is called by a process that begins to end the job; nil does nothing.
	hurry func(*process)
	// messages is the longest time of a message to rank 0; 0 is that of a run.
	messages time.Duration

	base   string // for data files
	json   string // the document of the first arm, by default
	world  []mpi.Comm
	ranks  []*process
	began  time.Time    // by real clocks
	aborts atomic.Int32 // calls of Abort by the processes
	ended  sync.Once
	over   chan struct{} // closed when the launcher ends the job
	open   sync.Once     // of held
	held   *rundir.Held
}

// hold opens the private directory as each process does, but keeps only one that is open, for all of them.
func (s *simulation) hold(d rundir.Dir) (*rundir.Held, error) {
	var err error
	s.open.Do(func() { s.held, err = d.Hold() })
	if s.held == nil {
		return nil, errors.Join(errors.New("the first process could not open it"), err)
	}
	own, err := d.Hold()
	if err != nil {
		return nil, err
	}
	return s.held.Share(), own.Close()
}

// gone is the status of a process that the launcher ended.
const gone = -1

// process is one process of a simulation.
type process struct {
	sim            *simulation
	rank           int
	stdout, stderr locked
	signals        chan os.Signal
	patience       bench.Patience
	job            *job        // when its start has begun
	exiting        atomic.Bool // it has aborted the job, and will call Exit

	once     sync.Once
	done     chan struct{} // closed when the process has ended
	status   int
	refused  error
	mu       sync.Mutex // of watchers
	watchers []*watcher
}

// locked is a stream that may be written by all goroutines.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
	fail error  // of the next write, and of all after it
	hang func() // is called by each write, and may not return; nil returns
}

func (l *locked) Write(p []byte) (int, error) {
	if l.hang != nil {
		l.hang()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return 0, l.fail
	}
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// watcher is the watcher of a process, as a goroutine.
type watcher struct {
	pipe  *io.PipeWriter
	ended chan struct{}
	woken atomic.Bool
}

func (w *watcher) SendMessage(m watch.Message) error {
	line, err := json.Marshal(m)
	if err == nil {
		_, err = w.pipe.Write(append(line, '\n'))
	}
	return err
}

func (w *watcher) Wake() { w.woken.Store(true) }

func (w *watcher) EndWatch() error {
	err := w.SendMessage(watch.Message{Done: true})
	return errors.Join(err, w.close())
}

// close ends its standard input, as the end of the process does, and waits for it.
func (w *watcher) close() error {
	err := w.pipe.Close()
	<-w.ended
	return err
}

// errKilled ends a watcher at once, as SIGKILL does.
var errKilled = errors.New("killed")

// kill ends the watcher, which does nothing any more.
func (w *watcher) kill() {
	_ = w.pipe.CloseWithError(errKilled)
	<-w.ended
}

// mortal is the standard input of a watcher.
type mortal struct{ io.Reader }

func (m mortal) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if errors.Is(err, errKilled) {
		runtime.Goexit()
	}
	return n, err
}

// newSimulation returns a simulation of a number of processes, with a document.
func newSimulation(t *testing.T, processes int) *simulation {
	t.Helper()
	s := &simulation{t: t, processes: processes, base: t.TempDir(), json: filepath.Join(t.TempDir(), "run.json")}
	s.arms = []Request{{JSON: s.json}}
	s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) { return plan.New(smallest(), at) }
	return s
}

// smallest returns options of a run of one case, which writes and reads four transfers.
func smallest() plan.Options {
	return plan.Options{
		Sizes: option.Sizes{
			APIs:            []string{result.POSIX},
			BytesPerProcess: new(uint64(64 << 10)),
			BlockSize:       new(uint64(16 << 10)),
			MinTransferSize: new(uint64(16 << 10)),
			MaxTransferSize: new(uint64(16 << 10)),
		},
	}
}

// run runs the simulation, and returns when all processes and their watchers have ended.
func (s *simulation) run() {
	s.t.Helper()
	s.over, s.began = make(chan struct{}), time.Now()
	aborted := func(rank, status int, _ error) {
		if status != gone {
			s.ranks[rank].exiting.Store(true)
			s.aborts.Add(1)
		}
		s.ended.Do(func() { close(s.over) })
	}
	s.world = mpi.Memory{
		Node: s.node, Aborted: aborted, After: s.after, Clocks: s.clocks, Hop: s.hop,
	}.NewWorld(s.processes)
	for rank := range s.processes {
		s.ranks = append(s.ranks, &process{
			sim: s, rank: rank, signals: make(chan os.Signal), done: make(chan struct{}), status: gone,
		})
	}
	for _, p := range s.ranks {
		go p.live()
	}
	for _, p := range s.ranks {
		<-p.done
	}
}

// processors returns the processors that the process may use.
func (p *process) processors() (mpi.Processors, error) {
	switch s := p.sim; {
	case s.own:
		return mpi.OwnProcessors()
	case s.bound != nil:
		return mpi.Processors{CPUs: s.bound(p.rank)}, nil
	case s.cpus != "":
		return mpi.Processors{CPUs: s.cpus}, nil
	default:
		return mpi.Processors{CPUs: fmt.Sprintf("0-%d", s.processes-1)}, nil
	}
}

// kill is the launcher's end of the job. Processes that are in a collective call end in it, and others in hang.
func (s *simulation) kill() { s.world[0].Abort(gone) }

// grace is the grace of the run. No test waits for it.
const grace = time.Hour

// after is the clock of the communicators.
func (s *simulation) after(d time.Duration) <-chan time.Time { return s.clock(nil, d) }

// clock is the clock of a process, or of the communicators with nil. When a process has told rank 0 of an error, the
// launcher ends it.
func (s *simulation) clock(p *process, d time.Duration) <-chan time.Time {
	if s.wait != nil {
		if end, ok := s.wait(p, d); ok {
			return end
		}
	}
	if p != nil && d == rescueTime {
		p.awaitEnd()
		return nil
	}
	if s.timeless || d == grace && !s.impatient {
		return nil
	}
	return time.After(min(d, time.Millisecond)) // so often the communicator asks whether to hurry
}

// after is the clock of the process.
func (p *process) after(d time.Duration) <-chan time.Time { return p.sim.clock(p, d) }

// awaitEnd lets the process end with the job, and returns at once.
func (p *process) awaitEnd() {
	go func() {
		<-p.sim.over
		p.end(gone)
	}()
}

// live runs the process.
func (p *process) live() {
	defer func() {
		if !p.exiting.Load() {
			p.end(gone)
		}
	}()
	s := p.sim
	stdout, stderr := output.New("standard output", &p.stdout), output.New("standard error", &p.stderr)
	environment := Process{
		Stdout: stdout, Stderr: stderr, Terminal: s.terminal, Bar: s.bar,
		Hurry: func() {
			stdout.Hurry()
			stderr.Hurry()
			if s.hurry != nil {
				s.hurry(p)
			}
		},
		Now: time.Now, Clock: bench.NodeClock, After: p.after, Grace: cmp.Or(s.grace, grace), Patience: &p.patience,
		Jitter: func(time.Duration) time.Duration { return 0 },
		Exit: func(status int) {
			p.end(status)
			runtime.Goexit()
		},
		Signals:    func() (<-chan os.Signal, func()) { return p.signals, func() {} },
		Watch:      p.watch,
		DisableGC:  func() func() { return func() {} },
		MemoryCopy: func() float64 { return 0 },
		Processors: p.processors,
		interject: func(j *job, step string) error {
			p.job = j
			if s.interject == nil {
				return nil
			}
			return s.interject(p, step)
		},
	}
	if s.clocks != nil {
		environment.Clock = s.clocks[p.rank].Now
		environment.Now = func() time.Time { return s.began.Add(environment.Clock()) }
	}
	tool := Tool{
		Kind: "parallel", Prefix: rundir.ParallelPrefix, Engines: map[string]func() engine.Engine{},
		Software: func() result.Software { return result.Software{Version: "simulated"} },
		Compare: func(arms []history.Record) (string, error) {
			var states []string
			for _, a := range arms {
				states = append(states, string(a.State))
			}
			return strings.Join(states, " and ") + "\n", nil
		},
		ComparisonIterations: func(p plan.Plan, _ int) (iterations, points int) {
			return p.PairsNeeded(),
				p.NumPoints()
		},
	}
	for arm, api := range []string{result.POSIX, result.MPIIO} { // of two arms each has its own
		tool.Engines[api] = func() engine.Engine {
			return null.New(null.Options{Fail: func(step null.Step) error {
				if s.fails == nil {
					return nil
				}
				return s.fails(p, arm, step)
			}})
		}
	}
	if s.engines != nil {
		tool.Engines = s.engines
	}
	environment.messages = s.messages
	if s.shared {
		environment.hold = s.hold
	}
	world := s.world[p.rank]
	if s.wrap != nil {
		world = s.wrap(p.rank, world)
	}
	var all []Configuration
	for i, request := range s.arms {
		variables := map[string]string{rundir.ParallelPrefix: s.base, "USER": "", "LOGIN": ""}
		maps.Copy(variables, request.Variables)
		request.Variables = variables
		all = append(all, Configuration{
			Request: request, HangTimeout: s.hang,
			Plan: func(at plan.JobFacts) (plan.Plan, error) { return s.plan(i, at) },
		})
	}
	p.end(Measure(environment, world, tool, all, func(err error) int {
		p.refused = err
		return result.ExitUsage
	}))
}

// end is the end of the process: its watchers do what is left to do.
func (p *process) end(status int) {
	p.once.Do(func() {
		p.status = status
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, w := range p.watchers {
			_ = w.close()
		}
		close(p.done)
	})
}

// watch starts a watcher.
func (p *process) watch(order watch.Message) (Watcher, error) {
	in, out := io.Pipe()
	w := &watcher{pipe: out, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		watch.Serve(mortal{in}, &p.stderr, func() {}, func(time.Duration) {})
	}()
	p.mu.Lock()
	p.watchers = append(p.watchers, w)
	p.mu.Unlock()
	return w, w.SendMessage(order)
}

// loseNode ends the process and its watchers without any output, as if its node lost power. It does not return.
func (p *process) loseNode() {
	p.loseWatchers()
	runtime.Goexit()
}

// loseWatchers makes the watchers do nothing at the end of the process.
func (p *process) loseWatchers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watchers = nil
}

// kill sends the process a signal, and waits until it has been seen.
func (p *process) kill() {
	p.signals <- syscall.SIGTERM
	for !p.job.stop.IsSet() {
		runtime.Gosched()
	}
}

// hang waits until the launcher ends the process. It does not return.
func (p *process) hang() {
	<-p.sim.over
	runtime.Goexit()
}

// statuses checks the exit statuses of all processes.
func (s *simulation) statuses(want ...int) {
	s.t.Helper()
	for rank, p := range s.ranks {
		if w := want[min(rank, len(want)-1)]; p.status != w {
			s.t.Errorf("rank %d ends with %d, want %d; it says %q", rank, p.status, w, p.stderr.String())
		}
	}
}

// allSaid returns what all processes have said on standard error.
func (s *simulation) allSaid() string {
	var all strings.Builder
	for _, p := range s.ranks {
		all.WriteString(p.stderr.String())
	}
	return all.String()
}

// document reads the document of the run, and checks what holds of one that has ended.
func (s *simulation) document(path string, want result.State, status int) result.Document {
	s.t.Helper()
	doc, err := result.Read(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if doc.State != want || doc.Finished == nil {
		s.t.Errorf("the document is %s, finished %v, with errors %+v, want %s",
			doc.State, doc.Finished, doc.Errors, want)
	}
	if status != gone && (doc.ExitStatus == nil || *doc.ExitStatus != status) {
		s.t.Errorf("the document has exit status %v, want %d", doc.ExitStatus, status)
	}
	return doc
}

// clean checks that nothing is left in the directory for data files, nor beside the document but it.
func (s *simulation) clean() {
	s.t.Helper()
	for dir, may := range map[string]string{s.base: "", filepath.Dir(s.json): filepath.Base(s.json)} {
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if name, _ := filepath.Rel(dir, path); name != "." && (name != may || err != nil) {
				s.t.Errorf("%s is left: %v", path, err)
			}
			return nil
		})
	}
}
