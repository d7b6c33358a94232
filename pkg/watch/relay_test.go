package watch

import (
	"crypto/rand"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
)

// relays starts the relays of all nodes but the first. Each node has the given number of ranks.
func (h hub) relays(t *testing.T, nodes, ranks int) {
	t.Helper()
	for node := 1; node < nodes; node++ {
		r, err := h.from(t, node*ranks, node*ranks).newRelay(func(n ErrorNotice) {
			t.Errorf("rank 0 could not be told of %+v", n)
		}, later)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
	}
}

// open returns slots for concurrent calls. It limits their number to what this process can open: each call needs four
// file descriptors, including those of its relay.
func open(t *testing.T, calls int) chan struct{} {
	t.Helper()
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	return make(chan struct{}, min(calls, int(min(files.Cur, 1<<20))/4))
}

// All ranks of a large job fail at once.
func TestEachOfManyErrorsIsCounted(t *testing.T) {
	const nodes, ranks = 8, 2000
	var mu sync.Mutex
	var all *ErrorNotice
	messages := 0
	l, err := newListener(true, func(n ErrorNotice) {
		mu.Lock()
		defer mu.Unlock()
		messages++
		if all == nil {
			all = &n
			return
		}
		all.Add(n)
	}, later)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	h := hub{Listener: l}
	h.relays(t, nodes, ranks)
	limit := open(t, nodes*ranks)
	errs := make(chan error, nodes*ranks)
	for rank := range nodes * ranks {
		from := h.from(t, rank, rank/ranks*ranks)
		go func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			errs <- from.SendNotice(failure(rank))
		}()
	}
	var failed []error
	for range nodes * ranks {
		if err := <-errs; err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		t.Fatalf("%d errors were not delivered: %v", len(failed), failed[0])
	}
	if e := all.Failure(); e.Ranks != nodes*ranks {
		t.Errorf("%d ranks were counted", e.Ranks)
	}
	if most := nodes * ranks / 2; messages > most {
		t.Errorf("rank 0 got %d messages", messages)
	}
}

// Errors that arrive while a message is being sent become one message, whatever their number. Each sender waits for it.
func TestErrorsThatComeMeanwhileAreOneMessage(t *testing.T) {
	const more = 2 * maxCallers
	got, goOn := make(chan ErrorNotice), make(chan struct{})
	l, err := newListener(false, func(n ErrorNotice) {
		got <- n
		<-goOn
	}, later)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	h := hub{Listener: l}
	r, err := h.from(t, 4, 4).newRelay(func(n ErrorNotice) { t.Errorf("rank 0 could not be told of %+v", n) }, later)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	answers := make(chan error, 1+more)
	send := func(rank int) {
		from := h.from(t, rank, 4)
		go func() { answers <- from.SendNotice(failure(rank)) }()
	}
	send(5)
	if n := <-got; n.Error.Rank != 5 || len(n.From) != 1 {
		t.Errorf("first message %+v", n)
	}
	for i := range more {
		send(6 + i)
	}
	waiting := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.next == nil {
			return 0
		}
		return len(r.next.notice.From)
	}
	for start := time.Now(); waiting() < more && time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if len(answers) > 0 {
			t.Fatalf("a sender has an answer before the message of its error: %v", <-answers)
		}
	}
	if n := waiting(); n != more {
		t.Fatalf("%d of %d errors wait", n, more)
	}
	goOn <- struct{}{}
	if n := <-got; len(n.From) != more {
		t.Errorf("second message %+v", n)
	}
	goOn <- struct{}{}
	for range 1 + more {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if n := waiting(); n > 0 {
		t.Errorf("%d errors still wait", n)
	}
}

func TestARelayPassesPulsesOn(t *testing.T) {
	h := beginAlarm(t, true)
	h.relays(t, 2, 2)
	before := time.Now()
	if heard, err := h.from(t, 3, 2).SendPulse(true); err != nil || heard.Before(before) ||
		h.LastPulse().Before(before) {
		t.Errorf("heard %v, %v", heard, err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if heard, err := h.from(t, 3, 2).SendPulse(true); err == nil {
		t.Errorf("rank 0 is gone, but heard %v", heard)
	}
}

// If the first process of a node does not answer, the other ranks of the node send their messages to rank 0 directly.
func TestARelayThatIsGoneIsPassedBy(t *testing.T) {
	h := beginAlarm(t, true)
	if err := h.from(t, 3, 2).SendNotice(failure(3)); err != nil {
		t.Error(err)
	}
	if n := h.told(t); n.Error.Rank != 3 {
		t.Errorf("notice %+v", n)
	}
}

// If rank 0 does not answer, the first process of each node must end the job. The other ranks of the node get no error.
func TestARelayTakesWhatCannotBePassedOn(t *testing.T) {
	h := beginAlarm(t, true)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	taken := make(chan ErrorNotice, 2)
	r, err := h.from(t, 2, 2).newRelay(func(n ErrorNotice) { taken <- n }, later)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for range 2 {
		if err := h.from(t, 3, 2).SendNotice(failure(3)); err != nil {
			t.Error(err)
		}
		if n := <-taken; n.Failure().Ranks != 1 || n.Error.Rank != 3 {
			t.Errorf("notice %+v", n)
		}
	}
}

// The answer to a notice means that the job is being ended, so take must return before the rank gets the answer.
func TestARankIsToldOfALostErrorWhenItIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken atomic.Bool
		r := NoticeRelay{onUndelivered: func(ErrorNotice) { // the relay has no address, so it cannot send
			time.Sleep(time.Hour)
			taken.Store(true)
		}}
		r.passNotice(failure(3))
		if !taken.Load() {
			t.Error("the rank was told before")
		}
	})
}

// Once a relay has failed to reach rank 0, the job is being ended, so it does not wait for rank 0 again.
func TestARelayDoesNotCallALostRank0Again(t *testing.T) {
	var calls atomic.Int32
	a := RankZeroAddress{Token: rand.Text(), Endpoints: []string{foreign(t, func(net.Conn) { calls.Add(1) })}}
	taken := make(chan ErrorNotice, 2)
	r, err := a.ForRank(2, 2, time.Hour).newRelay(func(n ErrorNotice) { taken <- n }, later)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for i := range 2 {
		if err := a.ForRank(3+i, 2, time.Hour).SendNotice(failure(3 + i)); err != nil {
			t.Error(err)
		}
		if n := <-taken; n.Error.Rank != 3+i {
			t.Errorf("notice %+v", n)
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestRanksAreCountedOnce(t *testing.T) {
	n := failure(1)
	for _, rank := range []int{1, 2, 2} {
		n.Add(failure(rank))
	}
	agreed := result.Error{Rank: 7, Ranks: 4, Message: "the ranks have agreed on it"}
	n.Add(NewNotice(agreed, 3)) // rank 3 has no error of its own
	if e := n.Failure(); e.Ranks != 2 || e.Rank != 1 {
		t.Errorf("failure %+v", e)
	}
	other := NewNotice(agreed, 3)
	other.Add(NewNotice(agreed, 4))
	if e := other.Failure(); e != agreed {
		t.Errorf("failure %+v, want %+v", e, agreed)
	}
	before := n.Clone()
	if n.Add(failure(9)); before.Failure().Ranks != 2 {
		t.Error("a copy changes with the notice")
	}
}

func TestAWrongListOfRanksIsRefused(t *testing.T) {
	if err := new(RankSet).UnmarshalText([]byte("1-x")); err == nil || errors.Is(err, errForeign) {
		t.Errorf("error %v", err)
	}
}
