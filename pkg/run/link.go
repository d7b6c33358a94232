package run

import (
	"errors"
	"io"
	"sync"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// rankLink is the connection between this process and rank 0. It uses sockets rather than MPI, because MPI may hang.
// Its methods may be called from any goroutine.
type rankLink struct {
	mu       sync.Mutex
	listener *watch.Listener       // on rank 0; nil elsewhere
	address  watch.RankZeroAddress // of rank 0
	ports    []io.Closer           // on which this process listens
	deputy   bool                  // this process is the first to end the job if rank 0 does not
	deadline time.Duration         // the longest time of a message; 0 is watch.Deadline
}

// listenOnRank0 makes rank 0 listen for messages, and returns its address. If others is true, processes on other nodes
// can reach it too.
func (l *rankLink) listenOnRank0(others bool, receive func(watch.ErrorNotice)) (watch.RankZeroAddress, error) {
	listener, err := watch.Listen(others, l.deadline, receive)
	if err != nil {
		return watch.RankZeroAddress{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener, l.ports = listener, []io.Closer{listener}
	return listener.Address(), nil
}

// connectToRank0 prepares this process to send messages to rank 0. On each node but that of rank 0, the first process
// passes on the messages of its node. second is the rank that ends the job if rank 0 does not.
func (l *rankLink) connectToRank0(address watch.RankZeroAddress, rank, leader, second int,
	receive func(watch.ErrorNotice),
) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.address, l.deputy = address.ForRank(rank, leader, l.deadline), rank == second
	if rank != leader || rank == 0 || address.Token == "" {
		return nil
	}
	relay, err := l.address.StartRelay(receive)
	if err == nil {
		l.ports = append(l.ports, relay)
	}
	return err
}

// listenerAndAddress returns the listener of rank 0, which is nil on other ranks, and the address of rank 0.
func (l *rankLink) listenerAndAddress() (*watch.Listener, watch.RankZeroAddress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener, l.address
}

// isDeputy reports whether this process must end the job if rank 0 does not.
func (l *rankLink) isDeputy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deputy
}

// sendNotice sends errors that end the job to rank 0.
func (l *rankLink) sendNotice(n watch.ErrorNotice) error {
	_, address := l.listenerAndAddress()
	return address.SendNotice(n)
}

// sendPulse tells rank 0 whether this process is at work, and returns when any rank was last known to be at work.
func (l *rankLink) sendPulse(working bool) (time.Time, error) {
	listener, address := l.listenerAndAddress()
	if listener != nil {
		return listener.LastPulse(), nil
	}
	return address.SendPulse(working)
}

// closePorts closes the ports of this process.
func (l *rankLink) closePorts() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, port := range l.ports {
		_ = port.Close() // an error loses nothing
	}
}

// connectRanks opens the link between rank 0 and the others. The last rank sends a pulse at once. If this pulse
// arrives, all ranks know that the link works: if they hear nothing later, a process must be lost, even before its
// first pulse is due. Collective.
func (j *job) connectRanks() error {
	var nodes int
	if j.localRank, nodes = mpi.Node(j.world); j.world.Size() == 1 {
		return nil
	}
	var address watch.RankZeroAddress
	var err error
	if j.world.Rank() == 0 {
		address, err = j.link.listenOnRank0(nodes > 1, j.ender.receiveNotice)
	}
	address = mpi.Broadcast(j.world, address, 0)
	leader, second := mpi.NodeLeader(j.world), j.deputyRank()
	if nodes == 1 {
		second = 1
	}
	err = errors.Join(err, j.link.connectToRank0(address, j.world.Rank(), leader, second, j.ender.receiveNotice))
	last := j.world.Size() - 1
	works := false
	if j.world.Rank() == last {
		_, err := j.link.sendPulse(true)
		works = err == nil
	}
	if mpi.Broadcast(j.world, works, last) {
		j.watchdog.NoteConnected()
	}
	return err
}
