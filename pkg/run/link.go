package run

import (
	"sync"
	"time"

	"h5perf/pkg/alarm"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// link is how this process and rank 0 reach each other when MPI may hang. Its methods may be called from any goroutine.
type link struct {
	mu       sync.Mutex
	listener *alarm.Listener // on rank 0
	address  alarm.Address   // of rank 0
}

func (l *link) open(listener *alarm.Listener, address alarm.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener, l.address = listener, address
}

func (l *link) ends() (*alarm.Listener, alarm.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener, l.address
}

// send tells rank 0 of an error that ends the job.
func (l *link) send(e result.Error) error {
	_, address := l.ends()
	return address.Send(e)
}

// pulse tells rank 0 whether this process is at work, and returns when any rank was last known to be.
func (l *link) pulse(working bool) (time.Time, error) {
	listener, address := l.ends()
	if listener != nil {
		return listener.Heard(), nil
	}
	return address.Pulse(working)
}

func (l *link) close() {
	if listener, _ := l.ends(); listener != nil {
		_ = listener.Close() // nothing is lost with it
	}
}

// connect opens the link between rank 0 and the others. The last rank tries it at once, so that all ranks know whether
// silence on it means anything, also that of a process which is lost before its first pulse is due. Collective.
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
