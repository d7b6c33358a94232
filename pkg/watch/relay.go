package watch

import (
	"fmt"
	"sync"
	"time"
)

// NoticeRelay passes messages from the processes of a node on to rank 0. It sends the first notice at once. Notices
// that arrive before rank 0 has answered are sent together, as the next message.
type NoticeRelay struct {
	*messageServer
	upstream      RankZeroAddress
	onUndelivered func(ErrorNotice)

	mu          sync.Mutex
	next        *noticeBatch // notices that are to be sent; nil if there are none
	busy        bool         // sendNotices runs in a goroutine
	undelivered bool         // a notice could not be sent to rank 0; take ends the job
}

// noticeBatch is one message to rank 0, which combines the notices of several processes.
type noticeBatch struct {
	notice ErrorNotice
	done   chan struct{} // closed when the message was sent, or take has returned
}

// StartRelay starts the relay of a node, on the first process of the node. If a notice cannot be sent to rank 0, the
// relay calls the function take with the notice, which must end the job.
func (a RankZeroAddress) StartRelay(take func(ErrorNotice)) (*NoticeRelay, error) {
	return a.newRelay(take, deadlineFunc(a.deadline))
}

// newRelay does the same as StartRelay, but takes a function until, which is called when a message begins to arrive,
// and returns the deadline of the message.
func (a RankZeroAddress) newRelay(take func(ErrorNotice), until func() time.Time) (*NoticeRelay, error) {
	r := &NoticeRelay{upstream: a, onUndelivered: take}
	var err error
	if r.messageServer, err = a.newServer(a.rank, r.handleMessage, until); err != nil {
		return nil, fmt.Errorf("socket for errors of the ranks of this node: %w", err)
	}
	return r, nil
}

// handleMessage passes a message on to rank 0 and returns the answer for the sender.
func (r *NoticeRelay) handleMessage(w rankMessage) rankAnswer {
	if w.Notice != nil {
		r.passNotice(*w.Notice)
		return rankAnswer{}
	}
	told, err := r.upstream.sendMessage(w)
	if err != nil {
		told.RelayError = err.Error()
	}
	return told
}

// passNotice adds a notice to the next message to rank 0, and returns when that message was sent, or when the job is
// being ended because it could not be sent.
func (r *NoticeRelay) passNotice(n ErrorNotice) {
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

// sendNotices sends notices until there are no more. If sending has failed once, it never sends again, also in later
// calls, but calls take with each notice.
func (r *NoticeRelay) sendNotices() {
	for {
		r.mu.Lock()
		now := r.next
		r.next = nil
		r.busy = now != nil
		lost := r.undelivered
		r.mu.Unlock()
		if now == nil {
			return
		}
		if lost = lost || r.upstream.SendNotice(now.notice) != nil; lost {
			r.onUndelivered(now.notice)
		}
		r.mu.Lock()
		r.undelivered = lost
		r.mu.Unlock()
		close(now.done)
	}
}
