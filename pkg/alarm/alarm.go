// Package alarm carries messages between the processes of a run over TCP, because MPI and the file system may hang.
// Rank 0 listens on a port. The others report errors that end the run, and that they are at work.
package alarm

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"h5perf/pkg/result"
)

// Deadline is the time that a message may take, from the first packet to the answer.
const Deadline = time.Second

// callers is the number of callers that a listener serves at the same time.
const callers = 64

// word is the message of a process.
type word struct {
	Error   *result.Error `json:"error,omitempty"`   // that ends the run
	Working bool          `json:"working,omitempty"` // it is at work, and not only waiting for others
}

// answer is the answer of the listener.
type answer struct {
	Quiet *float64 `json:"quiet_seconds,omitempty"` // since any process was at work; absent if none has reported it
}

// Listener is the port on which rank 0 listens.
type Listener struct {
	port    net.Listener
	token   string
	receive func(result.Error)
	slots   chan struct{}
	until   func() time.Time // the deadline of a message that begins now

	mu    sync.Mutex
	heard time.Time
}

// Listen listens on all interfaces of the node, or with local only for processes of the node. It calls receive with
// each error that arrives, possibly from several goroutines at the same time.
func Listen(local bool, receive func(result.Error)) (*Listener, error) {
	return listen(local, receive, func() time.Time { return time.Now().Add(Deadline) })
}

// listen is Listen with the deadline of a message that begins now.
func listen(local bool, receive func(result.Error), until func() time.Time) (*Listener, error) {
	port, err := open(local)
	if err != nil {
		return nil, fmt.Errorf("port for errors of the other ranks: %w", err)
	}
	l := &Listener{
		port: port, token: rand.Text(), receive: receive, slots: make(chan struct{}, callers), until: until,
	}
	go l.accept()
	return l, nil
}

// open opens a port. The local one is at an address, since the name localhost is not known on every node.
func open(local bool) (net.Listener, error) {
	if !local {
		return net.Listen("tcp", ":0")
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil { // a node without IPv4
		return net.Listen("tcp", "[::1]:0")
	}
	return port, nil
}

// Close closes the port.
func (l *Listener) Close() error { return l.port.Close() }

// Address returns how processes reach the listener. It is sent to them as JSON.
func (l *Listener) Address() (Address, error) {
	at := l.port.Addr().(*net.TCPAddr)
	a := Address{Token: l.token}
	if !at.IP.IsUnspecified() {
		a.Endpoints = []string{at.String()}
		return a, nil
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return a, fmt.Errorf("addresses of this node: %w", err)
	}
	for _, o := range own {
		if n, ok := o.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			a.Endpoints = append(a.Endpoints, (&net.TCPAddr{IP: n.IP, Port: at.Port}).String())
		}
	}
	return a, nil
}

// Heard returns when a process last reported to be at work. That is the zero time if none has.
func (l *Listener) Heard() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

// accept accepts connections until the listener is closed.
func (l *Listener) accept() {
	for {
		l.slots <- struct{}{}
		conn, err := l.port.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		until := l.until()
		go func() {
			defer func() { <-l.slots }()
			if err == nil {
				l.serve(conn, until)
			}
		}()
	}
}

// serve reads a message and answers it, until a deadline. A caller without the token of the run gets no answer.
func (l *Listener) serve(conn net.Conn, until time.Time) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(until) // fails only if the next call does
	var w word
	received, err := read(conn, l.token, nil, &w)
	if err != nil {
		return
	}
	l.mu.Lock()
	if w.Working {
		l.heard = time.Now()
	}
	var a answer
	if !l.heard.IsZero() {
		quiet := time.Since(l.heard).Seconds()
		a.Quiet = &quiet
	}
	l.mu.Unlock()
	if w.Error != nil {
		l.receive(*w.Error)
	}
	_, _ = write(conn, l.token, received, a) // a caller that is gone needs none
}
