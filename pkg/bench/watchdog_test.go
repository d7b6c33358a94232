package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const timeout = 20 * time.Second

// hung is a report of a watchdog.
type hung struct {
	at   Activity
	text string
}

// dog is a watchdog with a clock that the test moves, and checks that the test makes.
type dog struct {
	*Watchdog
	t    *testing.T
	time time.Time
	runs int
}

// newDog returns a watchdog for a thread whose files the test writes into a directory.
func newDog(t *testing.T, cfg WatchdogConfig) *dog {
	t.Helper()
	cfg.Timeout, cfg.Grace = timeout, timeout
	d := &dog{Watchdog: newWatchdog(cfg), t: t, time: time.Unix(1e9, 0)}
	d.now = func() time.Time { return d.time }
	d.thread.dir = t.TempDir() + "/"
	d.write("wchan", "pipe_read")
	d.run()
	return d
}

// write writes a file that describes the thread, as in /proc.
func (d *dog) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.thread.dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// run makes the thread look as if it has run on a processor.
func (d *dog) run() {
	d.t.Helper()
	d.runs++
	d.write("status", fmt.Sprintf("State:\tS\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t3\n", d.runs))
}

// look makes a check, an interval after the last one.
func (d *dog) look() hung {
	d.time = d.time.Add(d.interval)
	at, text := d.findHang(d.interval)
	return hung{at, text}
}

// until makes checks until the watchdog finds a hang, at most most of them. Before each check it calls before, which
// may be nil. It returns the report, and the number of checks.
func (d *dog) until(most int, before func()) (told hung, n int) {
	for n < most && told.text == "" {
		if before != nil {
			before()
		}
		told = d.look()
		n++
	}
	return told, n
}

// quiet fails the test if the watchdog finds a hang in many checks.
func (d *dog) quiet(what string, before func()) {
	d.t.Helper()
	if told, n := d.until(10*looksPerTimeout, before); told.text != "" {
		d.t.Errorf("%s: after %d looks: %+v", what, n, told)
	}
}

func TestACallThatDoesNotReturnIsFound(t *testing.T) {
	d := newDog(t, WatchdogConfig{})
	d.SetActivity(Activity{Phase: "transfer", Operation: "write", Iteration: 2, Path: "/data/file"})
	// The time of an activity counts from the first check after it began.
	told, n := d.until(10*looksPerTimeout, nil)
	if n != looksPerTimeout+2 {
		t.Errorf("told after %d looks, of %d in the timeout", n, looksPerTimeout)
	}
	if told.at.Phase != "transfer" || told.at.Iteration != 2 ||
		!strings.Contains(told.text, "/data/file: a call has not returned") ||
		!strings.Contains(told.text, "it is in the kernel, in pipe_read") {
		t.Errorf("told %+v", told)
	}
}

func TestALibraryThatPollsIsFoundLater(t *testing.T) {
	d := newDog(t, WatchdogConfig{})
	d.SetActivity(Activity{Phase: "transfer"})
	told, n := d.until(10*looksPerTimeout, d.run)
	if n != 2*looksPerTimeout+2 || !strings.Contains(told.text, "busy inside its library") {
		t.Errorf("after %d looks, of %d in the timeout: %+v", n, looksPerTimeout, told)
	}
}

func TestWorkThatGoesOnIsLeftAlone(t *testing.T) {
	var bytes atomic.Uint64
	d := newDog(
		t,
		WatchdogConfig{Pulse: func(bool) (time.Time, error) { return time.Time{}, errors.New("nobody answers") }},
	)
	for what, work := range map[string]func(){
		"bytes that move": func() { bytes.Add(1) },
		"new places":      func() { d.SetActivity(Activity{Phase: "open"}) },
	} {
		d.SetActivity(Activity{Phase: "transfer", Progress: bytes.Load})
		d.quiet(what, work)
	}
	// no limit while nothing is known about the other processes
	for _, at := range []Activity{{}, {Phase: "step", Waiting: true}} {
		d.SetActivity(at)
		d.quiet(fmt.Sprintf("%+v", at), nil)
	}
}

func TestAWaitForSilentRanksEnds(t *testing.T) {
	silent := false
	var d *dog
	var heard time.Time
	d = newDog(t, WatchdogConfig{Pulse: func(bool) (time.Time, error) {
		if !silent {
			heard = d.time
		}
		return heard, nil
	}})
	d.SetActivity(Activity{Phase: "open", Waiting: true})
	d.quiet("others are at work", nil)
	silent = true
	told, n := d.until(10*looksPerTimeout, nil)
	if !told.at.Waiting || !strings.Contains(told.text, "no rank has reported progress") {
		t.Errorf("told %+v", told)
	}
	// The last pulse that returned a new time was at most half a timeout ago.
	if n <= 2*looksPerTimeout-looksPerTimeout/2 || n > 2*looksPerTimeout+1 {
		t.Errorf("told after %d looks of silence, of %d in the timeout", n, looksPerTimeout)
	}
}

