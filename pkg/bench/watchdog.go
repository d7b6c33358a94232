// This file detects processes that hang. A process detects from another thread that its own call does not return and
// moves no data. The other processes detect it if they wait and no process is known to be at work.

package bench

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
)

// WatchdogConfig configures a watchdog.
type WatchdogConfig struct {
	Timeout time.Duration // longest time that a call may last without moving data; 0: no watchdog
	Grace   time.Duration // additional time for processes that wait, so that the process that hangs reports first
	// Pulse tells the other processes whether this one is at work. It returns the last time at which any of them was
	// known to be at work; zero if that is not known. After an error, the next pulse tries again. In a run of one
	// process it is nil.
	Pulse func(working bool) (heard time.Time, err error)
	// OnHang is called once, from another goroutine, with the activity that hangs and a message with the details.
	OnHang func(at Activity, text string)
}

// Watchdog watches one process.
type Watchdog struct {
	WatchdogConfig
	end chan struct{}

	interval time.Duration    // time between two checks
	now      func() time.Time // returns a time with a monotonic reading

	mu               sync.Mutex
	clock            time.Duration  // running time without suspensions of the process: a suspended job does not hang
	at               Activity       // current activity
	lastProgress     time.Duration  // value of clock when the activity began or last moved data
	bytes            uint64         // value of Progress at that time
	workedSincePulse bool           // since the last pulse, an activity has begun or data were moved
	othersHeard      *time.Duration // value of clock when another process was last known to be at work; nil: never

	thread   *watchedThread
	pulseDue time.Duration // value of clock when the next pulse is due
}

// The watchdog checks its process looksPerTimeout times per timeout, but at least every maxLookInterval.
const (
	looksPerTimeout = 20
	maxLookInterval = 5 * time.Second
)

// StartWatchdog starts a watchdog for the calling thread. If the timeout is 0, it returns nil; the methods of a nil
// Watchdog do nothing.
func StartWatchdog(cfg WatchdogConfig) *Watchdog {
	if cfg.Timeout <= 0 {
		return nil
	}
	w := newWatchdog(cfg)
	go w.checkUntilHang()
	return w
}

// newWatchdog returns a watchdog for the calling thread without starting it.
func newWatchdog(cfg WatchdogConfig) *Watchdog {
	return &Watchdog{
		WatchdogConfig: cfg, end: make(chan struct{}), interval: max(time.Millisecond, min(cfg.Timeout/looksPerTimeout,
			maxLookInterval)),
		now: time.Now,
		// at random times, so that processes do not send at the same time
		workedSincePulse: true, thread: newThread(unix.Gettid()), pulseDue: rand.N(cfg.Timeout / 2),
	}
}

// SetActivity sets the activity of the process. Call it before the process begins the activity.
func (w *Watchdog) SetActivity(at Activity) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// clock advances only at each check
	w.at, w.lastProgress, w.bytes, w.workedSincePulse = at, w.clock+w.interval, 0, true
}

// NoteWait notes that the process waits for others within its current activity, until over is called.
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
	w.SetActivity(waiting)
	return func() { w.SetActivity(before) }
}

// NoteConnected notes that this process can exchange pulses with the others. Before this call, the watchdog does not
// conclude from missing pulses that a process hangs.
func (w *Watchdog) NoteConnected() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.othersHeard == nil {
		w.othersHeard = new(w.clock)
	}
}

// Stop ends the watchdog.
func (w *Watchdog) Stop() {
	if w != nil {
		close(w.end)
	}
}

// checkUntilHang checks the process at regular intervals until Stop is called or a process hangs.
func (w *Watchdog) checkUntilHang() {
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

// findHang returns the activity of the process, and a message if a process hangs, otherwise "". after is the time since
// the last check. A process whose library waits, in a call, for a process that hangs seems to hang too. It is reported
// later, so that the process that really hangs is reported first.
func (w *Watchdog) findHang(after time.Duration) (Activity, string) {
	at, still, working := w.advanceClock(min(after, 2*w.interval))
	w.thread.recordContextSwitches(w.clock)
	quiet, known := w.timeSinceOthersWorked(working)
	longest := w.Timeout + w.Grace
	blocked := w.clock-w.thread.lastRun > w.Timeout/2
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

// timeSinceOthersWorked sends a pulse if one is due. It returns how long ago any process was last known to be at work,
// and reports whether that is known.
func (w *Watchdog) timeSinceOthersWorked(working bool) (quiet time.Duration, known bool) {
	var heard time.Time
	if w.Pulse != nil && w.clock >= w.pulseDue {
		w.pulseDue = w.clock + w.Timeout/2
		heard, _ = w.Pulse(working) // a failed pulse returns zero and does not change w.heard
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !heard.IsZero() {
		w.othersHeard = new(w.clock - w.now().Sub(heard))
	}
	if w.othersHeard == nil {
		return 0, false
	}
	return w.clock - *w.othersHeard, true
}

func roundToMillis(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func pathPrefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// advanceClock advances the clock by passed. It returns the activity of the process and for how long the activity has
// moved no data, and reports whether the process has worked since the last pulse.
func (w *Watchdog) advanceClock(passed time.Duration) (at Activity, still time.Duration, working bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock += passed
	if w.at.Progress != nil {
		if n := w.at.Progress(); n != w.bytes {
			w.bytes, w.lastProgress, w.workedSincePulse = n, w.clock, true
		}
	}
	working = w.workedSincePulse || w.at.Phase == ""
	if w.clock >= w.pulseDue {
		w.workedSincePulse = false
	}
	return w.at, w.clock - w.lastProgress, working
}
