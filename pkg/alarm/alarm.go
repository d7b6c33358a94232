// Package alarm carries words between the processes of a run when MPI and the file system may both hang: rank 0 listens on a
// TCP port, and the others tell it of errors that end the run, and that they are at work.
package alarm

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"h5perf/pkg/result"
)

// Deadline is how long a word may take, from the first packet to the answer.
const Deadline = time.Second

// What a station takes: from this many callers at a time, words of so many bytes.
const (
	callers   = 64
	wordBytes = 64 << 10
)

// word is what a process tells.
type word struct {
	Token   string        `json:"token"`
	Error   *result.Error `json:"error,omitempty"`   // that ends the run
	Working bool          `json:"working,omitempty"` // it is at work, and does not only wait for others
}

// answer is what the station tells.
type answer struct {
	Quiet *float64 `json:"quiet_seconds,omitempty"` // since any process was at work; absent where none has said so yet
}

// Station is where rank 0 listens.
type Station struct {
	listener net.Listener
	token    string
	receive  func(result.Error)
	slots    chan struct{}

	mu    sync.Mutex
	heard time.Time
}

// Open opens a station on all interfaces of the node, or with local only for its own processes. Each error that comes is
// handed to receive, which may be called several times at once.
func Open(local bool, receive func(result.Error)) (*Station, error) {
	address := ":0"
	if local {
		address = "localhost:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("port for errors of the other ranks: %w", err)
	}
	s := &Station{listener: listener, token: rand.Text(), receive: receive, slots: make(chan struct{}, callers)}
	go s.listen()
	return s, nil
}

// Close closes the station.
func (s *Station) Close() error { return s.listener.Close() }

// Line is how processes reach the station. It goes to them as JSON.
func (s *Station) Line() (Line, error) {
	at := s.listener.Addr().(*net.TCPAddr)
	l := Line{Token: s.token}
	if !at.IP.IsUnspecified() {
		l.Addresses = []string{at.String()}
		return l, nil
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return l, fmt.Errorf("addresses of this node: %w", err)
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			l.Addresses = append(l.Addresses, (&net.TCPAddr{IP: n.IP, Port: at.Port}).String())
		}
	}
	return l, nil
}

// Heard is when a process was last at work, as far as the station was told; zero where it never was.
func (s *Station) Heard() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard
}

// listen takes calls until the station is closed.
func (s *Station) listen() {
	for {
		s.slots <- struct{}{}
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		go func() {
			defer func() { <-s.slots }()
			if err == nil {
				s.serve(conn)
			}
		}()
	}
}

// serve hears a word and answers it. A caller that is not of this run gets no answer.
func (s *Station) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(Deadline)) // fails only where the next call does
	var w word
	if json.NewDecoder(io.LimitReader(conn, wordBytes)).Decode(&w) != nil ||
		subtle.ConstantTimeCompare([]byte(w.Token), []byte(s.token)) != 1 {
		return
	}
	s.mu.Lock()
	if w.Working {
		s.heard = time.Now()
	}
	var a answer
	if !s.heard.IsZero() {
		quiet := time.Since(s.heard).Seconds()
		a.Quiet = &quiet
	}
	s.mu.Unlock()
	if w.Error != nil {
		s.receive(*w.Error)
	}
	_ = json.NewEncoder(conn).Encode(a) // a caller that is gone needs none
}
