package watchdog

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/bench"
)

const timeout = 300 * time.Millisecond

// hung is what a watchdog said.
type hung struct {
	at   bench.Where
	text string
}

// begin starts a watchdog over the thread of the test.
func begin(t *testing.T, cfg Config) (*Watchdog, chan hung) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	told := make(chan hung, 2)
	cfg.Timeout, cfg.Grace = timeout, timeout
	cfg.OnHang = func(at bench.Where, text string) { told <- hung{at, text} }
	w := Start(cfg)
	t.Cleanup(w.Stop)
	return w, told
}

// hang blocks the thread in a system call until a watchdog reports it.
func hang(t *testing.T, told chan hung) hung {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	heard := make(chan hung, 1)
	go func() {
		heard <- <-told
		_ = w.Close()
	}()
	fd := int(r.Fd()) // makes it block
	_, _ = unix.Read(fd, make([]byte, 1))
	return <-heard
}

func TestACallThatDoesNotReturnIsFound(t *testing.T) {
	w, told := begin(t, Config{})
	w.Enter(bench.Where{Phase: "transfer", Operation: "write", Iteration: 2, Path: "/data/file"})
	start := time.Now()
	got := hang(t, told)
	if took := time.Since(start); took < timeout {
		t.Errorf("told after %v", took)
	}
	if got.at.Phase != "transfer" || got.at.Iteration != 2 ||
		!strings.Contains(got.text, "/data/file: a call has not returned") ||
		!strings.Contains(got.text, "in the kernel, in ") {
		t.Errorf("told %+v", got)
	}
}

func TestALibraryThatPollsIsFoundLater(t *testing.T) {
	w, told := begin(t, Config{})
	w.Enter(bench.Where{Phase: "transfer"})
	start := time.Now()
	var got hung
	for got.text == "" {
		select {
		case got = <-told:
		default:
			time.Sleep(time.Millisecond) // as a library does between two looks
		}
	}
	if took := time.Since(start); took < 2*timeout || !strings.Contains(got.text, "busy inside of its library") {
		t.Errorf("after %v: %+v", took, got)
	}
}

func TestWorkThatGoesOnIsLeftAlone(t *testing.T) {
	var bytes atomic.Uint64
	w, told := begin(t,
		Config{Pulse: func(bool) (time.Time, error) { return time.Time{}, errors.New("nobody answers") }})
	for what, work := range map[string]func(){
		"bytes that move": func() { bytes.Add(1) },
		"new places":      func() { w.Enter(bench.Where{Phase: "open"}) },
	} {
		w.Enter(bench.Where{Phase: "transfer", Progress: bytes.Load})
		for start := time.Now(); time.Since(start) < 3*timeout; {
			work()
			time.Sleep(time.Millisecond)
		}
		select {
		case got := <-told:
			t.Errorf("%s: %+v", what, got)
		default:
		}
	}
	// no limit while nothing is known of the others
	for _, at := range []bench.Where{{}, {Phase: "step", Waiting: true}} {
		w.Enter(at)
		select {
		case got := <-told:
			t.Errorf("%+v: %+v", at, got)
		case <-time.After(5 * timeout):
		}
	}
}

func TestAWaitForSilentRanksEnds(t *testing.T) {
	var mu sync.Mutex
	silent := false
	heard := time.Now()
	w, told := begin(t, Config{Pulse: func(bool) (time.Time, error) {
		mu.Lock()
		defer mu.Unlock()
		if !silent {
			heard = time.Now()
		}
		return heard, nil
	}})
	w.Enter(bench.Where{Phase: "open", Waiting: true})
	select {
	case got := <-told:
		t.Errorf("others are at work: %+v", got)
	case <-time.After(5 * timeout):
	}
	mu.Lock()
	silent = true
	mu.Unlock()
	if got := <-told; !got.at.Waiting || !strings.Contains(got.text, "no rank was heard to be at work") {
		t.Errorf("told %+v", got)
	}
}

func TestRanksThatAreSilentFromTheStartEndAWait(t *testing.T) {
	w, told := begin(t,
		Config{Pulse: func(bool) (time.Time, error) { return time.Time{}, errors.New("nobody answers") }})
	w.Connected()
	w.Enter(bench.Where{Phase: "open", Waiting: true})
	if got := <-told; !got.at.Waiting || !strings.Contains(got.text, "no rank was heard to be at work") {
		t.Errorf("told %+v", got)
	}
}

func TestAWaitIsNoHangAndItsPlaceIsKnown(t *testing.T) {
	start := time.Now()
	w, told := begin(t, Config{Pulse: func(bool) (time.Time, error) { return start, nil }})
	w.Enter(bench.Where{Phase: "close", Operation: "write"})
	over := w.Wait()
	if got := <-told; !got.at.Waiting || got.at.Phase != "close" ||
		!strings.Contains(got.text, "waits for the others") {
		t.Errorf("told %+v", got)
	}
	over()
	if w.at.Waiting || w.at.Phase != "close" {
		t.Errorf("after the wait at %+v", w.at)
	}
}

func TestASuspendedProcessDoesNotHang(t *testing.T) {
	w := newWatchdog(Config{Timeout: timeout, Grace: timeout})
	w.Enter(bench.Where{Phase: "transfer"})
	if _, text := w.look(time.Hour); text != "" {
		t.Errorf("after an hour between two looks: %s", text)
	}
	for range 3 * looks {
		if _, text := w.look(w.interval); text != "" {
			return
		}
	}
	t.Error("a process that runs on and hangs is not found")
}

func TestAProcessSaysWhetherItIsAtWork(t *testing.T) {
	words := make(chan bool, 100)
	w, _ := begin(t, Config{Pulse: func(working bool) (time.Time, error) {
		words <- working
		return time.Now(), nil
	}})
	says := func(what string, want bool) { // soon: it was elsewhere since its last word
		t.Helper()
		for range 50 {
			if <-words == want {
				return
			}
		}
		t.Errorf("%s says that it is at work: %v", what, !want)
	}
	if !<-words {
		t.Error("a process that has begun says it waits")
	}
	w.Enter(bench.Where{Phase: "open", Waiting: true})
	says("a process that waits", false)
	w.Enter(bench.Where{})
	says("a process that is at work by itself", true)
}

func TestWithoutATimeoutNothingIsWatched(t *testing.T) {
	w := Start(Config{})
	w.Enter(bench.Where{Phase: "open"})
	w.Stop()
	if w != nil {
		t.Error("there is a watchdog")
	}
}
