package run

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// world is a communicator of one process that records calls of Abort.
type world struct {
	mpi.Self
	aborted *[]int
}

func (w world) Abort(status int) { *w.aborted = append(*w.aborted, status) }

type launched struct {
	status         int
	calls          []string // in order
	stderr         locked
	aborted, exits []int
	slept          []time.Duration
}

// launch does a launch in which measuring returns a status. change may break something.
func launch(t *testing.T, status int, change func(*Launch, *Process)) *launched {
	t.Helper()
	done := &launched{}
	call := func(name string) { done.calls = append(done.calls, name) }
	from := func() launcher.LaunchEvidence {
		return launcher.LaunchEvidence{Getenv: func(string) string { return "" }, OwnEnvironment: true}
	}
	l := Launch{
		Guard:   launcher.LaunchGuard{Source: from, Library: "Open MPI v4", OnlyPMIx: func() bool { return true }},
		IsFirst: func() bool { return true },
		Init: func() (mpi.Comm, error) {
			call("init")
			return world{aborted: &done.aborted}, nil
		},
		Close: func() error {
			call("close")
			return nil
		},
		Finalize: func(mpi.Comm) { call("finalize") },
	}
	p := Process{
		Stderr: &done.stderr, Now: time.Now, Patience: &bench.WaitPolicy{},
		Exit: func(status int) { done.exits = append(done.exits, status) },
		After: func(d time.Duration) <-chan time.Time {
			if d == finalizeTime {
				return nil
			}
			done.slept = append(done.slept, d)
			return time.After(0)
		},
	}
	change(&l, &p)
	done.status = l.Run(p, func(mpi.Comm) int {
		call("measure")
		return status
	})
	return done
}

func TestALaunchEndsHDF5BeforeMPI(t *testing.T) {
	for _, status := range []int{result.ExitOK, result.ExitFailed, result.ExitUsage} {
		done := launch(t, status, func(*Launch, *Process) {})
		if done.status != status || strings.Join(done.calls, " ") != "init measure close finalize" ||
			done.stderr.String() != "" {
			t.Errorf("status %d after %v, %q", done.status, done.calls, done.stderr.String())
		}
	}
}

func TestHDF5ThatCannotBeEndedFailsTheRun(t *testing.T) {
	done := launch(t, result.ExitOK, func(l *Launch, _ *Process) { l.Close = func() error { return errTest } })
	if done.status != result.ExitFailed ||
		!strings.Contains(done.stderr.String(), "h5perf: rank 0: as the test asked") ||
		!slices.Contains(done.calls, "finalize") {
		t.Errorf("status %d after %v, %q", done.status, done.calls, done.stderr.String())
	}
}

func TestMPIThatCannotBeInitialisedIsToldByTheFirst(t *testing.T) {
	for _, first := range []bool{true, false} {
		done := launch(t, result.ExitOK, func(l *Launch, _ *Process) {
			l.IsFirst = func() bool { return first }
			l.Init = func() (mpi.Comm, error) { return nil, errTest }
		})
		if done.status != result.ExitFailed || len(done.calls) > 0 ||
			first != (done.stderr.String() == "h5perf: as the test asked\n") {
			t.Errorf("status %d after %v, %q", done.status, done.calls, done.stderr.String())
		}
	}
}

func TestAWrongLaunchIsRefused(t *testing.T) {
	two := func() launcher.LaunchEvidence {
		return launcher.LaunchEvidence{OwnEnvironment: true, Getenv: func(name string) string {
			return map[string]string{"PMI_SIZE": "2", "PMI_RANK": "0"}[name]
		}}
	}
	for name, c := range map[string]struct {
		first, alone bool
		calls        string
	}{
		"before MPI":               {true, true, ""},
		"before MPI, not first":    {false, true, ""},
		"after MPI":                {true, false, "init close finalize"},
		"after MPI, not the first": {false, false, "init close finalize"},
	} {
		t.Run(name, func(t *testing.T) {
			done := launch(t, result.ExitOK, func(l *Launch, _ *Process) {
				l.Guard.Source, l.Guard.OnlyPMIx = two, func() bool { return c.alone }
				l.IsFirst = func() bool { return c.first }
			})
			said := strings.Contains(done.stderr.String(), "h5perf: 2 processes were launched (PMI_SIZE)")
			waited := slices.Contains(done.slept, launcher.FirstRankHeadStart)
			if done.status != result.ExitLaunch || strings.Join(done.calls, " ") != c.calls || said != c.first ||
				waited == c.first {
				t.Errorf("status %d after %v, slept %v, %q", done.status, done.calls, done.slept, done.stderr.String())
			}
		})
	}
}

// After a normal end of the ranks, MPICH's launcher would return 0.
func TestAStoppedRunAbortsMPICHButNotOpenMPI(t *testing.T) {
	for library, aborts := range map[string]bool{"Open MPI v4": false, "MPICH Version: 4": true} {
		done := launch(t, result.ExitStopped, func(l *Launch, _ *Process) { l.Guard.Library = library })
		if done.status != result.ExitStopped || aborts != slices.Equal(done.aborted, []int{result.ExitStopped}) ||
			aborts == slices.Contains(done.calls, "finalize") {
			t.Errorf("%s: status %d after %v, aborted with %v", library, done.status, done.calls, done.aborted)
		}
	}
}

