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

// simulation is a run whose processes are goroutines. Time does not pass. A wait for the grace of the run never ends,
// or ends soon if impatient is set. Other waits end at once.
type simulation struct {
	t         *testing.T
	processes int
	node      func(rank int) int // node of a rank; nil puts all ranks on one node
	arms      []Request          // one for each arm
	plan      func(arm int, at plan.JobFacts) (plan.Plan, error)
	impatient bool
	grace     time.Duration                    // grace of the run; 0 is the constant grace
	hang      time.Duration                    // see Configuration.HangTimeout
	timeless  bool                             // no wait ends, so no process checks from time to time whether to hurry
	terminal  bool                             // standard error is a terminal
	bar       func(ProgressSetup) *ProgressBar // see Process.Bar

	// fails is called before each step of the engine of an arm. If it returns an error, the step fails.
	fails func(p *process, arm int, s null.Step) error
	// cpus is the list of processors that the processes of a node share. "" stands for as many processors as processes.
	cpus string
	// bound returns the list of processors of a rank, in place of cpus.
	bound func(rank int) string
	// own makes each process find out which processors it may use, in place of cpus.
	own bool
	// engines replace the null engines of the arms.
	engines map[string]func() engine.Engine
	// wrap returns the communicator that a process uses instead of its world.
	wrap func(rank int, world mpi.Comm) mpi.Comm
	// shared makes all processes but rank 0 share one descriptor of the private directory, since a system does not have
	// enough for all processes.
	shared bool
	// clocks holds a clock for each rank, on which a message takes hop. nil stands for real clocks.
	clocks []mpi.Clock
	hop    time.Duration
	// afterStep is called on each process after each step of the start.
	interject func(p *process, step string) error
	// wait replaces the clock of a process, or that of the communicators if p is nil. It returns false if the
	// simulation should handle the wait.
	wait func(p *process, d time.Duration) (<-chan time.Time, bool)
	// hurry is called by a process that begins to end the job. It may be nil.
	hurry func(*process)
	// messageTimeout is the time limit for a message to rank 0. 0 stands for that of a real run.
	messages time.Duration

	base   string // directory for data files
	json   string // the document of the first arm, by default
	world  []mpi.Comm
	ranks  []*process
	began  time.Time    // on the real clock
	aborts atomic.Int32 // calls of Abort by the processes
	ended  sync.Once
	over   chan struct{} // closed when the launcher ends the job
	open   sync.Once     // guards the setting of held
	held   *rundir.OpenDir
}

// hold opens the private directory, as each process of a real run does. It keeps only one of them open, which all
// processes share.
func (s *simulation) hold(d rundir.Dir) (*rundir.OpenDir, error) {
	var err error
	s.open.Do(func() { s.held, err = d.Open() })
	if s.held == nil {
		return nil, errors.Join(errors.New("the first process could not open it"), err)
	}
	own, err := d.Open()
	if err != nil {
		return nil, err
	}
	return s.held.Share(), own.Close()
}

// gone is the exit status of a process that the launcher ended.
const gone = -1

type process struct {
	sim            *simulation
	rank           int
	stdout, stderr locked
	signals        chan os.Signal
	patience       bench.WaitPolicy
	job            *job        // set when the run has started on the process
	exiting        atomic.Bool // it has aborted the job, and will call Exit

	once     sync.Once
	done     chan struct{} // closed when the process has ended
	status   int
	refused  error
	mu       sync.Mutex // guards watchers
	watchers []*watcher
}

// locked is a stream that all goroutines may write to.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
	fail error  // error of the next write and of all later ones
	hang func() // called by each write, and may block; may be nil
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

// watcher is the watcher of a process, which runs in a goroutine.
type watcher struct {
	pipe  *io.PipeWriter
	ended chan struct{}
	woken atomic.Bool
}

func (w *watcher) SendMessage(m watch.WatcherMessage) error {
	line, err := json.Marshal(m)
	if err == nil {
		_, err = w.pipe.Write(append(line, '\n'))
	}
	return err
}

func (w *watcher) Resume() { w.woken.Store(true) }

func (w *watcher) FinishWatch() error {
	err := w.SendMessage(watch.WatcherMessage{Done: true})
	return errors.Join(err, w.close())
}

