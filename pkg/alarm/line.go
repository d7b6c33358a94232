package alarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"h5perf/pkg/result"
)

// Line is how a process reaches the station.
type Line struct {
	Addresses []string `json:"addresses"` // host and port; any that answers will do
	Token     string   `json:"token"`     // shows that the caller is of the run
}

// Send tells the station of an error and waits until it has dealt with it, but no longer than Deadline. A station that deals
// with it by ending its process gives no answer, which is no error.
func (l Line) Send(e result.Error) error {
	_, err := l.call(word{Error: &e})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Pulse tells the station whether this process is at work, and returns when any process was last at work; zero where none
// has said so yet.
func (l Line) Pulse(working bool) (heard time.Time, err error) {
	a, err := l.call(word{Working: working})
	if err != nil || a.Quiet == nil {
		return time.Time{}, err
	}
	return time.Now().Add(-time.Duration(*a.Quiet * float64(time.Second))), nil
}

// call says a word and returns the answer.
func (l Line) call(w word) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	w.Token = l.Token
	conn, err := l.dial(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("rank 0 cannot be told: %w", err)
	}
	defer func() { _ = conn.Close() }()
	end, _ := ctx.Deadline()
	err = conn.SetDeadline(end)
	if err == nil {
		err = json.NewEncoder(conn).Encode(w)
	}
	var a answer
	if err == nil {
		err = json.NewDecoder(io.LimitReader(conn, wordBytes)).Decode(&a)
	}
	if err != nil {
		return answer{}, fmt.Errorf("rank 0 does not answer: %w", err)
	}
	return a, nil
}

// dial tries all addresses at once and returns the connection that is there first.
func (l Line) dial(ctx context.Context) (net.Conn, error) {
	if len(l.Addresses) == 0 {
		return nil, errors.New("no address is known yet")
	}
	type attempt struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	attempts := make(chan attempt, len(l.Addresses))
	for _, address := range l.Addresses {
		go func() {
			var d net.Dialer
			conn, err := d.DialContext(ctx, "tcp", address)
			attempts <- attempt{conn, err}
		}()
	}
	errs := []error{}
	for i := range l.Addresses {
		a := <-attempts
		if a.err == nil {
			go func() { // the others are closed when they come
				for range len(l.Addresses) - i - 1 {
					if late := <-attempts; late.err == nil {
						_ = late.conn.Close()
					}
				}
			}()
			return a.conn, nil
		}
		errs = append(errs, a.err)
	}
	return nil, errors.Join(errs...)
}
