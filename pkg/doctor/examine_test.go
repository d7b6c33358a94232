package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/result"
)

var errTest = errors.New("as the test asked")

// process is a process of an examination, which runs in a goroutine.
type process struct {
	Process
	Libraries
	ExamineOptions
	stdout, stderr bytes.Buffer
	signals        chan os.Signal
	hung           chan time.Time // fires when the current step is to count as hanging
	once           sync.Once
	done           chan struct{}
	status         int
}

// last is a communicator whose Abort waits until the first process has reported.
type last struct {
	mpi.Comm
	first *process
}

func (l last) Abort(status int) {
	<-l.first.done
	l.Comm.Abort(status)
}

// examination returns an examination of n processes that finds nothing wrong.
func examination(t *testing.T, processes int) []*process {
	t.Helper()
	var all []*process
	aborted := func(int, int, error) {}
	after := func(time.Duration) <-chan time.Time { return time.After(time.Millisecond) }
	world := mpi.MemoryJobOptions{
		Node: func(rank int) int { return rank / 2 }, Aborted: aborted,
		After: after,
	}.NewWorld(processes)
	directory, now := t.TempDir(), time.Now()
	for rank := range processes {
		comm := world[rank]
		if rank > 0 {
			comm = last{comm, all[0]}
		}
		p := &process{
			signals: make(chan os.Signal), done: make(chan struct{}), status: -1,
		}
		p.Process = Process{
			Stdout: &p.stdout, Stderr: &p.stderr, LimitWrites: func() {},
			Now: func() time.Time { return now }, Grace: time.Hour,
			After: func(d time.Duration) <-chan time.Time {
				if d == p.Timeout || d == p.Timeout+otherGrace { // timer of a new step
					p.hung = make(chan time.Time, 1)
					return p.hung
				}
				return time.After(0)
			},
			Exit: func(status int) {
				p.end(status)
				runtime.Goexit()
			},
			Signals:    func() (<-chan os.Signal, func()) { return p.signals, func() {} },
			Processors: func() (mpi.Processors, error) { return mpi.Processors{CPUs: "0-3"}, nil },
		}
		p.Libraries = Libraries{
			Guard: launcher.LaunchGuard{
				Source: launched(rank, processes), Library: "MPI of the test", OnlyPMIx: func() bool { return false },
			},
			MPI: true, Init: func() (mpi.Comm, error) { return comm, nil },
			Finalize: func(mpi.Comm, int) {},
			Standard: func() string { return "3.1" }, PMIx: func() string { return "" },
			Ring: func(mpi.Comm, int, time.Duration) (time.Duration, error) { return time.Millisecond, nil },
			Software: func(bool) result.Software {
				return result.Software{Version: "v1", MPI: "MPI of the test", MPIStandard: "3.1"}
			},
			HDF5:  func() *HDF5 { return &HDF5{Version: "1.14.0", Library: "1.14.0", Parallel: true} },
			Close: func() error { return nil },
		}
		p.ExamineOptions = ExamineOptions{Directory: directory, Timeout: time.Minute, JSON: true}
		all = append(all, p)
	}
	return all
}

// launched returns the source of a launch with this rank and number of processes.
func launched(rank, processes int) func() launcher.LaunchEvidence {
	return func() launcher.LaunchEvidence {
		return launcher.LaunchEvidence{OwnEnvironment: true, Getenv: func(name string) string {
			switch name {
			case "PMI_SIZE":
				return string(rune('0' + processes))
			case "PMI_RANK":
				return string(rune('0' + rank))
			}
			return ""
		}}
	}
}

func (p *process) end(status int) {
	p.once.Do(func() {
		p.status = status
		close(p.done)
	})
}

// begin starts the processes.
func begin(all []*process) {
	for _, p := range all {
		go func() {
			defer p.end(-1)
			p.end(Examine(p.Process, p.Libraries, p.ExamineOptions))
		}()
	}
}

// wait waits for the end of the process.
func (p *process) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		t.Fatal("a process does not end")
	}
}

