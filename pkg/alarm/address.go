package alarm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"h5perf/pkg/result"
)

// Address is how a process reaches the listener.
type Address struct {
	Endpoints []string `json:"endpoints"` // host and port; any one that answers can be used
	Token     string   `json:"token"`     // shows that the caller belongs to the run

	deadline time.Duration // the longest time of a message; 0 is the constant Deadline
}

// Send sends an error to the listener, and waits until the listener has handled it, at most for Deadline. If the
// listener closes the connection without an answer, because it ends its process, that is no error.
func (a Address) Send(e result.Error) error {
	_, err := a.call(word{Error: &e})
	if errors.Is(err, io.EOF) {
		return nil
	}
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

// call sends a message and returns the answer.
func (a Address) call(w word) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(a.deadline, Deadline))
	defer cancel()
	w.Token = a.Token
	conn, err := a.dial(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("no connection to rank 0: %w", err)
	}
	defer func() { _ = conn.Close() }()
	end, _ := ctx.Deadline()
	err = conn.SetDeadline(end)
	if err == nil {
		err = json.NewEncoder(conn).Encode(w)
	}
	var told answer
	if err == nil {
		err = json.NewDecoder(io.LimitReader(conn, wordBytes)).Decode(&told)
	}
	if err != nil {
		return answer{}, fmt.Errorf("rank 0 does not answer: %w", err)
	}
	return told, nil
}

// dial connects to all endpoints at the same time and returns the first connection.
func (a Address) dial(ctx context.Context) (net.Conn, error) {
	if len(a.Endpoints) == 0 {
		return nil, errors.New("no address is known yet")
	}
	type attempt struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	attempts := make(chan attempt, len(a.Endpoints))
	for _, endpoint := range a.Endpoints {
		go func() {
			var d net.Dialer
			conn, err := d.DialContext(ctx, "tcp", endpoint)
			attempts <- attempt{conn, err}
		}()
	}
	errs := []error{}
	for i := range a.Endpoints {
		first := <-attempts
		if first.err == nil {
			go func() { // the others are closed when they come
				for range len(a.Endpoints) - i - 1 {
					if late := <-attempts; late.err == nil {
						_ = late.conn.Close()
					}
				}
			}()
			return first.conn, nil
		}
		errs = append(errs, first.err)
	}
	return nil, errors.Join(errs...)
}
