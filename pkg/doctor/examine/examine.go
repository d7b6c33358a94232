// Package examine is the life of an examination on one of its processes: it looks at what package doctor judges,
// together with the other processes, and ends in time when one of them does not answer.
package examine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"h5perf/pkg/doctor"
	"h5perf/pkg/exit"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/provenance"
	"h5perf/pkg/result"
)

// Options are what is asked of an examination.
type Options struct {
	Directory string
	Timeout   time.Duration // a step that lasts longer hangs, and ends the examination
	JSON      bool          // one JSON document instead of text
}

// Process is what an examination has of the process in which it is. All fields are set.
type Process struct {
	Stdout, Stderr io.Writer

	Now     func() time.Time // with a monotonic reading
	After   func(time.Duration) <-chan time.Time
	Grace   time.Duration                                  // as bench.Grace
	Exit    func(status int)                               // ends the process, and does not return
	Signals func() (signals <-chan os.Signal, stop func()) // those that ask to end, until stop is called
}

// Libraries are the MPI and the HDF5 of the program.
type Libraries struct {
	Guard    launcher.Guard
	MPI      bool // the program has it
	Init     func() (mpi.Comm, error)
	Finalize func(world mpi.Comm, status int) // ends MPI, or the process with the status if that lasts too long
	Standard func() string                    // of MPI
	PMIx     func() string                    // the version by which the MPI library asks; "" is none
	// Ring passes a message of n bytes around all processes, as mpi.Ring.
	Ring func(world mpi.Comm, n int, patience time.Duration) (time.Duration, error)

	Software func(initialised bool) result.Software // with the MPI library where that is initialised
	HDF5     func() *doctor.HDF5                    // nil without it
	Close    func() error                           // ends HDF5
}

// otherGrace is how much longer than the first process the others wait for the end of a step, or of its examination
// alone.
const otherGrace = 15 * time.Second

// abortTime is how long the file system, and then MPI, may take at the end of an examination that is abandoned.
const abortTime = 2 * time.Second

// examiner is one process of an examination.
type examiner struct {
	Process
	Libraries
	Options
	world mpi.Comm
	first bool // of the job: it tells
	host  string
	trial doctor.Trial

	ending sync.Once
	mu     sync.Mutex // of what follows
	found  doctor.Examination
	over   chan struct{} // closed at the end of the step that this process is in; nil between steps
}

// Run examines what a run would rest on, and returns the exit status of this process. Collective where the launch is
// right.
func Run(p Process, l Libraries, o Options) int {
	from := l.Guard.Source()
	machine := provenance.Machine()
	e := &examiner{
		Process: p, Libraries: l, Options: o, world: mpi.Self{}, first: from.Rank() == 0, host: machine.Host,
		found: doctor.Examination{
			Version: doctor.Version, Time: p.Now().UTC(), Machine: machine, Launch: doctor.NewLaunch(from),
		},
	}
	defer e.catch()()
	wrong := l.Guard.Before()
	if wrong != nil || !l.MPI {
		return e.run(wrong, false)
	}
	e.step(doctor.StepInit)
	world, err := l.Init()
	if err != nil {
		e.stop()
		return e.failed(exit.Failed, err)
	}
	if wrong = l.Guard.World(world.Size()); wrong == nil {
		e.world = world
	}
	status := e.run(wrong, true)
	l.Finalize(world, status)
	return status
}

// run examines, of a wrong launch on its first process alone, and returns the exit status. initialised is whether MPI
// is.
func (e *examiner) run(wrong error, initialised bool) int {
	if wrong != nil && !e.first {
		e.stop()
		_, _ = fmt.Fprintf(e.Stderr, "h5perf doctor: process %d (%s) is in a world of one, too\n",
			e.found.Launch.Rank, e.host)
		e.sleep(otherGrace)
		e.sleep(launcher.Stay(wrong))
		return exit.Launch
	}
	e.examine(wrong, initialised)
	status := e.end(wrong)
	if wrong != nil { // the launcher may end the others with this one, and they are to tell, too
		e.sleep(launcher.HeadStart)
		e.sleep(launcher.Stay(wrong))
	}
	if err := e.Close(); err != nil {
		return e.failed(status, err)
	}
	return status
}

// examine makes all checks. Collective.
func (e *examiner) examine(wrong error, initialised bool) {
	e.first = e.world.Rank() == 0
	e.found.Software, e.found.HDF5 = e.Software(initialised), e.HDF5()
	e.found.Launch.PMIx = e.PMIx()
	if !initialised {
		e.found.Software.MPI, e.found.Software.MPIStandard = e.Guard.Library, e.Standard()
	}
	if e.first && !e.JSON {
		software := e.found.Software
		_, _ = fmt.Fprintf(e.Stdout, "h5perf %s %s on %s\n", software.Version, software.Flavour, e.host)
	}
	e.add(doctor.CheckMPI(e.found.Software))
	if wrong != nil {
		e.add(e.found.Launch.Check(wrong))
	} else {
		e.together()
	}
	e.target()
	e.add(e.found.HDF5.Check(e.MPI))
	e.add(doctor.CheckContainer(e.found.Machine))
}

// add adds a check, and on the first process prints it.
func (e *examiner) add(c doctor.Check) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found.Add(c)
	if e.first && !e.JSON {
		_, _ = io.WriteString(e.Stdout, c.Line())
	}
}

// end ends the examination and returns the exit status of this process: the first knows of all.
func (e *examiner) end(wrong error) int {
	e.stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	status := exit.OK
	switch {
	case wrong != nil:
		status = exit.Launch
	case e.found.Verdict == doctor.Problem:
		status = exit.Failed
	}
	e.found.ExitStatus = status
	if !e.first {
		return status
	}
	var err error
	if e.JSON {
		encoder := json.NewEncoder(e.Stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(e.found)
	} else {
		_, err = io.WriteString(e.Stdout, e.found.Summary())
	}
	if err != nil {
		return e.failed(status, err)
	}
	return status
}

// failed tells of an error that all processes have, by the first of them, and returns a status that is none of success.
func (e *examiner) failed(status int, err error) int {
	if e.first {
		_, _ = fmt.Fprintf(e.Stderr, "h5perf: %v\n", err)
	}
	return max(status, exit.Failed)
}
