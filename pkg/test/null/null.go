// Package null is an engine that moves no data to storage. Its files have the right size but no content; the content
// stays in the memory of the session that wrote it. It takes a given time for each transfer and reports how long the
// transfer really took, so that the harness can measure itself. For tests, it fails and corrupts data on demand.
package null

import (
	"sync/atomic"
	"syscall"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// Options are functions that control and observe the engine. Each may be nil.
type Options struct {
	// Delay returns the least time that a transfer takes. Transfers count from 0 in each dataset.
	Delay func(op workload.Op, transfer uint64) time.Duration
	// Took is called after each transfer with the time that it really took, delay included, and with the part of its
	// call: the time without stamping.
	Took func(op workload.Op, transfer, call time.Duration)
	// Fail is called before each step. If it returns an error, the step fails, and the error is the reason.
	Fail func(Step) error
	// Corrupt is called after each transfer that reads, and may change the buffer.
	Corrupt func(s Step, buffer []byte)
}

// Phase is a kind of step.
type Phase string

// The phases. They stand in errors as the call that failed.
const (
	Prepare      Phase = "prepare"
	Open         Phase = "open"
	Dataset      Phase = "dataset"
	Transfer     Phase = "transfer"
	DatasetClose Phase = "dataset close"
	Sync         Phase = "sync"
	Close        Phase = "close"
)

// Step is one step of the engine that can fail. A field that does not apply to its phase is zero.
type Step struct {
	Phase    Phase
	Op       workload.Op
	Path     string
	Dataset  int    // from 0
	Transfer uint64 // from 0
}

// Engine is the null engine.
type Engine struct {
	options Options
	took    atomic.Int64 // nanoseconds

	now   func() time.Time
	sleep func(time.Duration) // sleeps about so long, or less if a signal comes
}

var _ engine.Engine = (*Engine)(nil)

// New returns an engine.
func New(o Options) *Engine { return &Engine{options: o, now: time.Now, sleep: sleep} }

// sleep sleeps with nanosleep(2): Go's timers are coarser.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal ends it early
}

// Took returns the sum of the times that all transfers so far really took, delays included.
func (e *Engine) Took() time.Duration { return time.Duration(e.took.Load()) }

// phases are the phases of the classes that the engine does something for.
var phases = map[workload.StepClass]Phase{
	workload.FileOpen: Open, workload.Create: Dataset, workload.Open: Dataset, workload.Transfer: Transfer,
	workload.ObjectClose: DatasetClose, workload.Sync: Sync, workload.FileClose: Close,
}

// Prepare accepts every program whose transfers fit their memory.
func (e *Engine) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	if err := e.fail(Step{Phase: Prepare}, 0, 0); err != nil {
		return nil, err
	}
	s := &session{
		engine: e, env: env, program: program, content: map[string][]byte{}, moves: make([]move, len(program.Moves)),
		files: make([]file, len(program.Files)),
	}
	for i := range s.moves {
		if err := s.moves[i].prepare(&s.program.Moves[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// fail returns the error that Options.Fail asks for, or nil. offset and bytes are those of the transfer, or 0.
func (e *Engine) fail(s Step, offset, bytes uint64) error {
	if e.options.Fail == nil {
		return nil
	}
	if err := e.options.Fail(s); err != nil {
		return &engine.CallError{Call: string(s.Phase), Path: s.Path, Offset: offset, Bytes: bytes, Err: err}
	}
	return nil
}

// spin is the last part of a delay, in which wait polls the clock: a sleep lasts tens of microseconds longer than
// asked.
const spin = time.Millisecond

// wait returns when the delay of a transfer that began at start is over.
func (e *Engine) wait(op workload.Op, transfer uint64, start time.Time) {
	if e.options.Delay == nil {
		return
	}
	delay := e.options.Delay(op, transfer)
	for rest := delay; rest > 0; rest = delay - e.now().Sub(start) {
		if rest > spin {
			e.sleep(rest - spin)
		}
	}
}
