package alarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"h5perf/pkg/result"
)

// Address is how a process reaches the listener.
type Address struct {
	Endpoints []string `json:"endpoints"` // host and port; any one that answers can be used
	Token     string   `json:"token"`     // by which listener and callers know that they belong to the same run

	deadline time.Duration // the longest time of a message; 0 is the constant Deadline
}

// Away returns how a process of another node than that of the listener reaches it: not at loopback addresses, where the
// other node itself would answer.
func (a Address) Away() Address {
	a.Endpoints = slices.DeleteFunc(slices.Clone(a.Endpoints), func(endpoint string) bool {
		at, err := netip.ParseAddrPort(endpoint)
		return err != nil || at.Addr().IsLoopback()
	})
	return a
}

// Send sends an error to the listener, and waits until the listener has handled it, at most for Deadline. It returns an
// error unless the listener of this run has answered.
func (a Address) Send(e result.Error) error {
	_, err := a.call(word{Error: &e})
	return err
}

// Pulse tells the listener whether this process is at work, and returns when any process was last at work. That is
// the zero time if none has reported it yet.
func (a Address) Pulse(working bool) (heard time.Time, err error) {
	told, err := a.call(word{Working: working})
	if err != nil || told.Quiet == nil {
		return time.Time{}, err
	}
	return time.Now().Add(-time.Duration(*told.Quiet * float64(time.Second))), nil
}

// call sends a message to all endpoints at the same time, and returns the first answer of the listener. Another program
// may listen at some of them. The listener may get the message several times.
func (a Address) call(w word) (answer, error) {
	if len(a.Endpoints) == 0 {
		return answer{}, errors.New("no connection to rank 0: no address is known")
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(a.deadline, Deadline))
	defer cancel()
	type attempt struct {
		told answer
		err  error
	}
	attempts := make(chan attempt, len(a.Endpoints))
	for _, endpoint := range a.Endpoints {
		go func() {
			told, err := a.ask(ctx, endpoint, w)
			attempts <- attempt{told, err}
		}()
	}
	errs := []error{}
	for range a.Endpoints {
		first := <-attempts
		if first.err == nil {
			return first.told, nil
		}
		errs = append(errs, first.err)
	}
	return answer{}, errors.Join(errs...)
}

// ask sends a message to an endpoint and returns the answer. It ends with ctx.
func (a Address) ask(ctx context.Context, endpoint string, w word) (told answer, err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return told, fmt.Errorf("no connection to rank 0: %w", err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	sent, err := write(conn, a.Token, nil, w)
	if err == nil {
		_, err = read(conn, a.Token, sent, &told)
	}
	if err != nil {
		return told, fmt.Errorf("no answer of rank 0 from %s: %w", endpoint, err)
	}
	return told, nil
}
