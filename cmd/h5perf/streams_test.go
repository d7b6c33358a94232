//go:build cgo

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/plaintest"
)

// redirected starts the serial tool with redirections of a shell. In these, $file is the given file.
func redirected(t *testing.T, redirections, file string, env []string, args ...string) *launched {
	t.Helper()
	base := t.TempDir()
	line := []string{"sh", "-c", `file=$1; shift; exec "$@" ` + redirections, "sh", file}
	return start(t, line, base, append(env, rundir.SerialPrefix+"="+base), append([]string{"serial"}, args...))
}

func TestStandardOutputThatIsClosedOrFullFailsTheRun(t *testing.T) {
	t.Parallel()
	for redirection, want := range map[string]string{
		">&-": "standard output: is closed", ">/dev/full": "standard output: no space left on device",
	} {
		l := redirected(t, redirection, "", nil, "-e", "1M", "-x", "256K")
		if status := l.wait(startTime); status != result.ExitFailed || strings.Count(l.stderr.String(), want) != 1 {
			t.Errorf("%s: exit status %d, %s", redirection, status, l.stderr.String())
		}
		if doc := l.document(); doc.State != result.Failed || *doc.ExitStatus != result.ExitFailed {
			t.Errorf("%s: the document is %s", redirection, doc.State)
		}
		l.cleaned()

		dir := t.TempDir()
		l = redirected(t, redirection, "", []string{"TMPDIR=" + dir}, "-e", "1M", "-x", "256K", "--json", "-")
		status := l.wait(startTime)
		held, err := filepath.Glob(filepath.Join(dir, "*"))
		if status != result.ExitFailed || err != nil || len(held) != 1 ||
			!strings.Contains(l.stderr.String(), "it is in "+held[0]) {
			t.Errorf("%s: exit status %d, files %v, %s", redirection, status, held, l.stderr.String())
		}
		l.cleaned()
	}
}

// The pipe is full, and nobody reads it. The test sends only signals that can be caught.
func TestASignalEndsARunWhoseStreamsNobodyReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ redirection, args string }{
		{`>"$file"`, "-i 200000"},
		{`2>"$file"`, "-i 200000"},
		{`>"$file" 2>&1`, "-i 200000"},
		{`>"$file" 2>&1`, "-i 2 --json -"},
	} {
		t.Run(c.redirection+c.args, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			fifo, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = fifo.Close() }()
			for _, size := range []int{4096, 1} {
				for piece := make([]byte, size); ; {
					if _, err := syscall.Write(int(fifo.Fd()), piece); err != nil {
						break // the pipe is full
					}
				}
			}
			dir := t.TempDir()
			args := append(strings.Fields(c.args), "-e", "1M", "-x", "256K", "--results", dir)
			l := redirected(t, c.redirection, path, nil, args...)
			var found []string
			l.within(startTime, "a document", func() bool {
				found, _ = filepath.Glob(filepath.Join(dir, "*", "*", "*", "*.json"))
				return len(found) == 1
			})
			if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			status := l.wait(endsWithin)
			doc, err := result.Read(found[0])
			if err != nil || doc.ExitStatus == nil || *doc.ExitStatus != status || status == 0 {
				t.Errorf("exit status %d, document %s with %v (%v)", status, doc.State, doc.ExitStatus, err)
			}
			l.cleaned()
		})
	}
}

// watcher returns the process of the watcher, after the run has begun to measure.
func (l *launched) watcher() *os.Process {
	l.t.Helper()
	l.working()
	pid := l.cmd.Process.Pid
	var child int
	l.within(startTime, "the watcher", func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, task := range tasks {
			text, _ := os.ReadFile(task)
			if words := strings.Fields(string(text)); len(words) == 1 {
				child, _ = strconv.Atoi(words[0])
			}
		}
		return child != 0
	})
	p, err := os.FindProcess(child)
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

func TestARunGoesOnWithoutItsWatcher(t *testing.T) {
	t.Parallel()
	for s, want := range map[syscall.Signal]string{
		syscall.SIGSTOP: "because it is stopped", syscall.SIGKILL: "it has ended",
	} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			for _, ended := range []bool{true, false} {
				l := launchSerial(t, t.TempDir(), "-e", "4M", "-x", "64K", "-i", "300")
				w := l.watcher()
				t.Cleanup(func() { _ = w.Kill() })
				if err := w.Signal(s); err != nil {
					t.Fatal(err)
				}
				l.within(startTime, "the signal", func() bool { return isStoppedOrDead(w.Pid) })
				wanted, state := 0, result.Complete
				if ended {
					wanted, state = result.ExitStopped, result.Interrupted
					if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
						t.Fatal(err)
					}
				}
				status := l.wait(endsWithin)
				_ = w.Kill() // the watcher may have ended with the run
				doc := l.document()
				if status != wanted || doc.State != state || *doc.ExitStatus != wanted ||
					!strings.Contains(l.stderr.String(), want) {
					t.Errorf("exit status %d, the document is %s, %s", status, doc.State, l.stderr.String())
				}
				l.cleaned()
			}
		})
	}
}

// isStoppedOrDead reports whether a process is stopped, or has ended: on a busy machine, that takes a while after the
// signal.
func isStoppedOrDead(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ")
	return err != nil || strings.HasPrefix(after, "T") || strings.HasPrefix(after, "Z")
}

func TestADocumentOnAFullDiskEndsTheRun(t *testing.T) {
	t.Parallel()
	path, dir := filepath.Join(smallDisk(t, "64K"), "run.json"), t.TempDir()
	l := launchSerial(t, t.TempDir(), "-e", "1M", "-x", "256K", "-i", "200", "--json", path, "--results", dir)
	if status := l.wait(startTime); status != result.ExitFailed ||
		!strings.Contains(plaintest.Unwrap(l.stderr.String()), "the job is ended: output") ||
		!strings.Contains(plaintest.Unwrap(l.stderr.String()), "no space left on device") {
		t.Errorf("exit status %d, %s", status, l.stderr.String())
	}
	stored, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*", "*.json"))
	if len(stored) != 1 {
		t.Fatalf("documents %v", stored)
	}
	for at, cases := range map[string]int{path: 0, stored[0]: 1} {
		l.json = at
		doc := l.document()
		if doc.State != result.Failed || *doc.ExitStatus != result.ExitFailed || len(doc.Cases) != cases {
			t.Errorf("%s is %s, exit status %d, with %d cases", at, doc.State, *doc.ExitStatus, len(doc.Cases))
		}
	}
	l.cleaned()
}

func TestACrashDoesNotLookLikeWrongUsage(t *testing.T) {
	t.Parallel()
	l := start(t, nil, t.TempDir(), []string{crashes + "=1"}, nil)
	if status := l.wait(endsWithin); status != -1 || !strings.Contains(l.stderr.String(), "panic: as the test asked") {
		t.Errorf("exit status %d", status) // -1 means ended by a signal
	}
}
