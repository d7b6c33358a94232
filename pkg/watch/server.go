package watch

import (
	"cmp"
	"errors"
	"net"
	"time"
)

// maxCallers is the number of messages that a server reads at the same time.
const maxCallers = 64

// messageServer reads messages from its ports and answers them.
type messageServer struct {
	ports  []net.Listener
	token  string
	handle func(rankMessage) rankAnswer
	slots  chan struct{}
	until  func() time.Time // the deadline of a message that begins to arrive now
}

// deadlineFunc returns a function that computes the deadline of a message that begins to arrive now. longest is the
// time limit of a message; 0 means the constant Deadline.
func deadlineFunc(longest time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(cmp.Or(longest, Deadline)) }
}

// newServer starts a server that listens at the Unix socket of a rank.
func (a RankZeroAddress) newServer(rank int, handle func(rankMessage) rankAnswer,
	until func() time.Time,
) (*messageServer, error) {
	at := a.socketOfRank(rank)
	port, err := net.Listen(at.network, at.address)
	if err != nil {
		return nil, err
	}
	s := &messageServer{token: a.Token, handle: handle, slots: make(chan struct{}, maxCallers), until: until}
	s.acceptConnections(port)
	return s, nil
}

// Close closes the ports.
func (s *messageServer) Close() error {
	var errs []error
	for _, port := range s.ports {
		errs = append(errs, port.Close())
	}
	return errors.Join(errs...)
}

// acceptConnections accepts connections to a port in a goroutine until the server is closed.
func (s *messageServer) acceptConnections(port net.Listener) {
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
				s.serveConnection(conn, until)
			}()
		}
	}()
}

// serveConnection reads a message and answers it. The message must arrive before the time until. A program that does
// not know the token of the run gets no answer. The number of connections that are being read is limited by slots;
// serveConnection frees its slot after reading, so that any number of messages can wait for their answers at the same
// time.
func (s *messageServer) serveConnection(conn net.Conn, until time.Time) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(until) // if this fails, the next call fails too
	var w rankMessage
	received, err := readEnvelope(conn, s.token, nil, &w)
	<-s.slots
	if err != nil {
		return
	}
	told := s.handle(w)
	_ = conn.SetDeadline(s.until())
	_, _ = writeEnvelope(conn, s.token, received, told) // fails if the caller is gone
}
