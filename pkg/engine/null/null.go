// Package null is an engine that moves no data to storage. Its files have the right size but hold nothing; their content
// stays in the memory of the session that wrote it. It takes a known time for each transfer and tells how long it really
// took, so that the harness can measure itself, and it fails and corrupts data on demand, for tests.
package null

import (
	"sync/atomic"
	"syscall"
	"time"

	"h5perf/pkg/engine"
)

// Options are what the engine is asked to do besides its work. All may be nil.
type Options struct {
	// Delay is how long a transfer takes at least, counted from 0 in its dataset.
	Delay func(op engine.Op, transfer uint64) time.Duration
	// Took is told what each transfer really took, delay included, and which part of that was its call: all but the stamps.
	Took func(op engine.Op, transfer, call time.Duration)
	// Fail is asked before each step; an error makes it fail, with the error as the reason.
	Fail func(Step) error
	// Corrupt may change what a transfer has read.
	Corrupt func(s Step, buffer []byte)
}

// Phase is a part of the work that can fail.
type Phase string

// The phases, named as calls in errors.
const (
	Prepare      Phase = "prepare"
	Open         Phase = "open"
	Dataset      Phase = "dataset"
	Transfer     Phase = "transfer"
	DatasetClose Phase = "dataset close"
	Sync         Phase = "sync"
	Close        Phase = "close"
)

// Step is one step of the work. What does not apply to its phase is zero.
type Step struct {
	Phase    Phase
	Op       engine.Op
	Path     string
	Dataset  int    // from 0
	Transfer uint64 // from 0
}

// Engine is the null engine.
type Engine struct {
	options Options
	took    atomic.Int64
}

var _ engine.Engine = (*Engine)(nil)

// New makes an engine.
func New(o Options) *Engine { return &Engine{options: o} }

// Took is the time that all transfers so far really took, delays included.
func (e *Engine) Took() time.Duration { return time.Duration(e.took.Load()) }

// Prepare takes any spec.
func (e *Engine) Prepare(spec engine.Spec) (engine.Session, error) {
	if err := e.fail(Step{Phase: Prepare}, 0, 0); err != nil {
		return nil, err
	}
	return &session{engine: e, spec: spec, content: map[string][]byte{}}, nil
}

// fail is the failure that a step was told to have, of bytes at an offset.
func (e *Engine) fail(s Step, offset, bytes uint64) error {
	if e.options.Fail == nil {
		return nil
	}
	if err := e.options.Fail(s); err != nil {
		return &engine.Error{Call: string(s.Phase), Path: s.Path, Offset: offset, Bytes: bytes, Err: err}
	}
	return nil
}

// spin is how long the end of a delay is waited for at full speed: sleeping costs tens of microseconds more than asked.
const spin = time.Millisecond

// wait waits until a transfer has taken the delay asked for.
func (e *Engine) wait(op engine.Op, transfer uint64, start time.Time) {
	if e.options.Delay == nil {
		return
	}
	delay := e.options.Delay(op, transfer)
	for rest := delay; rest > 0; rest = delay - time.Since(start) {
		if rest > spin {
			sleep := syscall.NsecToTimespec(int64(rest - spin)) // Go's timers are coarser
			_ = syscall.Nanosleep(&sleep, nil)                  // what a signal cut off is slept in the next round
		}
	}
}
