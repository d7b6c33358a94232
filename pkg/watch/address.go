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

// RankZeroAddress tells a process how to reach rank 0.
type RankZeroAddress struct {
	Endpoints []string `json:"endpoints"` // host and port, for other nodes; any that answers can be used
	Token     string   `json:"token"`     // secret that all processes of the run share

	rank, leader int           // rank of this process; rank of the first process on its node
	deadline     time.Duration // time limit of a message; 0 means the constant Deadline, or twice that
}

// ForRank returns the address for use by the process with the given rank. leader is the rank of the first process on
// its node. deadline is the time limit of a message; 0 means the constant Deadline.
func (a RankZeroAddress) ForRank(rank, leader int, deadline time.Duration) RankZeroAddress {
	a.rank, a.leader, a.deadline = rank, leader, deadline
	return a
}

// endpoint is an address that a process listens at.
type endpoint struct{ network, address string }

// socketOfRank returns the Unix socket at which a process listens for processes on its node. The socket is abstract and
// needs no file system. Its name does not reveal the token, since all users of the node can see the name.
func (a RankZeroAddress) socketOfRank(rank int) endpoint {
	name := messageProof(a.Token, []byte("socket"), []byte(strconv.Itoa(rank)))
	return endpoint{"unix", "@h5perf-" + hex.EncodeToString(name[:16])}
}

// SendNotice sends a notice to rank 0 and waits for the answer, at most a few times as long as Deadline. If it returns
// nil, rank 0 has received the notice, or the first process of this node will end the job instead of rank 0.
func (a RankZeroAddress) SendNotice(n ErrorNotice) error {
	_, err := a.sendMessage(rankMessage{Notice: &n})
	return err
}

// SendPulse reports to rank 0 whether this process is at work. It returns the time at which any process last was at
// work, or the zero time if no process has reported this yet.
func (a RankZeroAddress) SendPulse(working bool) (heard time.Time, err error) {
	told, err := a.sendMessage(rankMessage{Working: working})
	if err != nil || told.SinceLastWork == nil {
		return time.Time{}, err
	}
	return time.Now().Add(-time.Duration(*told.SinceLastWork * float64(time.Second))), nil
}

// sendMessage sends a message to the first process of the node, which passes it on to rank 0. If that process does not
// answer, or is this process, sendMessage sends the message to rank 0 directly.
func (a RankZeroAddress) sendMessage(w rankMessage) (rankAnswer, error) {
	if a.Token == "" {
		return rankAnswer{}, errors.New("no connection to rank 0: no address is known yet")
	}
	var failed error
	if a.leader != 0 && a.rank != a.leader {
		told, err := a.sendToAll([]endpoint{a.socketOfRank(a.leader)}, 2*Deadline, w)
		switch {
		case err == nil && told.RelayError == "":
			return told, nil
		case err == nil:
			return told, fmt.Errorf("rank %d cannot reach rank 0: %s", a.leader, told.RelayError)
		}
		failed = fmt.Errorf("rank %d: %w", a.leader, err)
	}
	direct := []endpoint{a.socketOfRank(0)} // even if leader is not 0: MPI may treat one host as several nodes
	if a.leader != 0 {
		for _, e := range a.Endpoints {
			direct = append(direct, endpoint{"tcp", e})
		}
	}
	told, err := a.sendToAll(direct, Deadline, w)
	if err != nil {
		return told, errors.Join(failed, fmt.Errorf("rank 0: %w", err))
	}
	return told, nil
}

// sendToAll sends a message to all endpoints at the same time, and returns the first answer from a process of this
// run. Another program may listen at some of the endpoints. If rank 0 listens at several endpoints, it may receive the
// message several times.
func (a RankZeroAddress) sendToAll(at []endpoint, longest time.Duration, w rankMessage) (rankAnswer, error) {
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

// askEndpoint sends a message to an endpoint and returns the answer. It gives up when ctx ends.
func (a RankZeroAddress) askEndpoint(ctx context.Context, at endpoint, w rankMessage) (told rankAnswer, err error) {
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

// dialWithRetry connects to an endpoint. While the queue of a Unix socket is full, it tries again: the kernel does so
// only for TCP.
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
