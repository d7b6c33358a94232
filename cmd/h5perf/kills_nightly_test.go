//go:build nightly && !nompi

package main

import (
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

// kills is the number of runs that are killed at random moments.
const kills = 40

// everyFact makes profiles run for all facts about them.
const everyFact = true

// sigterms is the number of runs whose launcher gets SIGTERM.
const sigterms = 20

// Open MPI's launcher kills the ranks one second after SIGTERM, perhaps in the middle of a long write. The document
// must not call that a failure either.
func TestSIGTERMToTheLauncherDuringLongWritesInterruptsTheRun(t *testing.T) {
	t.Parallel()
	for range sigterms {
		l := launch(t, 2, t.TempDir(), nil, nil, "-A", "posix", "-w", "-p", "2", "-i", "100000", "-e", "512M", "-x",
			"512M",
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
