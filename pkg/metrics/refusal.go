package metrics

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
)

// reportTLSAlerts makes a transport report why a server refuses the client in TLS. With TLS 1.3, the server's alert
// arrives after the client's handshake, and closes the connection. A write at that time fails without a reason, and it
// depends on timing whether the transport returns this error or the alert. So the transport uses HTTP/1.1, which reads
// while it writes, and a failed write also returns the error of the first read. With a proxy, the returned error still
// depends on timing.
func reportTLSAlerts(transport *http.Transport) {
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialer := tls.Dialer{Config: transport.TLSClientConfig}
		c, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &alertReadingConn{Conn: c, firstReadDone: make(chan struct{})}, nil
	}
}

// alertReadingConn is a connection that is read and written at the same time. The error of a write includes the error
// of the first read.
type alertReadingConn struct {
	net.Conn
	firstRead      sync.Once
	firstReadDone  chan struct{} // closed when the first read has returned
	firstReadError error         // error of the first read
}

func (c *alertReadingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.firstRead.Do(func() {
		c.firstReadError = err
		close(c.firstReadDone)
	})
	return n, err
}

func (c *alertReadingConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		<-c.firstReadDone // the connection is broken, so the read returns
		err = errors.Join(c.firstReadError, err)
	}
	return n, err
}

// tlsAlertError returns the TLS alert in err that the server sent, or nil if err contains no such alert.
func tlsAlertError(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" { // as set by crypto/tls
		return e
	}
	return nil
}
