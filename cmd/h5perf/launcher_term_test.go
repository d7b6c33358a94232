//go:build cgo && !nompi

package main

import (
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

// SIGTERM to the launcher, as of a batch system, interrupts the run: each case keeps its complete iterations, and no
// document calls it a failure.
func TestSIGTERMToTheLauncherInterruptsTheRun(t *testing.T) {
	t.Parallel()
	for i := range sigterms {
		l := launch(t, 2, t.TempDir(), nil, nil, endless("--order", "random")...)
		l.within(startTime, "some rounds", func() bool {
			ranks := l.ranks()
			return len(ranks) == 2 && written(ranks[0]) > 16<<20+i*(1<<20)
		})
		if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		l.fails(endsWithin)
		doc := l.document()
		if doc.State != result.Interrupted || doc.ExitStatus == nil || *doc.ExitStatus != 143 || len(doc.Cases) == 0 {
			t.Errorf("document is %s with %d cases, exit status %v, %v", doc.State, len(doc.Cases), doc.ExitStatus,
				doc.Errors)
		}
		for _, c := range doc.Cases {
			if c.State != result.Interrupted || len(c.Points()) != 2 {
				t.Errorf("%s is %s, with figures of %d operations", c.API, c.State, len(c.Points()))
			}
		}
		l.cleaned()
	}
}

// Open MPI's launcher kills the ranks a second after SIGTERM, perhaps in the middle of a long write. Nobody calls that a
// failure either.
func TestSIGTERMToTheLauncherDuringLongWritesInterruptsTheRun(t *testing.T) {
	t.Parallel()
	for range sigterms {
		l := launch(t, 2, t.TempDir(), nil, nil, "-A", "posix", "-w", "-p", "2", "-i", "100000", "-e", "512M", "-x", "512M",
			"-X", "512M", "-B", "1M")
		l.within(startTime, "a write", func() bool {
			ranks := l.ranks()
			return len(ranks) == 2 && written(ranks[0]) > 512<<20
		})
		if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		l.fails(endsWithin)
		doc := l.document()
		if doc.State != result.Interrupted || doc.ExitStatus == nil || *doc.ExitStatus != 143 {
			t.Errorf("document is %s, exit status %v, %v", doc.State, doc.ExitStatus, doc.Errors)
		}
		l.cleaned()
	}
}
