// This file carries messages between the processes of a run without MPI and the file system, which may hang. The
// processes report errors that end the run, and that they are at work. Those of a node tell its first process, through
// a Unix socket. The first processes tell rank 0, over TCP.

package watch

import (
	"crypto/rand"
	"fmt"
	"net"
	"sync"
	"time"
)

// Deadline is the time that a message to rank 0 may take, from the first packet to the answer. Tests may allow more.
const Deadline = time.Second

// rankMessage is the message of a process.
type rankMessage struct {
	Notice  *Notice `json:"notice,omitempty"`  // of an error that ends the run
	Working bool    `json:"working,omitempty"` // it is at work, and not only waiting for others
}

// rankAnswer is the answer to a message.
type rankAnswer struct {
	Quiet *float64 `json:"quiet_seconds,omitempty"` // since any process was at work; absent if none has reported it
	Lost  string   `json:"lost,omitempty"`          // why rank 0 could not be told of a pulse
}

// Listener receives the messages on rank 0.
type Listener struct {
	*server
	address Address
	receive func(Notice)

	mu        sync.Mutex
	lastPulse time.Time
}

// Listen listens for processes of this node, and with others for processes of other nodes. It calls receive with each
// notice that arrives, possibly from several goroutines at the same time. The sender waits until receive returns.
// deadline is that of Address.ForRank.
func Listen(others bool, deadline time.Duration, receive func(Notice)) (*Listener, error) {
	return newListener(others, receive, deadlineFunc(deadline))
}

// newListener is Listen with the deadline of a message that begins to arrive now.
func newListener(others bool, receive func(Notice), until func() time.Time) (*Listener, error) {
	l := &Listener{address: Address{Token: rand.Text()}, receive: receive}
	var err error
	if l.server, err = l.address.newServer(0, l.handleMessage, until); err != nil {
		return nil, fmt.Errorf("socket for errors of the other ranks: %w", err)
	}
	if others {
		if l.address.Endpoints, err = l.openTCP(); err != nil {
			_ = l.Close()
			return nil, fmt.Errorf("port for errors of the ranks of other nodes: %w", err)
		}
	}
	return l, nil
}

// openTCP opens a port for other nodes, and returns its addresses. That of the loopback interface is not among them:
// other nodes would call themselves.
func (l *Listener) openTCP() (endpoints []string, err error) {
	port, err := net.Listen("tcp", ":0")
	if err != nil {
		return nil, err
	}
	l.acceptConnections(port)
	own, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("addresses of this node: %w", err)
	}
	for _, o := range own {
		if n, ok := o.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() && !n.IP.IsLoopback() {
			endpoints = append(endpoints, (&net.TCPAddr{IP: n.IP, Port: port.Addr().(*net.TCPAddr).Port}).String())
		}
	}
	return endpoints, nil
}

// Address returns how processes reach the listener. It is sent to them as JSON.
func (l *Listener) Address() Address { return l.address }

// LastPulse returns when a process last reported to be at work. That is the zero time if none has.
func (l *Listener) LastPulse() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastPulse
}

// handleMessage handles a message and returns the answer.
func (l *Listener) handleMessage(w rankMessage) rankAnswer {
	if w.Notice != nil {
		l.receive(*w.Notice)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.Working {
		l.lastPulse = time.Now()
	}
	if l.lastPulse.IsZero() {
		return rankAnswer{}
	}
	return rankAnswer{Quiet: new(time.Since(l.lastPulse).Seconds())}
}
