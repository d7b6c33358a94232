package run

import (
	"errors"
	"io"
	"sync"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// link is the connection between this process and rank 0 without MPI, which may hang. Its methods may be called from
// any goroutine.
type link struct {
	mu       sync.Mutex
	listener *watch.Listener // on rank 0; nil elsewhere
	address  watch.Address   // of rank 0
	ports    []io.Closer     // on which this process listens
	second   bool            // this process is the first to end the job if rank 0 does not
	deadline time.Duration   // the longest time of a message; 0 is watch.Deadline
}

// listen opens the end of rank 0 and returns its address. With others, processes of other nodes can reach it.
func (l *link) listen(others bool, receive func(watch.Notice)) (watch.Address, error) {
	listener, err := watch.Listen(others, l.deadline, receive)
	if err != nil {
		return watch.Address{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener, l.ports = listener, []io.Closer{listener}
	return listener.Address(), nil
}

// open opens the end of a process. The first process of a node, except that of rank 0, relays the messages of its node.
// second is the rank that is the first to end the job if rank 0 does not.
func (l *link) open(address watch.Address, rank, leader, second int, receive func(watch.Notice)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.address, l.second = address.From(rank, leader, l.deadline), rank == second
	if rank != leader || rank == 0 || address.Token == "" {
		return nil
	}
	relay, err := l.address.Relay(receive)
	if err == nil {
		l.ports = append(l.ports, relay)
	}
	return err
}

// ends returns both ends.
func (l *link) ends() (*watch.Listener, watch.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener, l.address
}

// isSecond reports whether this process is the first to end the job if rank 0 does not.
func (l *link) isSecond() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.second
}

// send sends errors that end the job to rank 0.
func (l *link) send(n watch.Notice) error {
	_, address := l.ends()
	return address.Send(n)
}

// pulse tells rank 0 whether this process is at work, and returns when any rank was last known to be at work.
func (l *link) pulse(working bool) (time.Time, error) {
	listener, address := l.ends()
	if listener != nil {
		return listener.Heard(), nil
	}
	return address.Pulse(working)
}

// close closes the ports of this process.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, port := range l.ports {
		_ = port.Close() // an error loses nothing
	}
}

// connect opens the link between rank 0 and the others. The last rank sends a pulse at once. If that works, all ranks
// know that silence on the link means a lost process, even if a process is lost before its first pulse is due.
// Collective.
func (j *job) connect() error {
	var nodes int
	if j.local, nodes = mpi.Node(j.world); j.world.Size() == 1 {
		return nil
	}
	var address watch.Address
	var err error
	if j.world.Rank() == 0 {
		address, err = j.link.listen(nodes > 1, j.ender.receive)
	}
	address = mpi.Broadcast(j.world, address, 0)
	leader, second := mpi.Leader(j.world), j.deputy()
	if nodes == 1 {
		second = 1
	}
	err = errors.Join(err, j.link.open(address, j.world.Rank(), leader, second, j.ender.receive))
	last := j.world.Size() - 1
	works := false
	if j.world.Rank() == last {
		_, err := j.link.pulse(true)
		works = err == nil
	}
	if mpi.Broadcast(j.world, works, last) {
		j.dog.Connected()
	}
	return err
}
