// Package watchdog finds out that a process hangs: by itself, from a thread of its own, when a call does not return and
// nothing moves, and by the others, when all that they wait for is silent.
package watchdog

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/bench"
	"h5perf/pkg/result"
)

// Config is what a watchdog needs.
type Config struct {
	Timeout time.Duration // a call may last that long without moving anything; 0 watches nothing
	Grace   time.Duration // how much longer the others wait, to let the process that hangs speak first
	// Pulse tells the other processes whether this one is at work, and returns when any of them was last known to be;
	// zero where that is not known. It may fail, in the time of a pulse. nil is a run of one process.
	Pulse func(working bool) (heard time.Time, err error)
	// OnHang is called once, from another goroutine, with what hangs and a text that says how long.
	OnHang func(at bench.Where, text string)
}

// Watchdog watches one process.
type Watchdog struct {
	Config
	end chan struct{}

	interval time.Duration // between two looks

	mu    sync.Mutex
	clock time.Duration // that this process ran: a job that is suspended and resumed does not hang
	at    bench.Where
	since time.Duration  // when it came there, or something moved
	bytes uint64         // that had moved then
	moved bool           // it has been elsewhere, or something moved, since the last pulse
	heard *time.Duration // when another process was last known to be at work, if ever

	thread *thread
	pulse  time.Duration // when the next pulse is due
}

// The watchdog looks this many times in a time-out, but at least once in a while.
const (
	looks    = 20
	longLook = 5 * time.Second
)

// Start starts a watchdog over the thread that calls it. A nil one watches nothing.
func Start(cfg Config) *Watchdog {
	if cfg.Timeout <= 0 {
		return nil
	}
	w := newWatchdog(cfg)
	go w.watch()
	return w
}

func newWatchdog(cfg Config) *Watchdog {
	return &Watchdog{
		Config: cfg, end: make(chan struct{}), interval: max(time.Millisecond, min(cfg.Timeout/looks, longLook)),
		moved: true, thread: newThread(unix.Gettid()), pulse: rand.N(cfg.Timeout / 2), // not all processes at once
	}
}

// Enter is told where the process is, before each change of that.
func (w *Watchdog) Enter(at bench.Where) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.since, w.bytes, w.moved = at, w.clock+w.interval, 0, true // the clock stands still between two looks
}

// Wait marks that the process waits for others there where it is, until the function that it returns is called.
func (w *Watchdog) Wait() (over func()) {
	if w == nil {
		return func() {}
	}
	w.mu.Lock()
	before := w.at
	w.mu.Unlock()
	waiting := before
	waiting.Waiting = true
	if waiting.Phase == "" {
		waiting.Phase = result.PhaseAgreement
	}
	w.Enter(waiting)
	return func() { w.Enter(before) }
}

// Connected is told that pulses do reach the other processes: from now on their silence counts.
func (w *Watchdog) Connected() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.heard == nil {
		w.heard = new(w.clock)
	}
}

// Stop ends the watch.
func (w *Watchdog) Stop() {
	if w != nil {
		close(w.end)
	}
}

func (w *Watchdog) watch() {
	tick := time.NewTicker(w.interval)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-w.end:
			return
		case <-tick.C:
		}
		now := time.Now()
		at, text := w.look(now.Sub(last))
		last = now
		if text != "" {
			w.OnHang(at, text)
			return
		}
	}
}

// look returns what hangs, with a text, or no text, this long after the last look. A process that only seems to hang,
// for it is inside of a library that waits for one that does, speaks later than that.
func (w *Watchdog) look(after time.Duration) (bench.Where, string) {
	at, still, working := w.state(min(after, 2*w.interval))
	w.thread.look(w.clock)
	quiet, known := w.quiet(working)
	longest := w.Timeout + w.Grace
	blocked := w.clock-w.thread.since > w.Timeout/2
	switch {
	case at.Phase == "" || still <= w.Timeout || still <= longest && (at.Waiting || !blocked):
		return at, ""
	case at.Waiting && (!known || quiet <= longest):
		return at, ""
	case at.Waiting:
		return at, fmt.Sprintf("waits for the others: for %v, longer than --timeout %v, and no rank was heard to be at work for %v: "+
			"one hangs without a word, or its node is gone", round(still), w.Timeout, round(quiet))
	case blocked:
		return at, fmt.Sprintf("hangs: %sa call has not returned and moved nothing for %v, longer than --timeout %v; it is %v",
			prefix(at.Path), round(still), w.Timeout, w.thread)
	}
	return at, fmt.Sprintf("hangs: %sa call has not returned and moved nothing for %v, longer than --timeout %v; "+
		"it is busy inside of its library, as when it waits for another rank that hangs", prefix(at.Path), round(still), w.Timeout)
}

// quiet sends a pulse when one is due, and returns for how long no process was known to be at work, if that is known.
func (w *Watchdog) quiet(working bool) (quiet time.Duration, known bool) {
	var heard time.Time
	if w.Pulse != nil && w.clock >= w.pulse {
		w.pulse = w.clock + w.Timeout/2
		heard, _ = w.Pulse(working) // that it cannot be told shows in its age
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !heard.IsZero() {
		w.heard = new(w.clock - time.Since(heard))
	}
	if w.heard == nil {
		return 0, false
	}
	return w.clock - *w.heard, true
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// state moves the clock, and returns where the process is, how long nothing has moved there, and whether it was at work
// since the last pulse.
func (w *Watchdog) state(passed time.Duration) (at bench.Where, still time.Duration, working bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock += passed
	if w.at.Progress != nil {
		if n := w.at.Progress(); n != w.bytes {
			w.bytes, w.since, w.moved = n, w.clock, true
		}
	}
	working = w.moved || w.at.Phase == ""
	if w.clock >= w.pulse {
		w.moved = false
	}
	return w.at, w.clock - w.since, working
}
