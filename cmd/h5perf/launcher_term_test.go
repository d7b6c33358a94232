//go:build cgo && !nompi

package main

import (
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

// SIGTERM to the launcher, for example from a batch system, interrupts the run. Each case keeps its complete
// iterations, and no document calls it a failure.
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
