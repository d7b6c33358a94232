// This file runs an examination on one of its processes. Together with the other processes it finds out what
// package doctor judges. It ends in time even if another process does not answer.

package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/output"
	"h5perf/pkg/result"
)

// ExamineOptions are the options of an examination.
type ExamineOptions struct {
	Directory string
	Timeout   time.Duration // a step that lasts longer counts as hanging
	Serial    bool          // without MPI, though the program may have it
	JSON      bool          // write one JSON document instead of text
}

// Process is the interface to the process in which an examination runs. All fields must be set.
type Process struct {
	Stdout, Stderr io.Writer
	Hurry          func() // see run.Process

	Now     func() time.Time // has a monotonic reading
	After   func(time.Duration) <-chan time.Time
	Grace   time.Duration                                  // as bench.Grace
	Exit    func(status int)                               // ends the process and does not return
	Signals func() (signals <-chan os.Signal, stop func()) // signals to end, until stop is called

	Processors func() (mpi.Processors, error) // that the process may use
}

// Libraries is the interface to MPI and HDF5 of the program.
type Libraries struct {
	Guard    launcher.Guard
	MPI      bool // the program has MPI
	Init     func() (mpi.Comm, error)
	Finalize func(world mpi.Comm, status int) // ends MPI, or the process with the status if MPI takes too long
	Standard func() string                    // version of the MPI standard
	PMIx     func() string                    // version of the PMIx library that MPI uses; "" if none
	// Ring passes a message of n bytes around all processes, as mpi.Ring.
	Ring func(world mpi.Comm, n int, patience time.Duration) (time.Duration, error)

	Software func(initialised bool) result.Software // with the MPI library if that is initialised
	HDF5     func() *HDF5                           // returns nil without HDF5
	Close    func() error                           // ends HDF5
}

// otherGrace is how much longer than the first process the other processes wait for the end of a step, or for the first
// process to end its examination.
const otherGrace = 15 * time.Second

// abortTime is the time that the file system, and after it MPI, may take at the end of an examination that is
// abandoned.
const abortTime = 2 * time.Second

// examiner is one process of an examination.
type examiner struct {
	Process
	Libraries
	ExamineOptions
	world mpi.Comm
	first bool // process of the job: it reports
	host  string
	trial Trial

	ending sync.Once
	mu     sync.Mutex // of what follows
	found  Examination
	over   chan struct{} // closed at the end of the step that this process is in; nil between steps
}

// Examine examines the environment of a run, and returns the exit status of this process. It is collective if the
// launch is right.
func Examine(p Process, l Libraries, o ExamineOptions) int {
	from := l.Guard.Source()
	machine := node.Machine()
	e := &examiner{
		Process: p, Libraries: l, ExamineOptions: o, world: mpi.Self{}, first: from.Rank() == 0, host: machine.Host,
		found: Examination{
			Version: Version, Time: p.Now().UTC(), Machine: machine, Launch: NewLaunch(from),
		},
	}
	defer e.catchSignals()()
	if o.Serial {
		return e.runExamination(nil, false)
	}
	wrong := l.Guard.CheckBeforeInit()
	if wrong != nil || !l.MPI {
		return e.runExamination(wrong, false)
	}
	e.beginStep(StepInit)
	world, err := l.Init()
	if err != nil {
		e.endStep()
		return e.printFailure(result.ExitFailed, err)
	}
	if wrong = l.Guard.CheckWorld(world.Size()); wrong == nil {
		e.world = world
	}
	status := e.runExamination(wrong, true)
	l.Finalize(world, status)
	return status
}

// runExamination examines, and returns the exit status. If the launch is wrong, only its first process examines.
// initialised says whether MPI is initialised.
func (e *examiner) runExamination(wrong error, initialised bool) int {
	if wrong != nil && !e.first {
		e.endStep()
		_, _ = fmt.Fprintf(e.Stderr, "h5perf doctor: process %d (%s) also sees only itself\n",
			e.found.Launch.Rank, e.host)
		e.sleepFor(otherGrace)
		e.sleepFor(launcher.StayTime(wrong))
		return result.ExitLaunch
	}
	e.makeChecks(wrong, initialised)
	status := e.endExamination(wrong)
	if wrong != nil { // the launcher may end the others with this one, before they report
		e.sleepFor(launcher.HeadStart)
		e.sleepFor(launcher.StayTime(wrong))
	}
	if err := e.Close(); err != nil {
		return e.printFailure(status, err)
	}
	return status
}

// makeChecks makes all checks. It is collective.
func (e *examiner) makeChecks(wrong error, initialised bool) {
	e.first = e.world.Rank() == 0
	e.found.Software, e.found.HDF5 = e.Software(initialised), e.HDF5()
	e.found.Launch.PMIx = e.PMIx()
	if !initialised {
		e.found.Software.MPI, e.found.Software.MPIStandard = e.Guard.Library, e.Standard()
	}
	if e.first && !e.JSON {
		software := e.found.Software
		program := strings.TrimSpace(software.Version + " " + software.Flavour)
		_, _ = fmt.Fprintf(e.Stdout, "h5perf %s on %s\n", program, e.host)
	}
	if !e.Serial {
		e.addCheck(CheckMPI(e.found.Software))
	}
	switch {
	case wrong != nil:
		e.addCheck(e.found.Launch.Check(wrong))
	case e.Serial:
		e.addCheck(e.found.Launch.CheckSerial(e.Guard.CheckWorld(1)))
		e.examineProcessors()
	default:
		e.examineJob()
		e.examineProcessors()
	}
	e.examineTarget()
	e.addCheck(e.found.HDF5.Check(e.MPI && !e.Serial))
	e.addCheck(CheckContainer(e.found.Machine))
}

// addCheck adds a check, and on the first process prints it.
func (e *examiner) addCheck(c Check) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found.AddCheck(c)
	if e.first && !e.JSON {
		_ = e.printHighlighted(c.Verdict, c.Line())
	}
}

// styles are those of the verdicts on a terminal.
var styles = map[Verdict]output.Style{
	OK: output.Green, Warning: output.Yellow, Problem: output.Red,
}

// printHighlighted prints text that begins with a verdict.
func (e *examiner) printHighlighted(v Verdict, text string) error {
	_, err := io.WriteString(e.Stdout, output.LookOf(e.Stdout).StyleBeginnings(text,
		output.Beginning{Text: string(v), Style: styles[v]}, output.Beginning{Text: "Verdict:", Style: styles[v]}))
	return err
}

// endExamination ends the examination and returns the exit status of this process. Only the first process knows all
// checks.
func (e *examiner) endExamination(wrong error) int {
	e.endStep()
	e.mu.Lock()
	defer e.mu.Unlock()
	status := result.ExitOK
	switch {
	case wrong != nil:
		status = result.ExitLaunch
	case e.found.Verdict == Problem:
		status = result.ExitFailed
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
		err = e.printHighlighted(e.found.Verdict, e.found.Summary())
	}
	if err != nil {
		return e.printFailure(status, err)
	}
	return status
}

// printFailure reports an error that all processes have, on the first one, and returns the status.
func (e *examiner) printFailure(status int, err error) int {
	if e.first {
		_, _ = fmt.Fprintf(e.Stderr, "h5perf: %v\n", err)
	}
	return max(status, result.ExitFailed)
}
