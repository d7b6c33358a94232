package alarm

import (
	"encoding/json"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h5perf/pkg/result"
)

// later is a deadline that no message needs.
func later() time.Time { return time.Now().Add(time.Hour) }

// begin starts a listener that sends errors to the channel.
func begin(t *testing.T, local bool) (*Listener, Address, chan result.Error) {
	t.Helper()
	return beginUntil(t, local, later)
}

// beginUntil is begin with the deadlines of the listener.
func beginUntil(t *testing.T, local bool, until func() time.Time) (*Listener, Address, chan result.Error) {
	t.Helper()
	errs := make(chan result.Error, 10)
	s, err := listen(local, func(e result.Error) { errs <- e }, until)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l, err := s.Address()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(l) // as it is passed on
	if err != nil {
		t.Fatal(err)
	}
	var passed Address
	if err := json.Unmarshal(data, &passed); err != nil {
		t.Fatal(err)
	}
	passed.deadline = time.Hour
	return s, passed, errs
}

func TestAnErrorReachesTheListenerBeforeSendReturns(t *testing.T) {
	for _, local := range []bool{true, false} {
		_, l, errs := begin(t, local)
		told := result.Error{Phase: "transfer", Rank: 5, Message: "pwrite: no space left on device"}
		if err := l.Send(told); err != nil {
			t.Fatal(err)
		}
		select {
		case e := <-errs:
			if e.Rank != 5 || e.Phase != "transfer" {
				t.Errorf("error %+v", e)
			}
		default:
			t.Error("no error has come")
		}
	}
}

func TestAListenerOfOneNodeIsNotSeenFromOthers(t *testing.T) {
	_, l, _ := begin(t, true)
	for _, a := range l.Endpoints {
		host, _, err := net.SplitHostPort(a)
		if ip := net.ParseIP(host); err != nil || !ip.IsLoopback() {
			t.Errorf("address %s", a)
		}
	}
}

func TestOtherCallersAreNotHeard(t *testing.T) {
	_, l, errs := begin(t, true)
	forged := l
	forged.Token = "wrong"
	if _, err := forged.Pulse(true); err == nil {
		t.Error("a caller with another token got an answer")
	}
	if err := forged.Send(result.Error{Message: "forged"}); err == nil {
		t.Error("an error of a caller with another token counts as delivered")
	}
	conn, err := net.Dial("tcp", l.Endpoints[0])
	if err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Write([]byte(`{"body":"` + strings.Repeat("x", 2*envelopeBytes)))
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("a word that is too long got an answer")
	}
	select {
	case e := <-errs:
		t.Errorf("error %+v of a caller with another token", e)
	default:
	}
	if heard, err := l.Pulse(false); err != nil || !heard.IsZero() {
		t.Errorf("heard of work %v, %v", heard, err)
	}
}

func TestSilentCallersDoNotKeepOthersOut(t *testing.T) {
	var calls atomic.Int32
	_, l, _ := beginUntil(t, true, func() time.Time {
		if calls.Add(1) <= callers {
			return time.Now()
		}
		return later()
	})
	for range callers {
		conn, err := net.Dial("tcp", l.Endpoints[0])
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	if _, err := l.Pulse(true); err != nil {
		t.Error(err)
	}
}

func TestWorkIsHeardOf(t *testing.T) {
	s, l, _ := begin(t, true)
	if heard, err := l.Pulse(false); err != nil || !heard.IsZero() || !s.Heard().IsZero() {
		t.Errorf("before anybody was at work: heard %v, %v", heard, err)
	}
	before := time.Now()
	if heard, err := l.Pulse(true); err != nil || heard.Before(before) || heard.After(time.Now()) {
		t.Errorf("heard %v, %v; asked after %v", heard, err, before)
	}
	first := s.Heard()
	if heard, err := l.Pulse(false); err != nil || heard.IsZero() || !s.Heard().Equal(first) {
		t.Errorf("a process that waits counts as one at work: %v, %v", heard, err)
	}
}

func TestAListenerThatIsGoneIsAnErrorInTime(t *testing.T) {
	s, l, _ := begin(t, true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l.Endpoints = append(l.Endpoints, "192.0.2.1:9") // no such host, by RFC 5737
	l.deadline = 0
	start := time.Now()
	if err := l.Send(result.Error{}); err == nil {
		t.Error("no error")
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
		_, _ = write(c, "other", nil, answer{})
		_, _ = io.Copy(io.Discard, c)
	},
}

func TestAStrangerDoesNotCountAsTheListener(t *testing.T) {
	for name, serve := range strangers {
		t.Run(name, func(t *testing.T) {
			a := Address{Endpoints: []string{foreign(t, serve)}, Token: "secret", deadline: time.Hour}
			if err := a.Send(result.Error{Rank: 1}); err == nil {
				t.Error("the error counts as delivered")
			} else if !strings.Contains(err.Error(), a.Endpoints[0]) {
				t.Errorf("the error does not name the address: %v", err)
			}
			if heard, err := a.Pulse(true); err == nil {
				t.Errorf("the pulse counts as delivered, heard %v", heard)
			}
		})
	}
}

func TestAStrangerDoesNotLearnTheToken(t *testing.T) {
	heard := make(chan string, 1)
	a := Address{Token: "secret", deadline: time.Hour, Endpoints: []string{foreign(t, func(c net.Conn) {
		text := make([]byte, 1<<10)
		n, _ := c.Read(text)
		heard <- string(text[:n])
	})}}
	_ = a.Send(result.Error{Rank: 1})
	if text := <-heard; text == "" || strings.Contains(text, a.Token) {
		t.Errorf("it got %q", text)
	}
}

func TestTheListenerIsFoundAmongStrangers(t *testing.T) {
	_, l, errs := begin(t, true)
	forever := make(chan struct{})
	defer close(forever)
	l.Endpoints = append(l.Endpoints, foreign(t, func(net.Conn) { <-forever }))
	for _, serve := range strangers {
		l.Endpoints = append([]string{foreign(t, serve)}, l.Endpoints...)
	}
	if err := l.Send(result.Error{Rank: 1}); err != nil {
		t.Error(err)
	}
	if e := <-errs; e.Rank != 1 {
		t.Errorf("error %+v", e)
	}
}

func TestOtherNodesDoNotCallLoopbackAddresses(t *testing.T) {
	_, here, _ := begin(t, false)
	if !slices.ContainsFunc(here.Endpoints, func(e string) bool { return strings.HasPrefix(e, "127.0.0.1:") }) {
		t.Errorf("endpoints of the node itself %v", here.Endpoints)
	}
	here.Endpoints = append(here.Endpoints, "127.0.0.2:9", "[::1]:9", "192.0.2.1:9", "[2001:db8::1]:9")
	away := here.Away().Endpoints
	for _, e := range away {
		if strings.HasPrefix(e, "127.") || strings.HasPrefix(e, "[::1]") {
			t.Errorf("endpoint %s of another node", e)
		}
	}
	if !slices.Contains(away, "192.0.2.1:9") || !slices.Contains(away, "[2001:db8::1]:9") {
		t.Errorf("endpoints %v of another node", away)
	}
}

func TestAnyAddressWillDo(t *testing.T) {
	_, l, errs := begin(t, true)
	l.Endpoints = append([]string{"192.0.2.1:9", "127.0.0.1:1"}, l.Endpoints...)
	if err := l.Send(result.Error{Rank: 1}); err != nil {
		t.Error(err)
	}
	if e := <-errs; e.Rank != 1 {
		t.Errorf("error %+v", e)
	}
}
