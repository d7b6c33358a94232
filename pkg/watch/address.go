package watch

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Address is how a process reaches rank 0.
type Address struct {
	Endpoints []string `json:"endpoints"` // host and port, for other nodes; any one that answers can be used
	Token     string   `json:"token"`     // by which the processes of a run know one another

	rank, leader int           // of this process; and of the first process of its node
	deadline     time.Duration // the longest time of a message; 0 is the constant Deadline, or twice that
}

// ForRank returns the address as a process uses it. leader is the rank of the first process of its node. deadline is
// the longest time of a message; 0 is the constant Deadline.
func (a Address) ForRank(rank, leader int, deadline time.Duration) Address {
	a.rank, a.leader, a.deadline = rank, leader, deadline
	return a
}

// endpoint is where a process listens.
type endpoint struct{ network, address string }

// socketOfRank returns the socket of a process, for its node: an abstract one, which needs no file system. Its name
// does not show the token, since all users of the node see it.
func (a Address) socketOfRank(rank int) endpoint {
	name := messageProof(a.Token, []byte("socket"), []byte(strconv.Itoa(rank)))
	return endpoint{"unix", "@h5perf-" + hex.EncodeToString(name[:16])}
}

// SendNotice sends a notice to rank 0 and waits for the answer, at most for some times Deadline. Without an error, rank
// 0 has received the notice, or the first process of this node ends the job in its place.
func (a Address) SendNotice(n Notice) error {
	_, err := a.sendMessage(rankMessage{Notice: &n})
	return err
}

// SendPulse tells rank 0 whether this process is at work, and returns when any process was last at work. That is the
// zero time if none has reported it yet.
func (a Address) SendPulse(working bool) (heard time.Time, err error) {
	told, err := a.sendMessage(rankMessage{Working: working})
	if err != nil || told.Quiet == nil {
		return time.Time{}, err
	}
	return time.Now().Add(-time.Duration(*told.Quiet * float64(time.Second))), nil
}

// sendMessage sends a message to the first process of the node, which passes it on. If that process does not answer,
// call sends the message to rank 0 itself, as the first process of each node does.
func (a Address) sendMessage(w rankMessage) (rankAnswer, error) {
	if a.Token == "" {
		return rankAnswer{}, errors.New("no connection to rank 0: no address is known yet")
	}
	var failed error
	if a.leader != 0 && a.rank != a.leader {
		told, err := a.firstAnswer([]endpoint{a.socketOfRank(a.leader)}, 2*Deadline, w)
		switch {
		case err == nil && told.Lost == "":
			return told, nil
		case err == nil:
			return told, fmt.Errorf("rank %d cannot reach rank 0: %s", a.leader, told.Lost)
		}
		failed = fmt.Errorf("rank %d: %w", a.leader, err)
	}
	direct := []endpoint{a.socketOfRank(0)} // on other nodes too: MPI may take one host for several
	if a.leader != 0 {
		for _, e := range a.Endpoints {
			direct = append(direct, endpoint{"tcp", e})
		}
	}
	told, err := a.firstAnswer(direct, Deadline, w)
	if err != nil {
		return told, errors.Join(failed, fmt.Errorf("rank 0: %w", err))
	}
	return told, nil
}

// firstAnswer sends a message to all endpoints at the same time, and returns the first answer from this run. Another
// program may listen at some of them. The listener may get the message several times.
func (a Address) firstAnswer(at []endpoint, longest time.Duration, w rankMessage) (rankAnswer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(a.deadline, longest))
	defer cancel()
	type attempt struct {
		told rankAnswer
		err  error
	}
	attempts := make(chan attempt, len(at))
	for _, e := range at {
		go func() {
			told, err := a.askEndpoint(ctx, e, w)
			attempts <- attempt{told, err}
		}()
	}
	errs := []error{}
	for range at {
		first := <-attempts
		if first.err == nil {
			return first.told, nil
		}
		errs = append(errs, first.err)
	}
	return rankAnswer{}, errors.Join(errs...)
}

// askEndpoint sends a message to an endpoint and returns the answer. It ends with ctx.
func (a Address) askEndpoint(ctx context.Context, at endpoint, w rankMessage) (told rankAnswer, err error) {
	conn, err := at.dialWithRetry(ctx)
	if err != nil {
		return told, fmt.Errorf("no connection: %w", err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	sent, err := writeEnvelope(conn, a.Token, nil, w)
	if err == nil {
		_, err = readEnvelope(conn, a.Token, sent, &told)
	}
	if err != nil {
		return told, fmt.Errorf("no answer from %s: %w", at.address, err)
	}
	return told, nil
}

// dialWithRetry connects to an endpoint. While the queue of a Unix socket is full, it tries again: unlike TCP, the
// kernel does not.
func (e endpoint) dialWithRetry(ctx context.Context) (net.Conn, error) {
	for {
		var d net.Dialer
		conn, err := d.DialContext(ctx, e.network, e.address)
		if !errors.Is(err, unix.EAGAIN) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(time.Millisecond + rand.N(10*time.Millisecond)):
		}
	}
}
