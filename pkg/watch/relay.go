package watch

import (
	"fmt"
	"sync"
	"time"
)

// Relay passes the messages of the processes of a node on to rank 0. It sends the first notice at once. Those that come
// while a notice is under way make one message together.
type Relay struct {
	*server
	up   Address
	take func(Notice)

	mu   sync.Mutex
	next *batch // of notices that are to be sent; nil if there are none
	busy bool   // a goroutine sends
	lost bool   // rank 0 could not be told: the job is being ended
}

// batch is a message for rank 0, of several processes.
type batch struct {
	notice Notice
	done   chan struct{} // closed when it is delivered
}

// Relay starts the relay of a node, on its first process. If rank 0 cannot be told of an error, take is called with the
// notice, and has to end the job.
func (a Address) Relay(take func(Notice)) (*Relay, error) { return a.relay(take, within(a.deadline)) }

// relay is Relay with the deadline of a message that begins to arrive now.
func (a Address) relay(take func(Notice), until func() time.Time) (*Relay, error) {
	r := &Relay{up: a, take: take}
	var err error
	if r.server, err = a.serve(a.rank, r.handle, until); err != nil {
		return nil, fmt.Errorf("socket for errors of the ranks of this node: %w", err)
	}
	return r, nil
}

// handle handles a message and returns the answer.
func (r *Relay) handle(w word) answer {
	if w.Notice != nil {
		r.pass(*w.Notice)
		return answer{}
	}
	told, err := r.up.call(w)
	if err != nil {
		told.Lost = err.Error()
	}
	return told
}

// pass adds a notice to the next message, and returns when that is delivered.
func (r *Relay) pass(n Notice) {
	r.mu.Lock()
	if r.next == nil {
		r.next = &batch{n, make(chan struct{})}
	} else {
		r.next.notice.Add(n)
	}
	mine := r.next
	if !r.busy {
		r.busy = true
		go r.send()
	}
	r.mu.Unlock()
	<-mine.done
}

// send sends notices until there are none. After a failure it does not try again, nor does a later call.
func (r *Relay) send() {
	for {
		r.mu.Lock()
		now := r.next
		r.next = nil
		r.busy = now != nil
		lost := r.lost
		r.mu.Unlock()
		if now == nil {
			return
		}
		if lost = lost || r.up.Send(now.notice) != nil; lost {
			r.take(now.notice)
		}
		r.mu.Lock()
		r.lost = lost
		r.mu.Unlock()
		close(now.done)
	}
}
