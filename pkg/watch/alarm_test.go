package watch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
)

// later returns a deadline that no message reaches.
func later() time.Time { return time.Now().Add(time.Hour) }

// hub is a listener with the notices that it has received.
type hub struct {
	*Listener
	notices chan ErrorNotice
}

func beginAlarm(t *testing.T, others bool) hub {
	t.Helper()
	return beginUntil(t, others, later)
}

// beginUntil is like beginAlarm, with a function that returns the deadlines of messages.
func beginUntil(t *testing.T, others bool, until func() time.Time) hub {
	t.Helper()
	h := hub{notices: make(chan ErrorNotice, 10)}
	var err error
	if h.Listener, err = newListener(others, func(n ErrorNotice) { h.notices <- n }, until); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// from returns the address for use by the process rank, with a time limit that no message reaches.
func (h hub) from(t *testing.T, rank, leader int) RankZeroAddress {
	t.Helper()
	data, err := json.Marshal(h.Address()) // a run sends the address as JSON
	if err != nil {
		t.Fatal(err)
	}
	var passed RankZeroAddress
	if err := json.Unmarshal(data, &passed); err != nil {
		t.Fatal(err)
	}
	return passed.ForRank(rank, leader, time.Hour)
}

// told returns the notice that the listener has received, or fails the test.
func (h hub) told(t *testing.T) (n ErrorNotice) {
	t.Helper()
	select {
	case n = <-h.notices:
	default:
		t.Fatal("no error has come")
	}
	return n
}

// nothing fails the test if the listener has received a notice.
func (h hub) nothing(t *testing.T) {
	t.Helper()
	select {
	case n := <-h.notices:
		t.Errorf("notice %+v", n)
	default:
	}
}

// failure returns the notice of a rank that has failed.
func failure(rank int) ErrorNotice {
	return NewNotice(result.Error{Phase: "transfer", Rank: rank, Ranks: 1, Message: "no space left on device"}, rank)
}

func TestAnErrorReachesTheListenerBeforeSendReturns(t *testing.T) {
	for _, others := range []bool{true, false} {
		h := beginAlarm(t, others)
		if err := h.from(t, 5, 0).SendNotice(failure(5)); err != nil {
			t.Fatal(err)
		}
		if n := h.told(t); n.Error != failure(5).Error || n.Failure().Ranks != 1 {
			t.Errorf("notice %+v", n)
		}
	}
}

func TestAListenerOfOneNodeHasNoPort(t *testing.T) {
	if a := beginAlarm(t, false).Address(); len(a.Endpoints) > 0 {
		t.Errorf("endpoints %v", a.Endpoints)
	}
}

func TestOtherNodesDoNotCallLoopbackAddresses(t *testing.T) {
	for _, e := range beginAlarm(t, true).Address().Endpoints {
		if at, err := netip.ParseAddrPort(e); err != nil || at.Addr().IsLoopback() {
			t.Errorf("endpoint %s, %v", e, err)
		}
	}
}

func TestOtherCallersAreNotHeard(t *testing.T) {
	h := beginAlarm(t, false)
	l := h.from(t, 1, 0)
	for name, text := range map[string]string{
		"another token": `{"body":"e30=","proof":"e30="}`,
		"too long":      `{"body":"` + strings.Repeat("x", 2*maxEnvelopeBytes),
	} {
		conn, err := net.Dial("unix", l.socketOfRank(0).address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(text))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%s got an answer", name)
		}
	}
	h.nothing(t)
	if heard, err := l.SendPulse(false); err != nil || !heard.IsZero() {
		t.Errorf("heard of work %v, %v", heard, err)
	}
}

func TestSilentCallersDoNotKeepOthersOut(t *testing.T) {
	var calls atomic.Int32
	l := beginUntil(t, false, func() time.Time {
		if calls.Add(1) <= maxCallers {
			return time.Now()
		}
		return later()
	}).from(t, 1, 0)
	for range maxCallers {
		conn, err := net.Dial("unix", l.socketOfRank(0).address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	if _, err := l.SendPulse(true); err != nil {
		t.Error(err)
	}
}

func TestWorkIsHeardOf(t *testing.T) {
	s := beginAlarm(t, false)
	l := s.from(t, 1, 0)
	if heard, err := l.SendPulse(false); err != nil || !heard.IsZero() || !s.LastPulse().IsZero() {
		t.Errorf("before anybody was at work: heard %v, %v", heard, err)
	}
	before := time.Now()
	if heard, err := l.SendPulse(true); err != nil || heard.Before(before) || heard.After(time.Now()) {
		t.Errorf("heard %v, %v; asked after %v", heard, err, before)
	}
	first := s.LastPulse()
	if heard, err := l.SendPulse(false); err != nil || heard.IsZero() || !s.LastPulse().Equal(first) {
		t.Errorf("a process that waits counts as one at work: %v, %v", heard, err)
	}
}

func TestAListenerThatIsGoneIsAnErrorInTime(t *testing.T) {
	h := beginAlarm(t, true)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	l := h.from(t, 9, 8)
	l.Endpoints = append(l.Endpoints, "192.0.2.1:9") // no such host, by RFC 5737
	l.deadline = 0
	start := time.Now()
	if err := l.SendNotice(failure(9)); err == nil || !strings.Contains(err.Error(), "rank 8: ") ||
		!strings.Contains(err.Error(), "rank 0: ") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// foreign returns the endpoint of a program that does not belong to the run. It handles each connection with serve.
func foreign(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Close() })
	go func() {
		for conn, err := port.Accept(); err == nil; conn, err = port.Accept() {
			go func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			}()
		}
	}()
	return port.Addr().String()
}

