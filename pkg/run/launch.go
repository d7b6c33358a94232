package run

import (
	"fmt"
	"strings"
	"time"

	"h5perf/pkg/exit"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
)

// Launch is how the processes of a job come together and part.
type Launch struct {
	Guard    launcher.Guard
	First    func() bool // reports whether this process speaks for all, as its launcher tells
	Init     func() (mpi.Comm, error)
	Close    func() error   // ends HDF5: what is open at MPI_Finalize would end in a crash
	Finalize func(mpi.Comm) // ends MPI
}

// Run initialises MPI, measures, and ends HDF5 and MPI. It returns the exit status of this process. What was found when
// the launch or MPI is wrong is told by the first process.
func (l Launch) Run(p Process, measure func(world mpi.Comm) int) int {
	if err := l.Guard.Before(); err != nil {
		return l.refuse(p, err)
	}
	world, err := l.Init()
	if err != nil {
		if l.First() {
			_, _ = fmt.Fprintf(p.Stderr, "h5perf: %v\n", err)
		}
		return exit.Failed
	}
	var status int
	if err := l.Guard.World(world.Size()); err != nil {
		status = l.refuse(p, err)
	} else {
		status = measure(world)
	}
	if err := l.Close(); err != nil {
		_, _ = fmt.Fprintf(p.Stderr, "h5perf: rank %d: %v\n", world.Rank(), err)
		status = max(status, exit.Failed)
	}
	// Told to end, MPICH's mpiexec often returns 0 when its ranks end by themselves; Open MPI's does not, and tells of
	// an abort.
	if status == exit.Stopped && !strings.HasPrefix(l.Guard.Library, "Open MPI") {
		world.Abort(status)
		return status
	}
	p.Finalize(world, status, l.Finalize)
	return status
}

// refuse tells of a wrong launch, by the first of the processes that were launched, and returns the status. The others
// live a little longer: a launcher may end the job at the first that ends.
func (l Launch) refuse(p Process, err error) int {
	if l.First() {
		_, _ = fmt.Fprintf(p.Stderr, "h5perf: %v\n", err)
	} else {
		p.sleep(launcher.HeadStart)
	}
	p.sleep(launcher.Stay(err))
	return exit.Launch
}

// finalizeTime is how long MPI has to end.
const finalizeTime = 10 * time.Second

// Finalize ends MPI. What was found is told, and stays true: under MPICH 4.0 on UCX a rank now and then waits here for
// ranks of other nodes, which wait for it without answering.
func (p Process) Finalize(world mpi.Comm, status int, end func(mpi.Comm)) {
	done := make(chan struct{})
	defer close(done)
	late := p.After(finalizeTime)
	go func() {
		select {
		case <-done:
		case <-late:
			_, _ = fmt.Fprintf(p.Stderr, "h5perf: rank %d: MPI_Finalize lasts longer than %v; "+
				"the process ends without it\n", world.Rank(), finalizeTime)
			p.Exit(status)
		}
	}()
	end(world)
}