// run runs the examination and waits for the first n processes. It returns the result that the first process printed.
func run(t *testing.T, all []*process, n int) Examination {
	t.Helper()
	begin(all)
	for _, p := range all[:n] {
		p.wait(t)
	}
	var found Examination
	if all[0].JSON && all[0].stdout.Len() > 0 {
		if err := json.Unmarshal(all[0].stdout.Bytes(), &found); err != nil {
			t.Fatalf("%v: %s", err, all[0].stdout.String())
		}
		if found.ExitStatus != all[0].status && all[0].status != result.ExitFailed {
			t.Errorf("exit status %d, told %d", all[0].status, found.ExitStatus)
		}
	}
	if entries, err := os.ReadDir(all[0].Directory); err == nil && len(entries) > 0 {
		t.Errorf("%v is left", entries)
	}
	return found
}

// check returns the check with the given name from an examination.
func check(t *testing.T, found Examination, name string) Check {
	t.Helper()
	for _, c := range found.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Errorf("no check of %s: %+v", name, found.Checks)
	return Check{}
}

func TestAllProcessesAreExaminedTogether(t *testing.T) {
	for _, processes := range []int{1, 4} {
		all := examination(t, processes)
		found := run(t, all, processes)
		nodes := (processes + 1) / 2
		if found.Verdict == Problem || found.Launch.Processes != processes || found.Launch.Nodes != nodes ||
			found.Target.Directory != all[0].Directory || found.Target.Shared.AskedProcesses != processes/2 ||
			found.Software.MPI == "" {
			t.Errorf("%+v", found)
		}
		if together := processes > 1; together != (found.Ring != nil) || together != (found.SingleCopy != nil) ||
			together && !found.SingleCopy.Possible {
			t.Errorf("ring %+v, single copy %+v", found.Ring, found.SingleCopy)
		}
		for rank, p := range all {
			if p.status != result.ExitOK || p.stderr.Len() > 0 || (rank == 0) != (p.stdout.Len() > 0) {
				t.Errorf("process %d ends with %d, %q", rank, p.status, p.stderr.String())
			}
		}
	}
}

func TestMoreProcessesThanProcessorsAreAWarning(t *testing.T) {
	all := examination(t, 4) // on two nodes
	for _, p := range all[2:] {
		p.Processors = func() (mpi.Processors, error) {
			return mpi.Processors{CPUs: "0-3", Quotas: []mpi.Quota{{Group: "/job", CPUs: 1.5}}}, nil
		}
	}
	found := run(t, all, 4)
	if c := check(t, found, "processors"); c.Verdict != Warning || found.Verdict != Warning ||
		!strings.Contains(c.Finding, " runs 2 processes on 1.5 processors ") || c.Advice == "" ||
		all[0].status != result.ExitOK {
		t.Errorf("status %d, %+v", all[0].status, c)
	}
	if p := found.Placement; len(p) != 2 || p[0].CPUs != 4 || p[1].CPUs != 1.5 || len(p[1].Bindings) != 1 {
		t.Errorf("placement %+v", p)
	}
}

func TestProcessorsThatAreNotKnownAreNoWarning(t *testing.T) {
	all := examination(t, 2)
	all[0].Processors = func() (mpi.Processors, error) { return mpi.Processors{}, errTest }
	if c := check(t, run(t, all, 2), "processors"); c.Verdict != OK ||
		!strings.Contains(c.Finding, "it is unknown") {
		t.Errorf("%+v", c)
	}
}

func TestTextComesCheckByCheck(t *testing.T) {
	all := examination(t, 2)
	before := ""
	for _, p := range all {
		p.JSON = false
	}
	all[0].Ring = func(mpi.Comm, int, time.Duration) (time.Duration, error) {
		before = all[0].stdout.String()
		return time.Millisecond, nil
	}
	run(t, all, 2)
	out := all[0].stdout.String()
	if all[0].status != result.ExitOK || !strings.HasPrefix(out, "h5perf v1 ") ||
		!strings.Contains(out, "\nVerdict: ") {
		t.Errorf("status %d, %s", all[0].status, out)
	}
	if !strings.Contains(before, "\nok       MPI ") || strings.Contains(before, " launch ") {
		t.Errorf("before the messages it said\n%s", before)
	}
	for _, name := range []string{"launch", "ring", "processors", "locks", "HDF5", "container"} {
		if !strings.Contains(out, " "+name+" ") {
			t.Errorf("no line of %s in\n%s", name, out)
		}
	}
	if all[1].stdout.Len() > 0 {
		t.Errorf("the second process said\n%s", all[1].stdout.String())
	}
}

