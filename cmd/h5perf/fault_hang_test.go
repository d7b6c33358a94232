//go:build cgo && !nompi

package main

import (
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/faulttest"
	"h5perf/pkg/test/plaintest"
)

// alive returns the number of ranks that still exist.
func (l *launched) alive() int {
	n := 0
	for _, pid := range l.ranks() {
		if syscall.Kill(pid, 0) == nil {
			n++
		}
	}
	return n
}

func TestADeadServerEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, rule string
		phase      result.Phase
		operation  result.Operation
	}{
		{"-A posix --sync close", "fsync:hang", "sync", "write"},
		{"-A mpiio -C -I", "write:hang:from=3", "transfer", "write"},
		{"-A phdf5 -C", "read:hang:from=5", "", "read"},
		{"-A posix", "create:hang:from=2", "open", "write"},
		{"-A posix", "flush:hang:from=2", "close", "write"},
	} {
		t.Run(c.args+" "+c.rule, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t, "--rule", c.rule)
			l := launch(t, 2, f.Path, nil, nil, endless(append(strings.Fields(c.args), "--timeout", hangTimeout)...)...)
			e := l.hung()
			if c.phase != "" && e.Phase != c.phase || e.Operation != c.operation || e.Host == "" ||
				!strings.Contains(e.Message, "hangs: "+f.Path) ||
				!strings.Contains(e.Message, "longer than --timeout "+hangTimeout) {
				t.Errorf("error %s, want one of phase %s, %s, that names what hangs", figures.FailureDuringRun(e),
					c.phase,
					c.operation)
			}
			// Ranks that hang in the kernel end when the server ends, whether or not their launcher waited for them.
			f.Abort()
			l.fails(endsWithin)
			if !strings.Contains(plaintest.Unwrap(l.stderr.String()),
				"h5perf: the job is ended: "+figures.FailureDuringRun(e)) {
				t.Errorf("standard error does not say %s", figures.FailureDuringRun(e))
			}
			l.within(endsWithin, "the end of all ranks", func() bool { return l.alive() == 0 })
		})
	}
}

func TestAServerThatComesBackIsCleanedUp(t *testing.T) {
	t.Parallel()
	f := faulttest.Start(t, "--rule", "write:hang:from=5")
	l := launch(t, 2, f.Path, nil, nil, endless("-A", "posix", "--timeout", hangTimeout)...)
	l.hung()
	f.SetRules()
	l.fails(endsWithin)
	l.cleaned()
}

func TestAServerThatIsDeadFromTheStartEndsTheRun(t *testing.T) {
	t.Parallel()
	f := faulttest.Start(t, "--rule", "any:hang")
	l := launch(t, 2, f.Path, nil, nil, "--timeout", hangTimeout)
	hangs := func() bool { return strings.Contains(plaintest.Unwrap(l.stderr.String()), "hangs: "+f.Path) }
	l.within(startTime, "the message that names what hangs", hangs)
	// In tests, the launcher of this release did not end before the server.
	if !strings.HasPrefix(mpi.LibraryVersion(), "Open MPI v5") {
		l.within(endsWithin, "the end of the launcher", func() bool {
			select {
			case <-l.ended:
				return true
			default:
				return false
			}
		})
	}
	f.Abort()
	l.fails(endsWithin)
	if s := l.stderr.String(); !strings.Contains(s, "start: rank 0 (") {
		t.Error("standard error does not name phase and rank")
	}
}

func TestAFrozenRankEndsTheRun(t *testing.T) {
	t.Parallel()
	for victim := range 2 {
		t.Run("rank "+string(rune('0'+victim)), func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, t.TempDir(), nil, nil, endless("-A", "posix", "--timeout", hangTimeout)...)
			l.working()
			l.signal(victim, syscall.SIGSTOP)
			l.fails(startTime)
			if s := plaintest.Unwrap(l.stderr.String()); !strings.Contains(s, "waited for other ranks") ||
				!strings.Contains(s, "no rank has reported progress") {
				t.Error("standard error does not say what was waited for")
			}
			doc := l.document()
			if doc.State == result.Complete || len(doc.Errors) == 0 {
				t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
			}
			// A stopped rank 0 cannot report. The launcher continues or kills it.
			if e := doc.Errors[0]; victim == 1 &&
				(doc.State != result.Failed || !strings.Contains(e.Message, "no rank has reported progress")) {
				t.Errorf("document is %s with error %v", doc.State, e)
			}
			l.cleaned()
		})
	}
}

func TestARunThatIsSlowIsLeftAlone(t *testing.T) {
	t.Parallel()
	// At the end of each transfer phase, rank 0 waits for rank 1, which does the last requests alone. The whole run
	// takes longer than several timeouts.
	f := faulttest.Start(t, "--direct", "--latency", "100ms")
	l := launch(t, 2, f.Path, nil, nil, "-A", "posix", "-p", "2", "-e", "2M", "-x", "64K", "-X", "64K", "-B", "64K",
		"--timeout", "2s", "-w")
	if status := l.wait(2 * startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if doc := l.document(); doc.State != result.Complete {
		t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
	}
}
