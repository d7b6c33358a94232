// This file writes to the standard streams of a process. They may be closed, full, or pipes that nobody reads, but the
// process must still be able to end.

package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Stream is a standard stream. Its methods may be called from any goroutine.
type Stream struct {
	name          string
	w             io.Writer
	colourText    func(string) string // adds colours to the text that is written, or nil
	asFile        bool                // text has the look for a file, even on a terminal
	after         func(time.Duration) <-chan time.Time
	writeLock     chan struct{} // holds a value during a write
	once          sync.Once
	writesLimited chan struct{} // closed by LimitWrites

	mu              sync.Mutex
	err             error           // the first error
	abandonedWrites <-chan struct{} // closed when the last abandoned write ends
}

// StreamError is an error when writing to a stream.
type StreamError struct {
	Stream string
	Err    error
}

func (e *StreamError) Error() string { return e.Stream + ": " + e.Err.Error() }

func (e *StreamError) Unwrap() error { return e.Err }

// WriteTimeLimit is the time limit for a write after LimitWrites.
const WriteTimeLimit = time.Second

var (
	errUnread = fmt.Errorf("nobody reads it: what was not written within %v is lost", WriteTimeLimit)
	errClosed = errors.New("is closed: what was to be written is lost")
)

// New returns a stream that writes to w. Its errors contain name.
func New(name string, w io.Writer) *Stream {
	return &Stream{
		name: name, w: w, after: time.After, writeLock: make(chan struct{}, 1), writesLimited: make(chan struct{}),
	}
}

// StandardStreams returns standard output and standard error of this process. If standard error is a terminal with
// colour, errors, cautions and notes of h5perf begin with a coloured word. If asFiles is true, text has the format for
// files even on a terminal: no colour, and the default width.
func StandardStreams(asFiles bool) (stdout, stderr *Stream) {
	stdout, stderr = New("standard output", os.Stdout), New("standard error", os.Stderr)
	for fd, s := range map[int]*Stream{1: stdout, 2: stderr} {
		if closedAtStart(fd) {
			s.w = closedStream{}
		}
		s.asFile = asFiles
	}
	if look := LookOf(stderr); look.Colour {
		stderr.colourText = func(text string) string { return look.StylePrefixes(text, stderrStyles...) }
	}
	return stdout, stderr
}

// closedStream stands for a standard stream that was closed when the process started. The Go runtime has opened
// /dev/null in its place.
type closedStream struct{}

func (closedStream) Write([]byte) (int, error) { return 0, errClosed }

// LimitWrites sets the time limit WriteTimeLimit for each write from now on, because the process must end soon. A write
// that takes longer is abandoned. While the abandoned write still blocks, the data of later writes are lost.
func (s *Stream) LimitWrites() { s.once.Do(func() { close(s.writesLimited) }) }

// Err returns the first error of Write, or nil.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Write writes text. Its errors are of type *StreamError.
func (s *Stream) Write(p []byte) (int, error) {
	done := make(chan struct{})
	var n int
	var err error
	text := bytes.Clone(p) // the caller may change p after the write is abandoned
	if s.colourText != nil {
		text = []byte(s.colourText(string(p)))
	}
	go func() {
		s.writeLock <- struct{}{}
		n, err = s.w.Write(text)
		n = min(n, len(p)) // colours make it longer
		<-s.writeLock
		close(done)
	}()
	if !s.waitForWrite(done) {
		return 0, s.recordError(errUnread)
	}
	if err != nil {
		return n, s.recordError(err)
	}
	return n, nil
}

// waitForWrite waits until done is closed, and reports whether this happened in time.
func (s *Stream) waitForWrite(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-s.writesLimited:
	}
	if s.isWriteBlocked() {
		return false
	}
	select {
	case <-done:
		return true
	case <-s.after(WriteTimeLimit):
		s.mu.Lock()
		defer s.mu.Unlock()
		s.abandonedWrites = done
		return false
	}
}

// isWriteBlocked reports whether an abandoned write still blocks.
func (s *Stream) isWriteBlocked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.abandonedWrites == nil {
		return false
	}
	select {
	case <-s.abandonedWrites:
		return false
	default:
		return true
	}
}

// recordError wraps an error of the stream and returns it. It keeps the first error for Err.
func (s *Stream) recordError(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // without the path, which depends on the Go runtime
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	failure := &StreamError{s.name, err}
	if s.err == nil {
		s.err = failure
	}
	return failure
}

// CallWithTimeout calls the function last in another goroutine. It returns when last has returned, but no later than
// when the channel limit delivers a value.
func CallWithTimeout(limit <-chan time.Time, last func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		last()
	}()
	select {
	case <-done:
	case <-limit:
	}
}
