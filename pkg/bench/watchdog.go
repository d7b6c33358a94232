// This file detects that a process hangs. The process detects it itself, from another thread, if a call does not
// return and moves no data. The other processes detect it if they wait, and no process is known to be at work.

package bench

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
)

// WatchdogConfig is what a watchdog needs.
type WatchdogConfig struct {
	Timeout time.Duration // the longest time that a call may last without moving data; 0 watches nothing
	Grace   time.Duration // additional time of processes that wait, so that the process that hangs reports first
	// Pulse tells the other processes whether this one is at work, and returns when any of them was last known to be at
	// work; zero if that is not known. After an error, the next pulse tries again. It is nil in a run of one process.
	Pulse func(working bool) (heard time.Time, err error)
	// OnHang is called once, from another goroutine, with the part of the work that hangs and a text with the details.
	OnHang func(at Activity, text string)
}

// Watchdog watches one process.
type Watchdog struct {
	WatchdogConfig
	end chan struct{}

	interval time.Duration    // between two looks
	now      func() time.Time // with a monotonic reading

	mu    sync.Mutex
	clock time.Duration  // time that this process was not suspended: a job that is suspended and resumed does not hang
	at    Activity       // where the process is
	since time.Duration  // time of clock when it came there, or moved data last
	bytes uint64         // Progress at that time
	moved bool           // the process has come to another place, or has moved data, since the last pulse
	heard *time.Duration // time of clock when another process was last known to be at work; nil: never

	thread *watchedThread
	pulse  time.Duration // time of clock when the next pulse is due
}

// The watchdog looks looks times in a timeout, but at least every maxLookInterval.
const (
	looksPerTimeout = 20
	maxLookInterval = 5 * time.Second
)

// StartWatchdog starts a watchdog over the calling thread. It returns nil if the timeout is 0; the methods of a nil
// Watchdog do nothing.
func StartWatchdog(cfg WatchdogConfig) *Watchdog {
	if cfg.Timeout <= 0 {
		return nil
	}
	w := newWatchdog(cfg)
	go w.lookUntilHang()
	return w
}

// newWatchdog returns a watchdog over the calling thread that is not started.
func newWatchdog(cfg WatchdogConfig) *Watchdog {
	return &Watchdog{
		WatchdogConfig: cfg, end: make(chan struct{}), interval: max(time.Millisecond, min(cfg.Timeout/looksPerTimeout,
			maxLookInterval)),
		now: time.Now,
		// so that processes do not send at the same time
		moved: true, thread: newThread(unix.Gettid()), pulse: rand.N(cfg.Timeout / 2),
	}
}

// Enter sets where the process is. It is called before the process begins that part of its work.
func (w *Watchdog) Enter(at Activity) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.since, w.bytes, w.moved = at, w.clock+w.interval, 0, true // clock advances only with each look
}

// NoteWait notes that the process waits for others, in the part of its work where it is, until over is called.
func (w *Watchdog) NoteWait() (over func()) {
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

// NoteConnected notes that pulses reach the other processes. Only from then on does silence mean that a process hangs.
func (w *Watchdog) NoteConnected() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.heard == nil {
		w.heard = new(w.clock)
	}
}

// Stop ends the watchdog.
func (w *Watchdog) Stop() {
	if w != nil {
		close(w.end)
	}
}

// lookUntilHang looks at regular intervals until Stop is called or something hangs.
func (w *Watchdog) lookUntilHang() {
	tick := time.NewTicker(w.interval)
	defer tick.Stop()
	for last := w.now(); ; {
		select {
		case <-w.end:
			return
		case <-tick.C:
		}
		now := w.now()
		at, text := w.findHang(now.Sub(last))
		last = now
		if text != "" {
			w.OnHang(at, text)
			return
		}
	}
}

// findHang returns where the process is, and a text if it hangs, otherwise "". after is the time since the last look. A
// process that is inside a library which waits for a process that hangs seems to hang itself. It is reported later than
// that one.
func (w *Watchdog) findHang(after time.Duration) (Activity, string) {
	at, still, working := w.advanceClock(min(after, 2*w.interval))
	w.thread.noteSwitches(w.clock)
	quiet, known := w.quietTime(working)
	longest := w.Timeout + w.Grace
	blocked := w.clock-w.thread.since > w.Timeout/2
	switch {
	case at.Phase == "" || still <= w.Timeout || still <= longest && (at.Waiting || !blocked):
		return at, ""
	case at.Waiting && (!known || quiet <= longest):
		return at, ""
	case at.Waiting:
		return at, fmt.Sprintf("has waited for other ranks for %v, longer than --timeout %v, and no rank has "+
			"reported progress for %v: a rank hangs, or its node has failed", roundToMillis(still), w.Timeout,
			roundToMillis(quiet))
	case blocked:
		return at, fmt.Sprintf("hangs: %sa call has not returned and has moved no data for %v, longer than "+
			"--timeout %v; it is %v", pathPrefix(at.Path), roundToMillis(still), w.Timeout, w.thread)
	}
	return at, fmt.Sprintf("hangs: %sa call has not returned and has moved no data for %v, longer than --timeout "+
		"%v; it is busy inside its library, perhaps waiting for another rank that hangs",
		pathPrefix(at.Path), roundToMillis(still), w.Timeout)
}

// quietTime sends a pulse if one is due. It returns for how long no process was known to be at work, and reports
// whether that is known.
func (w *Watchdog) quietTime(working bool) (quiet time.Duration, known bool) {
	var heard time.Time
	if w.Pulse != nil && w.clock >= w.pulse {
		w.pulse = w.clock + w.Timeout/2
		heard, _ = w.Pulse(working) // a failed pulse returns zero: heard stays as it was, and ages
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !heard.IsZero() {
		w.heard = new(w.clock - w.now().Sub(heard))
	}
	if w.heard == nil {
		return 0, false
	}
	return w.clock - *w.heard, true
}

func roundToMillis(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func pathPrefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// advanceClock advances the clock by the time that passed. It returns where the process is and for how long it has
// moved no data there, and reports whether it was at work since the last pulse.
func (w *Watchdog) advanceClock(passed time.Duration) (at Activity, still time.Duration, working bool) {
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