// The first process that aborts kills the others, which may have files to remove, for example that of a claim.
func TestAStoppedRunAbortsWhenAllProcessesHaveEndedTheirWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended, aborts atomic.Int32
		aborted := func(rank, _ int, _ error) {
			aborts.Add(1)
			if ended.Load() != 2 {
				t.Errorf("rank %d aborts while another one works", rank)
			}
		}
		for _, world := range (mpi.MemoryJobOptions{Aborted: aborted}).NewWorld(2) {
			go launch(t, result.ExitStopped, func(l *Launch, p *Process) {
				l.Guard.Library, p.Grace = "MPICH Version: 4", time.Minute
				l.Init = func() (mpi.Comm, error) { return world, nil }
				l.Close = func() error {
					if world.Rank() == 0 {
						time.Sleep(time.Second)
					}
					ended.Add(1)
					return nil
				}
			})
		}
		synctest.Wait()
		time.Sleep(2 * time.Second)
		if aborts.Load() == 0 {
			t.Error("no process aborts")
		}
	})
}

func TestMPIThatDoesNotEndIsLeft(t *testing.T) {
	for seen, want := range map[time.Duration]time.Duration{
		0: finalizeTime, 2 * time.Second: finalizeTime, 5 * time.Second: 20 * time.Second,
	} {
		exited := make(chan int)
		done := launch(t, result.ExitFailed, func(l *Launch, p *Process) {
			p.After = func(d time.Duration) <-chan time.Time {
				if d != want {
					t.Errorf("it waits %v, want %v", d, want)
				}
				return time.After(0)
			}
			p.Exit = func(status int) { exited <- status }
			p.Patience.NoteCall(seen)
			l.Finalize = func(mpi.Comm) {
				if status := <-exited; status != result.ExitFailed {
					t.Errorf("the process ends with %d", status)
				}
			}
		})
		if text := fmt.Sprintf("h5perf: rank 0: MPI_Finalize has not returned after %v;", want); !strings.Contains(
			done.stderr.String(), text) {
			t.Errorf("%q", done.stderr.String())
		}
	}
}

func TestMPIThatDoesNotStartEndsTheProcess(t *testing.T) {
	exited := make(chan int, 1)
	done := launch(t, result.ExitOK, func(l *Launch, p *Process) {
		l.InitTimeout = time.Minute
		init, after := l.Init, p.After
		p.After = func(d time.Duration) <-chan time.Time {
			if d == time.Minute {
				return time.After(0)
			}
			return after(d)
		}
		p.Exit = func(status int) { exited <- status }
		l.Init = func() (mpi.Comm, error) {
			if status := <-exited; status != result.ExitLaunch {
				t.Errorf("the process ends with %d", status)
			}
			return init()
		}
	})
	if text := done.stderr.String(); !strings.HasPrefix(text, "h5perf: rank 0 (") ||
		!strings.Contains(text, "): MPI_Init has not returned after 1m0s; a process is missing") {
		t.Errorf("%q", text)
	}
}

func TestVariablesOfARequestWinOverTheEnvironment(t *testing.T) {
	t.Setenv("HDF5_PREFIX", "/environment")
	t.Setenv("HDF5_NOCLEANUP", "1")
	r := Request{Variables: map[string]string{"HDF5_PREFIX": "/own"}}
	if got := r.Getenv("HDF5_PREFIX") + r.Getenv("HDF5_NOCLEANUP"); got != "/own1" {
		t.Errorf("variables %q", got)
	}
	environ := r.Environ()
	if !slices.Contains(environ, "HDF5_PREFIX=/own") || slices.Contains(environ, "HDF5_PREFIX=/environment") ||
		len(environ) != len(os.Environ()) {
		t.Errorf("environment %q", environ)
	}
}

// Open MPI's own MPI-IO crashes with longer paths.
func TestPathsThatAreTooLongForOMPIOAreRefused(t *testing.T) {
	for _, c := range []struct {
		library, component, api string
		refused, colon          bool
	}{
		{"Open MPI v4", "ompio", "mpiio", true, false},
		{"Open MPI v4", "ROMIO 3.4", "mpiio", false, true},
		{"Open MPI v4", "ompio", "posix", false, false},
		{"MPICH Version: 4", "", "mpiio", false, true},
		{"MPICH Version: 4", "", "posix", false, false},
		{"", "", "mpiio", false, false},
	} {
		tool := Tool{Library: c.library, Component: func() string { return c.component }, Prefix: "X"}
		a := &arm{job: &job{Tool: tool}}
		a.plan.Parameters.APIs, a.plan.Parameters.Files = []string{c.api}, 1
		a.dir.Path = "/" + strings.Repeat("d", maxPathBytes-len("//"+a.dir.DataPath("1", c.api)))
		if err := a.checkPath(); err != nil {
			t.Errorf("%+v: longest path: %v", c, err)
		}
		a.dir.Path += "d"
		if err := a.checkPath(); c.refused != (err != nil) {
			t.Errorf("%+v: %v", c, err)
		}
		a.dir.Path = "/scratch/a:b"
		if err, want := a.checkPath(), c.colon; want != (err != nil) {
			t.Errorf("%+v, with a colon: %v", c, err)
		}
		a.dir.Path = "/" + strings.Repeat("d", maxPathBytes)
		if err := a.checkPath(); c.refused != (err != nil) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
