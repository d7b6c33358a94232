// This file runs an examination in each of its processes. Together, the processes collect the facts for the checks. An
// examination ends in time even if another process does not answer.

package doctor

import (
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
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// ExamineOptions are the options of an examination.
type ExamineOptions struct {
	Directory string
	Timeout   time.Duration // a step that takes longer counts as hanging
	Serial    bool          // without MPI, even if the program has it
	JSON      bool          // write one JSON document instead of text
}

// Process holds what an examination needs from its process: output streams, clock, signals, exit, and the processors
// that it may use. All fields must be set.
type Process struct {
	Stdout, Stderr io.Writer
	LimitWrites    func() // see run.Process

	Now     func() time.Time // has a monotonic reading
	After   func(time.Duration) <-chan time.Time
	Grace   time.Duration                                  // see bench.Grace
	Exit    func(status int)                               // ends the process and does not return
	Signals func() (signals <-chan os.Signal, stop func()) // signals that end a process, until stop is called

	Processors func() (mpi.Processors, error) // processors that this process may use
}

// Libraries holds the functions through which an examination uses the MPI and HDF5 libraries of the program.
type Libraries struct {
	Guard    launcher.LaunchGuard
	MPI      bool // the program has MPI
	Init     func() (mpi.Comm, error)
	Finalize func(world mpi.Comm, status int) // finalizes MPI, or exits with the status if that takes too long
	Standard func() string                    // version of the MPI standard
	PMIx     func() string                    // version of the PMIx library that MPI uses; "" if it uses none
	// Ring passes a message of n bytes around all processes, like mpi.Ring.
	Ring func(world mpi.Comm, n int, patience time.Duration) (time.Duration, error)

	Software func(initialised bool) result.Software // initialised: MPI is initialised
	HDF5     func() *HDF5                           // returns nil in a program without HDF5
	Close    func() error                           // closes HDF5
}

// otherGrace is the time that the other processes wait longer than the first process: for the end of a step, or for the
// first process to end its examination.
const otherGrace = 15 * time.Second

// abortTime is the time limit for the file system, and then for MPI, when an examination is aborted.
const abortTime = 2 * time.Second

// firstAbortTime is the time that the other processes leave the first one to end the job after a signal: it has files
// to remove, and the first abort kills all.
const firstAbortTime = abortTime + time.Second

// examiner is the state of an examination in one process.
type examiner struct {
	Process
	Libraries
	ExamineOptions
	world   mpi.Comm
	isFirst bool // this is the first process of the job, which reports
	host    string
	trial   DirectoryTest

	endOnce     sync.Once
	mu          sync.Mutex // guards the fields below
	examination Examination
	stepEnded   chan struct{} // closed at the end of the current step; nil between steps
}

// Examine examines the environment of a run, and returns the exit status of this process. All processes of
// MPI_COMM_WORLD must call it, unless the job was launched wrongly.
func Examine(p Process, l Libraries, o ExamineOptions) int {
	from := l.Guard.Source()
	machine := node.Machine()
	e := &examiner{
		Process: p, Libraries: l, ExamineOptions: o, world: mpi.Self{}, isFirst: from.Rank() == 0, host: machine.Host,
		examination: Examination{
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

// runExamination runs the examination and returns the exit status of this process. wrong is the error in the way the
// job was launched, or nil. If wrong is not nil, only the first process of the launch makes checks. initialised says
// whether MPI is initialised.
func (e *examiner) runExamination(wrong error, initialised bool) int {
	if wrong != nil && !e.isFirst {
		e.endStep()
		_, _ = fmt.Fprintf(e.Stderr, "h5perf doctor: process %d (%s) also sees only itself\n",
			e.examination.Launch.Rank, e.host)
		e.sleepFor(otherGrace)
		e.sleepFor(launcher.ExitDelay(wrong))
		return result.ExitLaunch
	}
	e.makeChecks(wrong, initialised)
	status := e.endExamination(wrong)
	if wrong != nil { // the launcher may end the other processes with this one, before they report
		e.sleepFor(launcher.FirstRankHeadStart)
		e.sleepFor(launcher.ExitDelay(wrong))
	}
	if err := e.Close(); err != nil {
		return e.printFailure(status, err)
	}
	return status
}

// makeChecks makes all checks of the examination. It is collective.
func (e *examiner) makeChecks(wrong error, initialised bool) {
	e.isFirst = e.world.Rank() == 0
	e.examination.Software, e.examination.HDF5 = e.Software(initialised), e.HDF5()
	e.examination.Launch.PMIx = e.PMIx()
	if !initialised {
		e.examination.Software.MPI, e.examination.Software.MPIStandard = e.Guard.Library, e.Standard()
	}
	if e.isFirst && !e.JSON {
		software := e.examination.Software
		program := strings.TrimSpace(software.Version + " " + software.Flavour)
		_, _ = fmt.Fprintf(e.Stdout, "h5perf %s on %s\n", program, e.host)
	}
	if !e.Serial {
		e.addCheck(CheckMPI(e.examination.Software))
	}
	switch {
	case wrong != nil:
		e.addCheck(e.examination.Launch.Check(wrong))
	case e.Serial:
		e.addCheck(e.examination.Launch.CheckSerial(e.Guard.CheckWorld(1)))
		e.examineProcessors()
	default:
		e.examineJob()
		e.examineProcessors()
	}
	e.examineTarget()
	e.addCheck(e.examination.HDF5.Check(e.MPI && !e.Serial))
	e.addCheck(CheckContainer(e.examination.Machine))
}

// addCheck adds a check. On the first process it also prints the check.
func (e *examiner) addCheck(c Check) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.examination.AddCheck(c)
	if e.isFirst && !e.JSON {
		_ = e.printHighlighted(c.Verdict, c.Line())
	}
}

// verdictStyles holds the style of each verdict on a terminal.
var verdictStyles = map[Verdict]output.Style{
	OK: output.Green, Warning: output.Yellow, Problem: output.Red,
}

// printHighlighted prints text. On a terminal with colour it colours the verdict at the beginning.
func (e *examiner) printHighlighted(v Verdict, text string) error {
	_, err := io.WriteString(e.Stdout, output.LookOf(e.Stdout).StylePrefixes(text,
		output.StyledPrefix{Text: string(v), Style: verdictStyles[v]},
		output.StyledPrefix{Text: "Verdict:", Style: verdictStyles[v]}))
	return err
}

// endExamination ends the examination and returns the exit status of this process. The first process, which knows all
// checks, prints the result.
func (e *examiner) endExamination(wrong error) int {
	e.endStep()
	e.mu.Lock()
	defer e.mu.Unlock()
	status := result.ExitOK
	switch {
	case wrong != nil:
		status = result.ExitLaunch
	case e.examination.Verdict == Problem:
		status = result.ExitFailed
	}
	e.examination.ExitStatus = status
	if !e.isFirst {
		return status
	}
	var err error
	if e.JSON {
		err = plain.WriteJSON(e.Stdout, e.examination)
	} else {
		err = e.printHighlighted(e.examination.Verdict, e.examination.Summary())
	}
	if err != nil {
		return e.printFailure(status, err)
	}
	return status
}

// printFailure prints an error on the first process only, because all processes have the same error. It returns status,
// or result.ExitFailed if status is 0.
func (e *examiner) printFailure(status int, err error) int {
	if e.isFirst {
		_, _ = fmt.Fprintf(e.Stderr, "h5perf: %v\n", err)
	}
	return max(status, result.ExitFailed)
}