// strangers are programs that may listen where a rank expects the listener.
var strangers = map[string]func(net.Conn){
	"closes":        func(net.Conn) {},
	"reads, closes": func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<10)) },
	"garbage":       func(c net.Conn) { _, _ = c.Write([]byte("220 ready\r\n")) },
	"an answer without proof": func(c net.Conn) {
		_ = json.NewEncoder(c).Encode(envelope{Body: []byte("{}")})
		_, _ = io.Copy(io.Discard, c)
	},
	"echo": func(c net.Conn) { _, _ = io.Copy(c, c) },
	"another run": func(c net.Conn) {
		_, _ = writeEnvelope(c, "other", nil, rankAnswer{})
		_, _ = io.Copy(io.Discard, c)
	},
}

func TestAStrangerDoesNotCountAsTheListener(t *testing.T) {
	for name, serve := range strangers {
		t.Run(name, func(t *testing.T) {
			a := RankZeroAddress{Endpoints: []string{foreign(t, serve)}, Token: rand.Text()}.ForRank(1, 1, time.Hour)
			if err := a.SendNotice(failure(1)); err == nil {
				t.Error("the error counts as delivered")
			} else if !strings.Contains(err.Error(), a.Endpoints[0]) {
				t.Errorf("the error does not name the address: %v", err)
			}
			if heard, err := a.SendPulse(true); err == nil {
				t.Errorf("the pulse counts as delivered, heard %v", heard)
			}
		})
	}
}

func TestAStrangerDoesNotLearnTheToken(t *testing.T) {
	heard := make(chan string, 1)
	a := RankZeroAddress{Token: rand.Text(), Endpoints: []string{foreign(t, func(c net.Conn) {
		text := make([]byte, 1<<10)
		n, _ := c.Read(text)
		heard <- string(text[:n])
	})}}.ForRank(1, 1, time.Hour)
	_ = a.SendNotice(failure(1))
	if text := <-heard; text == "" || strings.Contains(text, a.Token) {
		t.Errorf("it got %q", text)
	}
}

func TestTheListenerIsFoundAmongStrangers(t *testing.T) {
	h := beginAlarm(t, true)
	l := h.from(t, 1, 1)
	forever := make(chan struct{})
	defer close(forever)
	l.Endpoints = []string{"192.0.2.1:9", foreign(t, func(net.Conn) { <-forever })}
	for _, serve := range strangers {
		l.Endpoints = append(l.Endpoints, foreign(t, serve))
	}
	for _, p := range h.ports {
		if at, ok := p.Addr().(*net.TCPAddr); ok {
			l.Endpoints = append(l.Endpoints, (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: at.Port}).String())
		}
	}
	w := rankMessage{Notice: new(failure(1))}
	var at []endpoint
	for _, e := range l.Endpoints {
		at = append(at, endpoint{"tcp", e})
	}
	if _, err := l.sendToAll(at, time.Hour, w); err != nil { // at leaves out the socket, which would answer first
		t.Error(err)
	}
	if n := h.told(t); n.Error.Rank != 1 {
		t.Errorf("notice %+v", n)
	}
}

// While many ranks connect at the same time, the queue of a Unix socket is full.
func TestARankWaitsForRoomInAQueue(t *testing.T) {
	at := RankZeroAddress{Token: rand.Text()}.socketOfRank(0)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		defer func() { _ = unix.Close(fd) }()
		err = errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: at.address}), unix.Listen(fd, 1))
	}
	for err == nil {
		var conn net.Conn
		if conn, err = net.Dial(at.network, at.address); err == nil {
			defer func() { _ = conn.Close() }()
		}
	}
	if !errors.Is(err, unix.EAGAIN) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := at.dialWithRetry(ctx); err == nil || errors.Is(err, unix.EAGAIN) && ctx.Err() == nil {
		t.Errorf("it ends with %v before its time is over", err)
	}
	room, _, err := unix.Accept(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(room) }()
	conn, err := at.dialWithRetry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
