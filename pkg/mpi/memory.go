package mpi

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// MemoryWorld returns the world communicators of a job of n ranks that run in this process, all on one node. The
// goroutine of each rank uses one of them. Memory has options.
func MemoryWorld(n int) []Comm { return MemoryJobOptions{}.NewWorld(n) }

// MemoryJobOptions holds the options of jobs whose ranks are goroutines of this process. Their communicators fulfil the
// contract of Comm without MPI; Handle returns nil. Every collective method returns when all ranks of its communicator
// have called it. A rank aborts its job with status 1 if the other ranks have called a different method, or if it calls
// a method of a communicator that it has freed.
//
// After an Abort, the goroutine of a rank ends (runtime.Goexit) in the collective call in which it waits, or in its
// next one. Deferred calls run, and may use the communicators.
type MemoryJobOptions struct {
	// Node returns the node of a rank of the world, 0 or higher. nil puts all ranks on one node.
	Node func(rank int) int
	// Aborted is called by each Abort before Abort returns. rank is the world rank that called Abort, and status is its
	// argument. reason is not nil if the rank made a call that MPI does not allow. Several goroutines may call Aborted
	// at the same time.
	Aborted func(rank, status int, reason error)
	// After starts the timers of Agree and AwaitSignal: for the grace, and for the time between two calls of the
	// function stopped. nil is time.After.
	After func(time.Duration) <-chan time.Time
	// Clocks holds the clock of each rank of the world; nil: there are no clocks. When a collective call returns, the
	// clocks of its ranks show the same time: the latest time at which a rank came, plus Hop for each message that MPI
	// would send one after another. The number of these messages grows with the number of levels of a tree over the
	// ranks. A signal arrives one Hop after it was sent.
	Clocks []Clock
	// MessageTime is the time that a message from one rank to another takes.
	MessageTime time.Duration
}

// NewWorld returns the world communicators of a new job of n ranks: one for each rank. Only one goroutine at a time may
// use a communicator.
func (m MemoryJobOptions) NewWorld(n int) []Comm {
	job := &memoryJob{MemoryJobOptions: m, ended: make(chan struct{})}
	if job.Node == nil {
		job.Node = func(int) int { return 0 }
	}
	if job.After == nil {
		job.After = time.After
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i
	}
	members := job.newMembers(ranks)
	world := make([]Comm, n)
	for i, c := range members {
		world[i] = c
	}
	return world
}

// memoryJob is the state that all communicators of a job share.
type memoryJob struct {
	MemoryJobOptions
	end   sync.Once
	ended chan struct{} // closed by the first Abort
}

// newMembers creates a communicator of the given world ranks, and returns an object for each of these ranks.
func (j *memoryJob) newMembers(world []int) []*memoryComm {
	shared := &sharedState{size: len(world)}
	first := newMeeting()
	members := make([]memoryComm, len(world))
	pointers := make([]*memoryComm, len(world))
	for i, w := range world {
		members[i] = memoryComm{job: j, shared: shared, next: first, rank: i, world: w}
		pointers[i] = &members[i]
	}
	return pointers
}

// abortJob calls the function Aborted of the job, and then ends the job.
func (j *memoryJob) abortJob(rank, status int, reason error) {
	if j.Aborted != nil {
		j.Aborted(rank, status, reason)
	}
	j.end.Do(func() { close(j.ended) })
}

// memoryComm is a communicator in memory, as one of its ranks sees it.
type memoryComm struct {
	job    *memoryJob
	shared *sharedState
	next   *meeting
	rank   int
	world  int // the rank in the world
	freed  bool
}

func (c *memoryComm) Rank() int { return c.rank }

func (c *memoryComm) Size() int { return c.shared.size }

func (c *memoryComm) Barrier() {
	joinAndWait(c, collectiveCall{name: "Barrier"}, struct{}{}, func([]struct{}) any { return nil })
}

// agreeArgument is a code, and the lowest rank that passed it to Agree.
type agreeArgument struct{ code, rank int }

// pollTime is the time between two calls of the function stopped in Agree and AwaitSignal.
const pollTime = 50 * time.Millisecond

func (c *memoryComm) Agree(
	code int, stopped func() bool, grace time.Duration, _ WaitMode,
) (highest, rank int, err error) {
	m := joinMeeting(c, collectiveCall{name: "Agree"}, code, func(codes []int) any {
		most := agreeArgument{codes[0], 0}
		for i, code := range codes {
			if code > most.code {
				most = agreeArgument{code, i}
			}
		}
		return most
	})
	var end, poll <-chan time.Time
	if code != 0 {
		end = c.job.After(grace)
	}
	for {
		if end == nil && stopped != nil {
			if stopped() {
				end, poll = c.job.After(grace), nil
			} else {
				poll = c.job.After(pollTime)
			}
		}
		select {
		case <-m.done:
			c.setClock(m)
			most := m.result.(agreeArgument)
			return most.code, most.rank, nil
		case <-c.job.ended:
			runtime.Goexit()
		case <-poll:
		case <-end:
			return 0, 0, ErrNoAgreement
		}
	}
}

func (c *memoryComm) Signal(to, code int) {
	select {
	case c.shared.signalChannel(c.rank, to) <- signal{code, c.job.clockTime(c.world)}:
	case <-c.job.ended:
		runtime.Goexit()
	}
}

func (c *memoryComm) AwaitSignal(from int, stopped func() bool) (code int, came bool) {
	for {
		var poll <-chan time.Time
		if stopped != nil {
			if stopped() {
				return 0, false
			}
			poll = c.job.After(pollTime)
		}
		select {
		case s := <-c.shared.signalChannel(from, c.rank):
			if c.job.Clocks != nil {
				now := &c.job.Clocks[c.world].now
				now.Store(max(now.Load(), int64(s.sent+c.job.MessageTime)))
			}
			return s.code, true
		case <-c.job.ended:
			runtime.Goexit()
		case <-poll:
		}
	}
}

