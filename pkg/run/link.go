package run

import (
	"sync"
	"time"

	"h5perf/pkg/alarm"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// link is the connection between this process and rank 0 without MPI, which may hang. Its methods may be called from
// any goroutine.
type link struct {
	mu       sync.Mutex
	listener *alarm.Listener // on rank 0; nil elsewhere
	address  alarm.Address   // of the listener
}

// open sets both ends.
func (l *link) open(listener *alarm.Listener, address alarm.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener, l.address = listener, address
}

// ends returns both ends.
func (l *link) ends() (*alarm.Listener, alarm.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener, l.address
}

// send sends an error that ends the job to rank 0.
func (l *link) send(e result.Error) error {
	_, address := l.ends()
	return address.Send(e)
}

// pulse tells rank 0 whether this process is at work, and returns when any rank was last known to be at work.
func (l *link) pulse(working bool) (time.Time, error) {
	listener, address := l.ends()
	if listener != nil {
		return listener.Heard(), nil
	}
	return address.Pulse(working)
}

// close closes the listener.
func (l *link) close() {
	if listener, _ := l.ends(); listener != nil {
		_ = listener.Close() // an error loses nothing
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
	var listener *alarm.Listener
	var address alarm.Address
	var err error
	if j.world.Rank() == 0 {
		if listener, err = alarm.Listen(nodes == 1, j.ender.receive); err == nil {
			address, err = listener.Address()
		}
	}
	address = mpi.Broadcast(j.world, address, 0)
	if mpi.Leader(j.world) != 0 {
		address = address.Away()
	}
	j.link.open(listener, address)
	last := j.world.Size() - 1
	works := false
	if j.world.Rank() == last {
		_, err := address.Pulse(true)
		works = err == nil
	}
	if mpi.Broadcast(j.world, works, last) {
		j.dog.Connected()
	}
	return err
}
