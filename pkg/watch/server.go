package watch

import (
	"cmp"
	"errors"
	"net"
	"time"
)

// callers is the number of messages that a server reads at the same time.
const callers = 64

// server reads messages from its ports and answers them.
type server struct {
	ports  []net.Listener
	token  string
	handle func(word) answer
	slots  chan struct{}
	until  func() time.Time // the deadline of a message that begins to arrive now
}

// within returns a function for server.until, with the longest time of a message; 0 is the constant Deadline.
func within(longest time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(cmp.Or(longest, Deadline)) }
}

// serve returns a server at the socket of a process.
func (a Address) serve(rank int, handle func(word) answer, until func() time.Time) (*server, error) {
	at := a.socket(rank)
	port, err := net.Listen(at.network, at.address)
	if err != nil {
		return nil, err
	}
	s := &server{token: a.Token, handle: handle, slots: make(chan struct{}, callers), until: until}
	s.accept(port)
	return s, nil
}

// Close closes the ports.
func (s *server) Close() error {
	var errs []error
	for _, port := range s.ports {
		errs = append(errs, port.Close())
	}
	return errors.Join(errs...)
}

// accept accepts connections to a port until the server is closed.
func (s *server) accept(port net.Listener) {
	s.ports = append(s.ports, port)
	go func() {
		for {
			s.slots <- struct{}{}
			conn, err := port.Accept()
			if errors.Is(err, net.ErrClosed) {
				<-s.slots
				return
			}
			until := s.until()
			go func() {
				if err != nil {
					<-s.slots
					return
				}
				s.serve(conn, until)
			}()
		}
	}()
}

// serve reads a message until a deadline, and answers it. A caller without the token of the run gets no answer. Only
// reading keeps a slot, so that all messages that wait for the same event can wait at the same time.
func (s *server) serve(conn net.Conn, until time.Time) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(until) // fails only if the next call does
	var w word
	received, err := read(conn, s.token, nil, &w)
	<-s.slots
	if err != nil {
		return
	}
	told := s.handle(w)
	_ = conn.SetDeadline(s.until())
	_, _ = write(conn, s.token, received, told) // a caller that is gone needs none
}
