package watch

import (
	"fmt"
	"sync"
	"time"
)

// Relay passes the messages of the processes of a node on to rank 0. It sends the first notice at once. Those that
// come while a notice is under way make one message together.
type Relay struct {
	*server
	up   Address
	take func(Notice)

	mu   sync.Mutex
	next *noticeBatch // of notices that are to be sent; nil if there are none
	busy bool         // a goroutine sends
	lost bool         // rank 0 could not be told: the job is being ended
}

// noticeBatch is a message for rank 0, of several processes.
type noticeBatch struct {
	notice Notice
	done   chan struct{} // closed when it is delivered
}

// StartRelay starts the relay of a node, on its first process. If rank 0 cannot be told of an error, take is called
// with the notice, and has to end the job.
func (a Address) StartRelay(take func(Notice)) (*Relay, error) {
	return a.newRelay(take, deadlineFunc(a.deadline))
}

// newRelay is Relay with the deadline of a message that begins to arrive now.
func (a Address) newRelay(take func(Notice), until func() time.Time) (*Relay, error) {
	r := &Relay{up: a, take: take}
	var err error
	if r.server, err = a.newServer(a.rank, r.handleMessage, until); err != nil {
		return nil, fmt.Errorf("socket for errors of the ranks of this node: %w", err)
	}
	return r, nil
}

// handleMessage handles a message and returns the answer.
func (r *Relay) handleMessage(w rankMessage) rankAnswer {
	if w.Notice != nil {
		r.passNotice(*w.Notice)
		return rankAnswer{}
	}
	told, err := r.up.sendMessage(w)
	if err != nil {
		told.Lost = err.Error()
	}
	return told
}

// passNotice adds a notice to the next message, and returns when that is delivered.
func (r *Relay) passNotice(n Notice) {
	r.mu.Lock()
	if r.next == nil {
		r.next = &noticeBatch{n, make(chan struct{})}
	} else {
		r.next.notice.Add(n)
	}
	mine := r.next
	if !r.busy {
		r.busy = true
		go r.sendNotices()
	}
	r.mu.Unlock()
	<-mine.done
}

// sendNotices sends notices until there are none. After a failure it does not try again, nor does a later call.
func (r *Relay) sendNotices() {
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
		if lost = lost || r.up.SendNotice(now.notice) != nil; lost {
			r.take(now.notice)
		}
		r.mu.Lock()
		r.lost = lost
		r.mu.Unlock()
		close(now.done)
	}
}
