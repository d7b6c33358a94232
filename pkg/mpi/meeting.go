package mpi

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

// sharedState is the state that all ranks of a communicator in memory share for their collective calls.
type sharedState struct {
	mu             sync.Mutex           // guards the other fields; held for a short time only
	size           int                  // number of ranks
	pendingComms   map[int]*pendingComm // calls of SplitFirst that wait for some of their ranks, by n
	signalChannels map[rankPair]chan signal
}

// rankPair is the sender and the receiver of signals.
type rankPair struct{ from, to int }

// signal is a code that one rank has sent to another rank.
type signal struct {
	code int
	sent time.Duration // time on the clock of the sender; see Memory
}

// signalChannel returns the channel for signals from the rank from to the rank to. The channel holds one signal at a
// time.
func (s *sharedState) signalChannel(from, to int) chan signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signalChannels == nil {
		s.signalChannels = map[rankPair]chan signal{}
	}
	w := rankPair{from, to}
	if s.signalChannels[w] == nil {
		s.signalChannels[w] = make(chan signal, 1)
	}
	return s.signalChannels[w]
}

// pendingComm is a communicator for which only some of its ranks have called SplitFirst so far.
type pendingComm struct {
	shared    *sharedState
	first     *meeting
	numJoined int // number of ranks that have come
}

// meeting is one collective call. Each rank stores its argument, and the last rank to come computes the result from all
// arguments. A rank may begin its next call before all other ranks have begun this one.
type meeting struct {
	call          collectiveCall
	firstRank     int           // the world rank that came first and allocated parts
	rankArguments any           // the arguments: a []In, by rank
	numArrived    int           // number of ranks that have come
	latest        time.Duration // the latest clock of a rank that has come; see Memory
	result        any           // valid once done is closed
	done          chan struct{} // closed by the last rank
	next          *meeting      // nil until a rank has come to this meeting
}

func newMeeting() *meeting { return &meeting{done: make(chan struct{})} }

// collectiveCall identifies a collective call. All ranks must make the same call.
type collectiveCall struct {
	name string
	n    int // number of values, or the root
}

func (c collectiveCall) String() string { return fmt.Sprintf("%s (%d)", c.name, c.n) }

// joinMeeting stores the argument of this rank in its next collective call, and returns that call's meeting. The last
// rank that makes the call calls finish with the arguments of all ranks.
func joinMeeting[In any](c *memoryComm, what collectiveCall, part In, finish func([]In) any) *meeting {
	select {
	case <-c.job.ended:
		runtime.Goexit()
	default:
	}
	m, last, err := recordArrival(c, what, part)
	if err != nil {
		c.job.abortJob(c.world, 1, err)
		runtime.Goexit()
	}
	if last {
		m.result = finish(m.rankArguments.([]In))
		m.rankArguments = nil
		close(m.done)
	}
	return m
}

// recordArrival records that this rank makes its next collective call, and reports whether it is the last rank to make
// that call. It returns an error for a call that MPI does not allow.
func recordArrival[In any](c *memoryComm, what collectiveCall, part In) (m *meeting, last bool, err error) {
	if c.freed {
		return nil, false, fmt.Errorf("rank %d called %v of a communicator that it had freed", c.world, what)
	}
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	m = c.next
	if m.next == nil {
		m.next = newMeeting()
		m.call, m.firstRank, m.rankArguments = what, c.world, make([]In, c.shared.size)
	}
	if m.call != what {
		return nil, false,
			fmt.Errorf("rank %d called %v where rank %d had called %v", c.world, what, m.firstRank, m.call)
	}
	m.rankArguments.([]In)[c.rank] = part
	m.numArrived++
	m.latest = max(m.latest, c.job.clockTime(c.world))
	c.next = m.next
	return m, m.numArrived == c.shared.size, nil
}

// joinAndWait calls joinMeeting, waits until all ranks have made the collective call, and returns the result of finish.
func joinAndWait[In any](c *memoryComm, what collectiveCall, part In, finish func([]In) any) any {
	m := joinMeeting(c, what, part, finish)
	select {
	case <-m.done:
	case <-c.job.ended:
		runtime.Goexit()
	}
	c.setClock(m)
	return m.result
}
