package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// Launch starts and ends MPI and HDF5 in the processes of a job.
type Launch struct {
	Guard   launcher.LaunchGuard
	IsFirst func() bool // reports whether this is the first process of the job, according to its launcher
	Init    func() (mpi.Comm, error)
	// InitTimeout is the time limit for Init; 0 means no limit. If a process ends before it has called MPI_Init, some
	// launchers, such as srun, let the others wait for it.
	InitTimeout time.Duration
	Close       func() error   // closes HDF5: MPI_Finalize crashes if HDF5 files are open
	Finalize    func(mpi.Comm) // ends MPI
}

// Run initialises MPI, measures, and ends HDF5 and MPI. It returns the exit status of this process. If the guard finds
// that the job was launched wrongly, or MPI fails, the first process prints the error.
func (l Launch) Run(p Process, measure func(world mpi.Comm) int) int {
	if err := l.Guard.CheckBeforeInit(); err != nil {
		return l.refuseLaunch(p, err)
	}
	world, err := l.initialise(p)
	if err != nil {
		if l.IsFirst() {
			_, _ = fmt.Fprintf(p.Stderr, "h5perf: %v\n", err)
		}
		return result.ExitFailed
	}
	var status int
	if err := l.Guard.CheckWorld(world.Size()); err != nil {
		status = l.refuseLaunch(p, err)
	} else {
		status = measure(world)
	}
	if err := l.Close(); err != nil {
		_, _ = fmt.Fprintf(p.Stderr, "h5perf: rank %d: %v\n", world.Rank(), err)
		status = max(status, result.ExitFailed)
	}
	// After a signal, MPICH's mpiexec often returns 0 if its ranks end normally, so they abort. The first abort kills
	// the others, so each waits until all have ended their work. Open MPI's mpiexec returns the status, and would print
	// a message about an abort.
	if status == result.ExitStopped && !strings.HasPrefix(l.Guard.Library, "Open MPI") {
		_, _, _ = world.Agree(status, nil, p.Grace, mpi.Asleep)
		world.Abort(status)
		return status
	}
	p.Finalize(world, status, l.Finalize)
	return status
}

// initialise calls Init. If that takes longer than the limit, the process exits.
func (l Launch) initialise(p Process) (mpi.Comm, error) {
	if l.InitTimeout == 0 {
		return l.Init()
	}
	host, _ := os.Hostname() // after an error the host has no name
	defer p.exitAfter(l.InitTimeout, result.ExitLaunch, fmt.Sprintf("h5perf: rank %d (%s): MPI_Init has not returned "+
		"after %v; a process is missing, or processes do not reach each other; h5perf doctor, launched in the same "+
		"way, says more\n", launcher.ThisProcess().Rank(), host, l.InitTimeout))()
	return l.Init()
}

// refuseLaunch prints the guard's error on the first process, and returns the exit status. The other processes end a
// little later, since a launcher may end the job as soon as one process ends.
func (l Launch) refuseLaunch(p Process, err error) int {
	if l.IsFirst() {
		_, _ = fmt.Fprintf(p.Stderr, "h5perf: %v\n", err)
	} else {
		p.sleepFor(launcher.FirstRankHeadStart)
	}
	p.sleepFor(launcher.ExitDelay(err))
	return result.ExitLaunch
}

// finalizeTime is the time limit for MPI_Finalize. The limit is longer if closing files took long, since other ranks
// may still close files.
const finalizeTime = 10 * time.Second

// Finalize ends MPI by calling end. If end takes too long, the process exits with status, since the results of the run
// are complete by then. With MPICH 4.0 on UCX, ranks on different nodes sometimes wait for each other forever in
// MPI_Finalize.
func (p Process) Finalize(world mpi.Comm, status int, end func(mpi.Comm)) {
	limit := p.Patience.WaitTime(finalizeTime, p.Now())
	defer p.exitAfter(limit, status,
		fmt.Sprintf("h5perf: rank %d: MPI_Finalize has not returned after %v; the process "+
			"exits without it\n", world.Rank(), limit))()
	end(world)
}

// exitAfter starts a timer: after limit, the process prints a message and exits with status, unless the returned
// function is called before.
func (p Process) exitAfter(limit time.Duration, status int, message string) (cancel func()) {
	done, late := make(chan struct{}), p.After(limit)
	go func() {
		select {
		case <-done:
		case <-late:
			_, _ = io.WriteString(p.Stderr, message)
			p.Exit(status)
		}
	}()
	return func() { close(done) }
}