func TestAProblemIsTheStatusOfTheFirstProcess(t *testing.T) {
	all := examination(t, 2)
	all[0].Directory = "/no/such"
	found := run(t, all, 2)
	if all[0].status != result.ExitFailed || found.Verdict != Problem || found.ExitStatus != result.ExitFailed {
		t.Errorf("status %d, %+v", all[0].status, found)
	}
}

func TestAWrongLaunchIsToldByAllProcesses(t *testing.T) {
	all := examination(t, 2)
	for _, p := range all {
		p.Init = func() (mpi.Comm, error) { return mpi.Self{}, nil }
	}
	found := run(t, all, 2)
	if c := check(t, found, "launch"); c.Verdict != Problem ||
		!strings.Contains(c.Finding, "2 processes were launched") {
		t.Errorf("%+v", c)
	}
	if said := all[1].stderr.String(); !strings.Contains(said, "process 1 (") ||
		!strings.Contains(said, "also sees only itself") {
		t.Errorf("the second process says %q", said)
	}
	for rank, p := range all {
		if p.status != result.ExitLaunch {
			t.Errorf("process %d ends with %d", rank, p.status)
		}
	}
}

func TestMessagesThatDoNotComeEndTheJob(t *testing.T) {
	all := examination(t, 3)
	all[2].Ring = func(mpi.Comm, int, time.Duration) (time.Duration, error) { return 0, errTest }
	found := run(t, all, 1)
	if c := check(t, found, "ring"); all[0].status != result.ExitFailed || c.Verdict != Problem ||
		!strings.Contains(c.Finding, "rank 2 reports") {
		t.Errorf("status %d, %+v", all[0].status, c)
	}
}

func TestAStepThatHangsEndsTheJob(t *testing.T) {
	all := examination(t, 2)
	all[0].Init = func() (mpi.Comm, error) {
		all[0].hung <- time.Time{}
		select {}
	}
	found := run(t, all, 1)
	if c := check(t, found, StepInit); all[0].status != result.ExitFailed || c.Verdict != Problem ||
		!strings.Contains(c.Finding, "not finished after 1m0s") {
		t.Errorf("status %d, %+v", all[0].status, c)
	}
}

func TestAnotherProcessThatHangsSaysSo(t *testing.T) {
	all := examination(t, 2)
	all[1].Ring = func(mpi.Comm, int, time.Duration) (time.Duration, error) {
		all[1].hung <- time.Time{}
		select {}
	}
	begin(all)
	all[1].wait(t)
	if said := all[1].stderr.String(); all[1].status != result.ExitFailed ||
		!strings.Contains(said, "problem  ring         not finished after 1m15s") {
		t.Errorf("status %d, %q", all[1].status, said)
	}
}

// stuck is a communicator on which the first process, while its file exists, calls a function and then hangs.
type stuck struct {
	mpi.Comm
	does func()
}

func (s stuck) Bcast([]byte, int) []byte {
	s.does()
	select {}
}

// The files of an examination are removed even if it ends early; run checks this.
func TestAnExaminationThatIsCutShort(t *testing.T) {
	for name, c := range map[string]struct {
		cut    func(*process)
		status int
	}{
		"by a signal":                       {func(p *process) { p.signals <- syscall.SIGTERM }, result.ExitStopped},
		"by a file system that is too late": {func(p *process) { p.hung <- time.Time{} }, result.ExitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			all := examination(t, 1)
			comm, _ := all[0].Init() // Init of this test does not fail
			after, there := all[0].After, 0
			all[0].After = func(d time.Duration) <-chan time.Time {
				if d == abortTime {
					return nil // no time limit for the end of the examination
				}
				return after(d)
			}
			all[0].Init = func() (mpi.Comm, error) {
				return stuck{comm, func() {
					made, _ := os.ReadDir(all[0].Directory)
					there = len(made)
					c.cut(all[0])
				}}, nil
			}
			found := run(t, all, 1)
			if all[0].status != c.status || there != 1 {
				t.Errorf("status %d, want %d; %d directories were there", all[0].status, c.status, there)
			}
			if c.status == result.ExitStopped {
				if all[0].stdout.Len() > 0 {
					t.Errorf("it says %q", all[0].stdout.String())
				}
			} else if c := check(t, found, StepTarget); c.Verdict != Problem ||
				!strings.Contains(c.Finding, "not finished after 1m0s") {
				t.Errorf("%+v", c)
			}
		})
	}
}

