//go:build cgo && !nompi

package main

import (
	"strings"
	"testing"
)

func TestTheSummaryOfAJobIsWrittenOnce(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--report", "summary"}} {
		l := launch(t, 2, t.TempDir(), nil, nil, append(args, "-e", "1M", "-p", "2", "-D", "v")...)
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		text, other := l.stderr.String(), l.stdout.String()
		if args != nil {
			text, other = other, text
		}
		_, summary, found := strings.Cut(text, "Summary of run "+l.document().RunID+": ")
		if lines := strings.Count(summary, "\n"); !found || lines > 12 ||
			strings.Contains(summary, "Summary of run ") ||
			strings.Contains(other, "Summary of run ") || !strings.Contains(summary, " MiB verified, 2 processes") {
			t.Errorf("%q: %d lines: %s", args, lines, summary)
		}
		for _, want := range []string{
			"POSIX write ", "MPI-IO read ", "HDF5 read ", " of MPI-IO ", " report " + l.json + "\n",
		} {
			if !strings.Contains(summary, want) {
				t.Errorf("%q: no %q in %s", args, want, summary)
			}
		}
		if strings.Contains(l.stdout.String(), "Maximum Throughput") != (args == nil) {
			t.Errorf("%q: standard output is %s", args, l.stdout.String())
		}
		l.cleaned()
	}
}
