// This file writes to the standard streams of a process. They may be closed, full, or pipes that nobody reads,
// and a process must be able to end nevertheless.

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
	name   string
	w      io.Writer
	paint  func(string) string // puts colours into what is written, or nil
	asFile bool                // even if it is a terminal, text is as for a file
	after  func(time.Duration) <-chan time.Time
	turn   chan struct{} // holds a value while something is written
	once   sync.Once
	hurry  chan struct{} // closed by Hurry

	mu    sync.Mutex
	err   error           // the first error
	stuck <-chan struct{} // closed when the last write that was given up ends
}

// StreamError is the error of a stream.
type StreamError struct {
	Stream string
	Err    error
}

func (e *StreamError) Error() string { return e.Stream + ": " + e.Err.Error() }

func (e *StreamError) Unwrap() error { return e.Err }

// Patience is how long a write may last after Hurry.
const Patience = time.Second

var (
	errUnread = fmt.Errorf("nobody reads it: what was not written within %v is lost", Patience)
	errClosed = errors.New("is closed: what was to be written is lost")
)

// New returns a stream. Errors name it.
func New(name string, w io.Writer) *Stream {
	return &Stream{
		name: name, w: w, after: time.After, turn: make(chan struct{}, 1), hurry: make(chan struct{}),
	}
}

// StandardStreams returns standard output and standard error of this process. If standard error is a terminal with
// colour, errors, cautions and notes of h5perf begin with a coloured word. With asFiles, even terminals have no colour
// and the usual width.
func StandardStreams(asFiles bool) (stdout, stderr *Stream) {
	stdout, stderr = New("standard output", os.Stdout), New("standard error", os.Stderr)
	for fd, s := range map[int]*Stream{1: stdout, 2: stderr} {
		if closedAtStart(fd) {
			s.w = closedStream{}
		}
		s.asFile = asFiles
	}
	if look := LookOf(stderr); look.Colour {
		stderr.paint = func(text string) string { return look.StyleBeginnings(text, complaints...) }
	}
	return stdout, stderr
}

// closedStream is a stream that was closed when the process began. The Go runtime has put /dev/null in its place.
type closedStream struct{}

func (closedStream) Write([]byte) (int, error) { return 0, errClosed }

// Hurry gives up each write that lasts longer than Patience from now on, because the process is to end. What others
// write later is lost.
func (s *Stream) Hurry() { s.once.Do(func() { close(s.hurry) }) }

// Err returns the first error of writing.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Write writes a text. Its errors are of type *Error.
func (s *Stream) Write(p []byte) (int, error) {
	done := make(chan struct{})
	var n int
	var err error
	text := bytes.Clone(p) // the caller goes on when the write is given up
	if s.paint != nil {
		text = []byte(s.paint(string(p)))
	}
	go func() {
		s.turn <- struct{}{}
		n, err = s.w.Write(text)
		n = min(n, len(p)) // colours make it longer
		<-s.turn
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

// waitForWrite reports whether a write is done in time.
func (s *Stream) waitForWrite(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-s.hurry:
	}
	if s.isStuck() {
		return false
	}
	select {
	case <-done:
		return true
	case <-s.after(Patience):
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stuck = done
		return false
	}
}

// isStuck reports whether a write that was given up still lasts.
func (s *Stream) isStuck() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck == nil {
		return false
	}
	select {
	case <-s.stuck:
		return false
	default:
		return true
	}
}

// recordError returns an error of the stream, and keeps the first one.
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