func (c *memoryComm) Reduce(values []float64) []ReducedValue {
	if len(values) == 0 {
		return nil
	}
	all := joinAndWait(c, collectiveCall{"Reduce", len(values)}, values,
		func(values [][]float64) any { return reduceValues(values) })
	return slices.Clone(all.([]ReducedValue))
}

// reduceValues reduces the values of all ranks. It adds them in the order of ranks, so that the rounding of the sum
// is always the same.
func reduceValues(values [][]float64) []ReducedValue {
	all := make([]ReducedValue, len(values[0]))
	for i, v := range values[0] {
		all[i] = ReducedValue{Max: v, Min: v}
	}
	for rank, own := range values {
		for i, v := range own {
			e := &all[i]
			if v > e.Max {
				e.Max, e.MaxRank = v, rank
			}
			e.Min = min(e.Min, v)
			e.Sum += v
		}
	}
	return all
}

func (c *memoryComm) SumUint64(values []uint64) {
	if len(values) == 0 {
		return
	}
	sums := joinAndWait(c, collectiveCall{"SumUint64", len(values)}, values, func(values [][]uint64) any {
		sums := make([]uint64, len(values[0]))
		for _, own := range values {
			for i, v := range own {
				sums[i] += v
			}
		}
		return sums
	})
	copy(values, sums.([]uint64))
}

func (c *memoryComm) Bcast(data []byte, root int) []byte {
	var own []byte
	if c.rank == root {
		own = copyBytes(data)
	}
	sent := joinAndWait(c, collectiveCall{"Bcast", root}, own, func(data [][]byte) any { return data[root] })
	if c.rank == root {
		return data
	}
	return copyBytes(sent.([]byte))
}

func (c *memoryComm) Gather(data []byte) [][]byte {
	all := joinAndWait(c, collectiveCall{name: "Gather"}, copyBytes(data), func(data [][]byte) any { return data })
	if c.rank != 0 {
		return nil
	}
	return all.([][]byte)
}

// copyBytes returns a copy of data that is never nil. Because it is a copy, no rank sees what another rank writes
// later.
func copyBytes(data []byte) []byte { return append([]byte{}, data...) }

func (c *memoryComm) Split(color, key int) Comm {
	if part := c.splitByColor("Split", color, key); part != nil {
		return part
	}
	return nil
}

func (c *memoryComm) SplitNode() Comm {
	return c.splitByColor("SplitNode", c.job.Node(c.world), c.rank)
}

// splitMember is the argument of a rank in a split: its color and key, and its ranks in the communicator and in the
// world.
type splitMember struct{ color, key, rank, world int }

// splitByColor creates a communicator for each color, and returns that of this rank; nil for a negative color. name is
// the name of the calling method.
func (c *memoryComm) splitByColor(name string, color, key int) *memoryComm {
	parts := joinAndWait(c, collectiveCall{name: name}, splitMember{color, key, c.rank, c.world},
		func(all []splitMember) any {
			return splitMembers(c.job, all)
		})
	return parts.([]*memoryComm)[c.rank]
}

// splitMembers returns, for each rank of the old communicator, its new communicator; nil for a negative color.
func splitMembers(job *memoryJob, all []splitMember) []*memoryComm {
	parts := make([]*memoryComm, len(all))
	ordered := slices.SortedFunc(slices.Values(all), func(a, b splitMember) int {
		return cmp.Or(cmp.Compare(a.color, b.color), cmp.Compare(a.key, b.key), cmp.Compare(a.rank, b.rank))
	})
	for len(ordered) > 0 {
		n := 1
		for n < len(ordered) && ordered[n].color == ordered[0].color {
			n++
		}
		if ordered[0].color >= 0 {
			world := make([]int, n)
			for i, m := range ordered[:n] {
				world[i] = m.world
			}
			for i, c := range job.newMembers(world) {
				parts[ordered[i].rank] = c
			}
		}
		ordered = ordered[n:]
	}
	return parts
}

func (c *memoryComm) SplitFirst(n int) Comm {
	part, err := c.joinFirst(n)
	if err != nil {
		c.job.abortJob(c.world, 1, err)
		runtime.Goexit()
	}
	joinAndWait(part, collectiveCall{name: "First"}, struct{}{}, func([]struct{}) any { return nil })
	return part
}

// joinFirst returns the new communicator of the first n ranks, for this rank. It returns an error for a call that MPI
// does not allow.
func (c *memoryComm) joinFirst(n int) (*memoryComm, error) {
	switch {
	case c.freed:
		return nil, fmt.Errorf("rank %d called First (%d) of a communicator that it had freed", c.world, n)
	case c.rank >= n:
		return nil, fmt.Errorf("rank %d of a communicator called First (%d) and is not a member", c.rank, n)
	}
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	g := c.shared.pendingComms[n]
	if g == nil {
		if c.shared.pendingComms == nil {
			c.shared.pendingComms = map[int]*pendingComm{}
		}
		g = &pendingComm{shared: &sharedState{size: n}, first: newMeeting()}
		c.shared.pendingComms[n] = g
	}
	if g.numJoined++; g.numJoined == n {
		delete(c.shared.pendingComms, n)
	}
	return &memoryComm{job: c.job, shared: g.shared, next: g.first, rank: c.rank, world: c.world}, nil
}

func (c *memoryComm) SplitSelf() Comm { return Self{} }

func (c *memoryComm) Free() { c.freed = true }

func (c *memoryComm) Handle() unsafe.Pointer { return nil }

func (c *memoryComm) Abort(status int) { c.job.abortJob(c.world, status, nil) }
