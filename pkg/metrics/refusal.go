package metrics

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
)

// explained makes a transport tell why a server refuses the client in TLS. With TLS 1.3 the reason comes when the client's
// handshake has ended already, and the connection ends with it: what the client writes meanwhile fails without a reason, and
// which of the two is told is a matter of chance. So the transport speaks HTTP/1.1, which reads while it writes, and what is
// read first is the reason of a write that fails. Behind a proxy chance decides still.
func explained(transport *http.Transport) {
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialer := tls.Dialer{Config: transport.TLSClientConfig}
		c, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &connection{Conn: c, read: make(chan struct{})}, nil
	}
}

// connection is one that is read while it is written.
type connection struct {
	net.Conn
	first  sync.Once
	read   chan struct{} // closed when the first read has ended
	reason error         // why that failed, if it did
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.first.Do(func() {
		c.reason = err
		close(c.read)
	})
	return n, err
}

func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		<-c.read // the connection is broken: a read ends
		err = errors.Join(c.reason, err)
	}
	return n, err
}

// refusal is what the other end of a TLS connection objects to, if that is what an error is about.
func refusal(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" { // as crypto/tls calls it
		return e
	}
	return nil
}
