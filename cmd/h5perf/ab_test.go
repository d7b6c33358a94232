//go:build cgo

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// both launches ab with two configurations of the serial tool. Their documents are a.json and b.json in the same
// directory.
func both(t *testing.T, dirA, dirB string, a, b []string, own ...string) (*launched, [2]string) {
	t.Helper()
	documents := t.TempDir()
	paths := [2]string{filepath.Join(documents, "a.json"), filepath.Join(documents, "b.json")}
	words := append([]string{"ab", "--json-a", paths[0], "--json-b", paths[1]}, own...)
	words = append(append(words, "--", "HDF5_PREFIX="+dirA, "serial"), a...)
	words = append(append(words, "--", "HDF5_PREFIX="+dirB, "serial"), b...)
	l := start(t, nil, dirA, nil, words)
	l.json = paths[0]
	return l, paths
}

// arms returns the documents of both configurations, after the run has ended.
func (l *launched) arms(paths [2]string) (docs [2]result.Document) {
	l.t.Helper()
	for i, path := range paths {
		l.json = path
		docs[i] = l.document()
	}
	return docs
}

func TestTwoConfigurationsAreMeasuredInTurns(t *testing.T) {
	t.Parallel()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	l, paths := both(t, dirs[0], dirs[1], []string{"-A", "posix", "-e", "1M"},
		[]string{"-A", "posix", "-e", "1M", "-x", "4K"}, "-i", "12", "--seed", "3")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	docs := l.arms(paths)
	a, b := docs[0], docs[1]
	if a.Pair.Arm != "A" || b.Pair.Arm != "B" || a.Pair.PartnerRunID != b.RunID || b.Pair.PartnerRunID != a.RunID ||
		a.Pair.Seed != 3 || b.Pair.Seed != 3 {
		t.Errorf("pairs %+v of %s and %+v of %s", a.Pair, a.RunID, b.Pair, b.RunID)
	}
	if a.Target.Directory != dirs[0] || b.Target.Directory != dirs[1] || a.State != result.Complete ||
		b.State != result.Complete {
		t.Errorf("A in %s is %s, B in %s is %s", a.Target.Directory, a.State, b.Target.Directory, b.State)
	}
	samplesA, samplesB := a.Cases[0].Samples, b.Cases[0].Samples
	if len(samplesA) != 24 || len(samplesB) != 24 {
		t.Fatalf("%d and %d samples, want 24 each", len(samplesA), len(samplesB))
	}
	first := 0 // how often A was measured before B
	for i := 0; i < 24; i += 2 {
		if samplesA[i].Started.Before(samplesB[i].Started) {
			first++
		}
		if i > 0 &&
			(samplesA[i].Started.Before(samplesB[i-2].Ended) || samplesB[i].Started.Before(samplesA[i-2].Ended)) {
			t.Errorf("iteration %d began before the last of the other had ended", i/2+1)
		}
	}
	if first == 0 || first == 12 {
		t.Errorf("A was %d times of 12 before B: no random order", first)
	}
	const enough = "h5perf: Note: To show a difference in any of 2 points, A and B need at least 7 iterations each; " +
		"they have 12, which is enough.\n"
	if !strings.Contains(plaintest.Unwrap(l.stderr.String()), enough) {
		t.Errorf("no %q in %q", enough, l.stderr.String())
	}
	if text := l.stdout.String(); !strings.Contains(text, "12 pairs") || !strings.Contains(text, "2 points: ") ||
		strings.Contains(text, "Throughput") {
		t.Errorf("standard output is not the comparison:\n%s", text)
	}
	l.cleaned()
	l.base = dirs[1]
	l.cleaned()
}

func TestOneOfTwoConfigurationsFails(t *testing.T) {
	t.Parallel()
	l, paths := both(t, t.TempDir(), smallDisk(t, "1M"), []string{"-A", "posix", "-e", "4M"},
		[]string{"-A", "posix", "-e", "4M", "--space-check", "off"}, "-i", "3")
	if status := l.wait(startTime); status != result.ExitFailed {
		t.Errorf("exit status %d, want %d", status, result.ExitFailed)
	}
	docs := l.arms(paths)
	if docs[0].State != result.Complete || *docs[0].ExitStatus != 0 || len(docs[0].Cases[0].Samples) == 0 {
		t.Errorf("A is %s with %+v", docs[0].State, docs[0].Cases)
	}
	if docs[1].State != result.Failed || *docs[1].ExitStatus != result.ExitFailed || len(docs[1].Errors) == 0 ||
		len(docs[1].Cases[0].Samples) != 0 {
		t.Errorf("B is %s with %+v", docs[1].State, docs[1].Cases)
	}
	if !strings.Contains(l.stderr.String(), "h5perf: B: POSIX") ||
		!strings.Contains(l.stdout.String(), "not comparable") {
		t.Error("it is not told which failed, or that nothing can be compared")
	}
	l.cleaned()
}

func TestTwoConfigurationsEndTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		state  result.State
	}{{syscall.SIGTERM, result.Interrupted}, {syscall.SIGKILL, result.Failed}} {
		dirs := [2]string{t.TempDir(), t.TempDir()}
		l, paths := both(t, dirs[0], dirs[1], nil, nil, "-i", "100000")
		l.working()
		if err := l.cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		l.fails(startTime)
		docs := l.arms(paths)
		if len(docs[0].Errors)+len(docs[1].Errors) == 0 {
			t.Errorf("%v: no document has an error", c.signal)
		}
		for i, doc := range docs {
			if doc.State != c.state {
				t.Errorf("%v: arm %d is %s, want %s", c.signal, i, doc.State, c.state)
			}
			l.base = dirs[i]
			l.cleaned()
		}
	}
}

func TestConfigurationsThatAreNoPairAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []string
		want string
	}{
		{[]string{"-A", "posix"}, nil, "1 cases in A and 2 in B"},
		{[]string{"-i", "3"}, []string{"-i", "4"}, "3 iterations in A and 4 in B"},
		{nil, []string{"-w"}, "they must do the same operations"},
		{nil, []string{"-x", "3"}, "B: "},
	} {
		l, _ := both(t, t.TempDir(), t.TempDir(), c.a, c.b)
		if status := l.wait(startTime); status != result.ExitUsage || !strings.Contains(l.stderr.String(), c.want) {
			t.Errorf("%v -- %v: exit status %d, want %d and %q, got %s", c.a, c.b, status, result.ExitUsage, c.want,
				l.stderr.String())
		}
		l.cleaned()
	}
}

func TestAMissingDirectoryOfOneConfigurationEndsBoth(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "no", "such")
	l, paths := both(t, t.TempDir(), missing, nil, nil)
	if status := l.wait(startTime); status != result.ExitFailed ||
		strings.Count(l.stderr.String(), "no such file or directory") != 1 ||
		!strings.Contains(l.stderr.String(), "B: ") {
		t.Errorf("exit status %d, want %d and the reason once", status, result.ExitFailed)
	}
	for _, doc := range l.arms(paths) {
		if doc.State != result.Failed || len(doc.Cases) != 0 {
			t.Errorf("document is %s with %d cases, want failed without", doc.State, len(doc.Cases))
		}
	}
	l.cleaned()
}
