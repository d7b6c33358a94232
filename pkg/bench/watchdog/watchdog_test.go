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

// bark is what a watchdog said.
type bark struct {
	at   bench.Where
	text string
}

// kennel starts a watchdog over the thread of the test.
func kennel(t *testing.T, cfg Config) (*Watchdog, chan bark) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	barks := make(chan bark, 2)
	cfg.Timeout, cfg.Grace = timeout, timeout
	cfg.Bark = func(at bench.Where, text string) { barks <- bark{at, text} }
	w := Start(cfg)
	t.Cleanup(w.Stop)
	return w, barks
}

// hang blocks the thread in a call of the system until a watchdog barks.
func hang(t *testing.T, barks chan bark) bark {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	heard := make(chan bark, 1)
	go func() {
		heard <- <-barks
		_ = w.Close()
	}()
	fd := int(r.Fd()) // makes it block
	_, _ = unix.Read(fd, make([]byte, 1))
	return <-heard
}

func TestACallThatDoesNotReturnIsFound(t *testing.T) {
	w, barks := kennel(t, Config{})
	w.Enter(bench.Where{Phase: "transfer", Operation: "write", Iteration: 2, Path: "/data/file"})
	start := time.Now()
	got := hang(t, barks)
	if took := time.Since(start); took < timeout {
		t.Errorf("barked after %v", took)
	}
	if got.at.Phase != "transfer" || got.at.Iteration != 2 || !strings.Contains(got.text, "/data/file: a call has not returned") ||
		!strings.Contains(got.text, "in the kernel, in ") {
		t.Errorf("bark %+v", got)
	}
}

func TestALibraryThatPollsIsFoundLater(t *testing.T) {
	w, barks := kennel(t, Config{})
	w.Enter(bench.Where{Phase: "transfer"})
	start := time.Now()
	var got bark
	for got.text == "" {
		select {
		case got = <-barks:
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
	w, barks := kennel(t, Config{Pulse: func(bool) (time.Time, error) { return time.Time{}, errors.New("nobody answers") }})
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
		case got := <-barks:
			t.Errorf("%s: %+v", what, got)
		default:
		}
	}
	for _, at := range []bench.Where{{}, {Phase: "step", Waiting: true}} { // no limit while nothing is known of the others
		w.Enter(at)
		select {
		case got := <-barks:
			t.Errorf("%+v: %+v", at, got)
		case <-time.After(5 * timeout):
		}
	}
}

func TestAWaitForSilentRanksEnds(t *testing.T) {
	var mu sync.Mutex
	silent := false
	heard := time.Now()
	w, barks := kennel(t, Config{Pulse: func(bool) (time.Time, error) {
		mu.Lock()
		defer mu.Unlock()
		if !silent {
			heard = time.Now()
		}
		return heard, nil
	}})
	w.Enter(bench.Where{Phase: "open", Waiting: true})
	select {
	case got := <-barks:
		t.Errorf("others are at work: %+v", got)
	case <-time.After(5 * timeout):
	}
	mu.Lock()
	silent = true
	mu.Unlock()
	if got := <-barks; !got.at.Waiting || !strings.Contains(got.text, "no rank was heard to be at work") {
		t.Errorf("bark %+v", got)
	}
}

func TestRanksThatAreSilentFromTheStartEndAWait(t *testing.T) {
	w, barks := kennel(t, Config{Pulse: func(bool) (time.Time, error) { return time.Time{}, errors.New("nobody answers") }})
	w.Connected()
	w.Enter(bench.Where{Phase: "open", Waiting: true})
	if got := <-barks; !got.at.Waiting || !strings.Contains(got.text, "no rank was heard to be at work") {
		t.Errorf("bark %+v", got)
	}
}

func TestAWaitIsNoHangAndItsPlaceIsKnown(t *testing.T) {
	start := time.Now()
	w, barks := kennel(t, Config{Pulse: func(bool) (time.Time, error) { return start, nil }})
	w.Enter(bench.Where{Phase: "close", Operation: "write"})
	over := w.Wait()
	if got := <-barks; !got.at.Waiting || got.at.Phase != "close" || !strings.Contains(got.text, "waits for the others") {
		t.Errorf("bark %+v", got)
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
	w, _ := kennel(t, Config{Pulse: func(working bool) (time.Time, error) {
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