// watchedAbort is a communicator that calls a function at an abort.
type watchedAbort struct {
	mpi.Comm
	aborts func()
}

func (w watchedAbort) Abort(status int) {
	w.aborts()
	w.Comm.Abort(status)
}

// An abort kills the first process, too, which has files to remove.
func TestASignalLeavesTheFirstProcessTimeToRemoveItsFiles(t *testing.T) {
	all := examination(t, 2)
	comm, _ := all[1].Init() // Init of this test does not fail
	after, waited := all[1].After, false
	all[1].After = func(d time.Duration) <-chan time.Time {
		if d == firstAbortTime {
			waited = true
			all[0].signals <- syscall.SIGTERM
			<-all[0].done
		}
		return after(d)
	}
	all[1].Init = func() (mpi.Comm, error) {
		return watchedAbort{comm, func() {
			if !waited {
				t.Error("the second process aborts at once")
			}
		}}, nil
	}
	first, _ := all[0].Init()
	all[0].Init = func() (mpi.Comm, error) {
		return stuck{first, func() { all[1].signals <- syscall.SIGTERM }}, nil
	}
	run(t, all, 2)
	if all[0].status != result.ExitStopped {
		t.Errorf("status %d", all[0].status)
	}
}

func TestLibrariesThatFail(t *testing.T) {
	for name, change := range map[string]func(*process){
		"MPI_Init":        func(p *process) { p.Init = func() (mpi.Comm, error) { return nil, errTest } },
		"HDF5":            func(p *process) { p.Close = func() error { return errTest } },
		"standard output": func(p *process) { p.Stdout = broken{} },
	} {
		all := examination(t, 1)
		change(all[0])
		if run(t, all, 1); all[0].status != result.ExitFailed ||
			all[0].stderr.String() != "h5perf: as the test asked\n" {
			t.Errorf("%s: status %d, %q", name, all[0].status, all[0].stderr.String())
		}
	}
}

// broken is a writer that always fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errTest }

func TestAProgramWithoutMPIExaminesTheRest(t *testing.T) {
	all := examination(t, 1)
	all[0].MPI, all[0].HDF5 = false, func() *HDF5 { return nil }
	all[0].Init = func() (mpi.Comm, error) {
		t.Error("it initialises MPI")
		return mpi.Self{}, nil
	}
	found := run(t, all, 1)
	if all[0].status != result.ExitOK || check(t, found, "locks").Finding == "" ||
		check(t, found, "HDF5").Verdict == Problem {
		t.Errorf("status %d, %+v", all[0].status, found)
	}
}

func TestAnExaminationForASerialRunNeedsNoLauncher(t *testing.T) {
	all := examination(t, 1)
	all[0].Serial = true
	all[0].Init = func() (mpi.Comm, error) {
		t.Error("it initialises MPI")
		return mpi.Self{}, nil
	}
	found := run(t, all, 1)
	if all[0].status != result.ExitOK || check(t, found, "launch").Verdict != OK ||
		check(t, found, "locks").Finding == "" {
		t.Errorf("status %d, %+v", all[0].status, found)
	}
}

func TestAnExaminationForASerialRunWarnsOfSeveralProcesses(t *testing.T) {
	all := examination(t, 2)[:1]
	all[0].Serial = true
	found := run(t, all, 1)
	if c := check(t, found, "launch"); all[0].status != result.ExitOK || c.Verdict != Warning ||
		!strings.HasPrefix(c.Finding, "2 processes were launched (") || !strings.Contains(c.Advice, "one process") {
		t.Errorf("status %d, %+v", all[0].status, c)
	}
}

func TestAnExaminationTellsOfPartOfANode(t *testing.T) {
	m := node.Machine()
	for granted, want := range map[int]bool{m.CPUs + 1: false, 1: m.CPUs > 1 && m.Cores != 1} {
		all := examination(t, 1)
		t.Setenv("SLURM_JOB_CPUS_PER_NODE", strconv.Itoa(granted))
		found := run(t, all, 1)
		told := slices.ContainsFunc(found.Checks, func(c Check) bool { return c.Name == "sharing" })
		if told != want {
			t.Errorf("%d processors: %+v", granted, found.Checks)
		}
	}
}
