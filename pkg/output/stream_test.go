package output

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// writer is a stream that fails, or whose writes block until release is closed.
type writer struct {
	mu      sync.Mutex
	text    strings.Builder
	fail    error
	release chan struct{}
}

func (w *writer) Write(p []byte) (int, error) {
	if w.release != nil {
		<-w.release
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return 0, w.fail
	}
	return w.text.Write(p)
}

func TestWhatIsWrittenArrivesInOrder(t *testing.T) {
	var w writer
	s := New("standard output", &w)
	for _, text := range []string{"a", "b", "c"} {
		if n, err := s.Write([]byte(text)); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		s.LimitWrites()
	}
	if w.text.String() != "abc" || s.Err() != nil {
		t.Errorf("%q, %v", w.text.String(), s.Err())
	}
}

func TestTheFirstErrorIsKeptAndNamesTheStream(t *testing.T) {
	w := writer{fail: &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}
	s := New("standard output", &w)
	_, first := s.Write(nil)
	w.fail = syscall.EPIPE
	_, second := s.Write(nil)
	if first.Error() != "standard output: no space left on device" || !errors.Is(second, syscall.EPIPE) ||
		s.Err() != first { //nolint:errorlint // the same error value
		t.Errorf("%v, %v, %v", first, second, s.Err())
	}
}

// The test controls the clock. A write that nobody reads waits for the clock only after Hurry.
func TestAWriteThatNobodyReadsIsGivenUpInAHurry(t *testing.T) {
	w := writer{release: make(chan struct{})}
	s := New("standard error", &w)
	asked, clock := make(chan time.Duration), make(chan time.Time)
	s.after = func(d time.Duration) <-chan time.Time {
		asked <- d
		return clock
	}
	ended := make(chan error)
	go func() {
		_, err := s.Write([]byte("lost"))
		ended <- err
	}()
	for len(s.writeLock) == 0 {
		runtime.Gosched()
	}
	select {
	case <-asked:
		t.Fatal("it is in a hurry by itself")
	case err := <-ended:
		t.Fatalf("it has ended: %v", err)
	default:
	}
	s.LimitWrites()
	if d := <-asked; d != WriteTimeLimit {
		t.Errorf("it waits for %v", d)
	}
	clock <- time.Time{}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "standard error: nobody reads it") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Write([]byte("lost, too")); !errors.Is(err, errUnread) { // at once, without the clock
		t.Errorf("error %v", err)
	}
	close(w.release) // now somebody reads
	for s.isWriteBlocked() {
		runtime.Gosched()
	}
	go func() { <-asked }()
	if _, err := s.Write([]byte(", told")); err != nil || !strings.HasSuffix(w.text.String(), ", told") {
		t.Errorf("%v, %q", err, w.text.String())
	}
}
