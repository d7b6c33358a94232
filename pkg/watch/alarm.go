// This file sends messages between the processes of a run. It uses neither MPI nor the file system, which may hang. The
// processes report errors that end the run, and that they are at work. The processes of a node send their messages to
// the first process of the node, through a Unix socket. The first process of each node sends them to rank 0, over TCP.

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

// rankMessage is a message from a process to rank 0.
type rankMessage struct {
	Notice  *ErrorNotice `json:"notice,omitempty"`  // an error that ends the run
	Working bool         `json:"working,omitempty"` // the process is at work, and not only waiting for others
}

// rankAnswer is the answer to a rankMessage.
type rankAnswer struct {
	// time since a process last reported work; absent if none has
	SinceLastWork *float64 `json:"quiet_seconds,omitempty"`
	RelayError    string   `json:"lost,omitempty"` // why a pulse could not be sent to rank 0
}

// Listener receives the messages of the other processes on rank 0.
type Listener struct {
	*messageServer
	address RankZeroAddress
	receive func(ErrorNotice)

	mu        sync.Mutex
	lastPulse time.Time
}

// Listen listens for processes of this node and, if others is true, for processes of other nodes. It calls receive for
// each notice that arrives, possibly from several goroutines at the same time. The sender waits until receive returns.
// For deadline, see Address.ForRank.
func Listen(others bool, deadline time.Duration, receive func(ErrorNotice)) (*Listener, error) {
	return newListener(others, receive, deadlineFunc(deadline))
}

// newListener does the same as Listen, but takes a function until, which is called when a message begins to arrive, and
// returns the deadline of the message.
func newListener(others bool, receive func(ErrorNotice), until func() time.Time) (*Listener, error) {
	l := &Listener{address: RankZeroAddress{Token: rand.Text()}, receive: receive}
	var err error
	if l.messageServer, err = l.address.newServer(0, l.handleMessage, until); err != nil {
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

// openTCP opens a TCP port for other nodes, and returns its addresses. The result does not contain the address of the
// loopback interface, with which other nodes would reach themselves.
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

// Address returns the address of the listener. It is sent to the other processes as JSON.
func (l *Listener) Address() RankZeroAddress { return l.address }

// LastPulse returns when a process last reported that it is at work, or the zero time if none has.
func (l *Listener) LastPulse() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastPulse
}

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
	return rankAnswer{SinceLastWork: new(time.Since(l.lastPulse).Seconds())}
}