// close ends the watcher's standard input, as the end of the process does, and waits for the watcher.
func (w *watcher) close() error {
	err := w.pipe.Close()
	<-w.ended
	return err
}

// errKilled ends a watcher at once, as SIGKILL does.
var errKilled = errors.New("killed")

// kill ends the watcher before it can do anything else.
func (w *watcher) kill() {
	_ = w.pipe.CloseWithError(errKilled)
	<-w.ended
}

// mortal is the standard input of a watcher. It ends the watcher after errKilled.
type mortal struct{ io.Reader }

func (m mortal) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if errors.Is(err, errKilled) {
		runtime.Goexit()
	}
	return n, err
}

// newSimulation returns a simulation of a number of processes. It writes a document.
func newSimulation(t *testing.T, processes int) *simulation {
	t.Helper()
	s := &simulation{t: t, processes: processes, base: t.TempDir(), json: filepath.Join(t.TempDir(), "run.json")}
	s.arms = []Request{{JSON: s.json}}
	s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) { return plan.New(smallest(), at) }
	return s
}

// smallest returns options of a run of one case, with four transfers in each direction.
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
	s.world = mpi.MemoryJobOptions{
		Node: s.node, Aborted: aborted, After: s.after, Clocks: s.clocks, MessageTime: s.hop,
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

// kill ends the job as a launcher does. Processes end in their collective call, or in hang.
func (s *simulation) kill() { s.world[0].Abort(gone) }

// grace is the default grace of a run. No test waits that long.
const grace = time.Hour

// after is the time.After of the communicators.
func (s *simulation) after(d time.Duration) <-chan time.Time { return s.clock(nil, d) }

// clock is the time.After of a process, or of the communicators if p is nil. A process that has reported an error to
// rank 0 then ends with the job.
func (s *simulation) clock(p *process, d time.Duration) <-chan time.Time {
	if s.wait != nil {
		if end, ok := s.wait(p, d); ok {
			return end
		}
	}
	if p != nil && d == rankZeroTimeout {
		p.awaitEnd()
		return nil
	}
	if s.timeless || d == grace && !s.impatient {
		return nil
	}
	return time.After(min(d, time.Millisecond)) // the communicator then checks whether to hurry
}

// after is the time.After of the process.
func (p *process) after(d time.Duration) <-chan time.Time { return p.sim.clock(p, d) }

// awaitEnd makes the process end when the job ends. It returns at once.
func (p *process) awaitEnd() {
	go func() {
		<-p.sim.over
		p.end(gone)
	}()
}

// live runs the process until it ends.
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
		LimitWrites: func() {
			stdout.LimitWrites()
			stderr.LimitWrites()
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
		afterStep: func(j *job, step string) error {
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
		Compare: func(arms []history.Record, _ []plan.LeftOut) (string, error) {
			var states []string
			for _, a := range arms {
				states = append(states, string(a.State))
			}
			return strings.Join(states, " and ") + "\n", nil
		},
		ComparisonIterations: func(plans []plan.Plan) (iterations, points int) {
			return plans[0].PairsNeeded(), plans[0].NumPoints()
		},
	}
	for arm, api := range []string{result.POSIX, result.MPIIO} { // if there are two arms, each has its own API
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
	environment.messageTimeout = s.messages
	if s.shared {
		environment.openDir = s.hold
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

// end ends the process with a status. Its watchers then finish their work.
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

func (p *process) watch(order watch.WatcherMessage) (Watcher, error) {
	in, out := io.Pipe()
	w := &watcher{pipe: out, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		watch.ServeWatcher(mortal{in}, &p.stderr, func() {}, func(time.Duration) {})
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

// kill sends a signal to the process, and waits until the process has noticed it.
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

// allSaid returns the standard error of all processes.
func (s *simulation) allSaid() string {
	var all strings.Builder
	for _, p := range s.ranks {
		all.WriteString(p.stderr.String())
	}
	return all.String()
}

// document reads the document of the run, and checks that it has ended in the given state.
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

// clean checks that the run has left nothing in the directory for data files, and only the document in that of the
// document.
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