func TestRanksThatAreSilentFromTheStartEndAWait(t *testing.T) {
	d := newDog(
		t,
		WatchdogConfig{Pulse: func(bool) (time.Time, error) { return time.Time{}, errors.New("nobody answers") }},
	)
	d.NoteConnected()
	d.SetActivity(Activity{Phase: "open", Waiting: true})
	told, n := d.until(10*looksPerTimeout, nil)
	if n != 2*looksPerTimeout+2 || !told.at.Waiting || !strings.Contains(told.text, "no rank has reported progress") {
		t.Errorf("after %d looks: %+v", n, told)
	}
}

func TestAWaitIsNoHangAndItsPlaceIsKnown(t *testing.T) {
	d := newDog(t, WatchdogConfig{Pulse: func(bool) (time.Time, error) { return time.Unix(1e9, 0), nil }})
	d.SetActivity(Activity{Phase: "close", Operation: "write"})
	over := d.NoteWait()
	told, _ := d.until(10*looksPerTimeout, nil)
	if !told.at.Waiting || told.at.Phase != "close" || !strings.Contains(told.text, "waited for other ranks") {
		t.Errorf("told %+v", told)
	}
	over()
	if d.at.Waiting || d.at.Phase != "close" {
		t.Errorf("after the wait at %+v", d.at)
	}
}

func TestASuspendedProcessDoesNotHang(t *testing.T) {
	d := newDog(t, WatchdogConfig{})
	d.SetActivity(Activity{Phase: "transfer"})
	d.time = d.time.Add(time.Hour)
	if _, text := d.findHang(time.Hour); text != "" {
		t.Errorf("after an hour between two looks: %s", text)
	}
	if told, _ := d.until(3*looksPerTimeout, nil); told.text == "" {
		t.Error("a process that runs on and hangs is not found")
	}
}

func TestAProcessSaysWhetherItIsAtWork(t *testing.T) {
	var d *dog
	var words []bool
	d = newDog(t, WatchdogConfig{Pulse: func(working bool) (time.Time, error) {
		words = append(words, working)
		return d.time, nil
	}})
	for _, row := range []struct {
		what string
		at   Activity
		want bool
	}{
		{"a process that has begun", Activity{}, true},
		{"a process that waits", Activity{Phase: "open", Waiting: true}, false},
		{"a process that is at work by itself", Activity{}, true},
	} {
		d.SetActivity(row.at)
		words = nil
		d.until(2*looksPerTimeout, nil)
		if len(words) < 3 { // the first pulse reports the previous activity
			t.Fatalf("%s: %d pulses in two timeouts", row.what, len(words))
		}
		for _, got := range words[1:] {
			if got != row.want {
				t.Errorf("%s says that it is at work: %v", row.what, words)
			}
		}
	}
}

// pipe returns a function that blocks the calling thread in a system call, and a function that ends that call.
func pipe(t *testing.T) (block, release func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	fd := int(r.Fd()) // sets the descriptor to blocking mode
	return func() { _, _ = unix.Read(fd, make([]byte, 1)) }, func() { _ = w.Close() }
}

// inPipe waits until a thread is in a system call on a pipe. It returns an error after a minute.
func inPipe(thread *watchedThread) error {
	for deadline := time.Now().Add(time.Minute); !strings.Contains(thread.String(), "pipe"); {
		if time.Now().After(deadline) {
			return fmt.Errorf("the thread is not in the call, but %v", thread)
		}
	}
	return nil
}

func TestAThreadThatIsBlockedInTheKernelDoesNotRun(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	block, release := pipe(t)
	thread := newThread(unix.Gettid())
	looked := make(chan error)
	ran := 0
	go func() {
		err := inPipe(thread)
		for clock := range time.Duration(10 * looksPerTimeout) {
			if thread.recordContextSwitches(clock); thread.lastRun == clock {
				ran++
			}
		}
		release()
		looked <- err
	}()
	block()
	if err := <-looked; err != nil {
		t.Fatal(err)
	}
	if ran > 2 { // before the first check, and when the kernel counts the switch that began the call
		t.Errorf("in %d looks a thread that was blocked was seen %d times to have run", 10*looksPerTimeout, ran)
	}
	_ = unix.Nanosleep(&unix.Timespec{Nsec: 1}, nil)
	if thread.recordContextSwitches(time.Hour); thread.lastRun != time.Hour {
		t.Error("a thread that has run since the last look was not seen to")
	}
}

func TestAWatchdogLooksByItself(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	block, release := pipe(t)
	told := make(chan hung, 2)
	w := StartWatchdog(WatchdogConfig{
		Timeout: looksPerTimeout * time.Millisecond,
		OnHang: func(at Activity, text string) {
			told <- hung{at, text}
			release()
		},
	})
	defer w.Stop()
	w.SetActivity(Activity{Phase: "transfer", Path: "/data/file"})
	block()
	if got := <-told; got.at.Phase != "transfer" || !strings.Contains(got.text, "hangs: /data/file: ") {
		t.Errorf("told %+v", got)
	}
}

func TestWithoutATimeoutNothingIsWatched(t *testing.T) {
	w := StartWatchdog(WatchdogConfig{})
	w.SetActivity(Activity{Phase: "open"})
	w.Stop()
	if w != nil {
		t.Error("there is a watchdog")
	}
}
