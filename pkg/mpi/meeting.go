package mpi

import (
	"fmt"
	"runtime"
	"sync"
)

// meetings are the collective calls of a communicator in memory, one after the other.
type meetings struct {
	mu   sync.Mutex // of the meetings; nobody holds it for longer than it takes to note one rank
	size int
}

// meeting is one collective call. Each rank leaves its part, and the last one makes the result of all parts, so that a call
// costs a rank no more than its own part. A rank may go to the next meeting before all others have come to this one.
type meeting struct {
	call   call
	first  int           // the rank of the world that came first, and made parts
	parts  any           // []In, by rank
	come   int           // ranks that have left their part
	result any           // valid once done is closed
	done   chan struct{} // closed by the last rank
	next   *meeting      // nil until a rank has come to this one
}

func newMeeting() *meeting { return &meeting{done: make(chan struct{})} }

// call is what all ranks must call alike.
type call struct {
	name string
	n    int // the number of values, or the root
}

func (c call) String() string { return fmt.Sprintf("%s (%d)", c.name, c.n) }

// arrive leaves the part of c in its next meeting and returns that. The last rank calls finish with the parts of all.
func arrive[In any](c *memoryComm, what call, part In, finish func([]In) any) *meeting {
	select {
	case <-c.job.ended:
		runtime.Goexit()
	default:
	}
	m, last, err := note(c, what, part)
	if err != nil {
		c.job.abort(c.world, 1, err)
		runtime.Goexit()
	}
	if last {
		m.result = finish(m.parts.([]In))
		m.parts = nil
		close(m.done)
	}
	return m
}

// note writes down that a rank has come, and reports whether it was the last one. It refuses what MPI does not allow.
func note[In any](c *memoryComm, what call, part In) (m *meeting, last bool, err error) {
	if c.freed {
		return nil, false, fmt.Errorf("rank %d called %v of a communicator that it had freed", c.world, what)
	}
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	m = c.next
	if m.next == nil {
		m.next = newMeeting()
		m.call, m.first, m.parts = what, c.world, make([]In, c.shared.size)
	}
	if m.call != what {
		return nil, false, fmt.Errorf("rank %d called %v where rank %d had called %v", c.world, what, m.first, m.call)
	}
	m.parts.([]In)[c.rank] = part
	m.come++
	c.next = m.next
	return m, m.come == c.shared.size, nil
}

// meet is arrive, and waits until all have come. It returns what finish made.
func meet[In any](c *memoryComm, what call, part In, finish func([]In) any) any {
	m := arrive(c, what, part, finish)
	select {
	case <-m.done:
	case <-c.job.ended:
		runtime.Goexit()
	}
	return m.result
}
