//go:build cgo

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

// launched is a real run of the tool under a real launcher. The test binary acts as the tool.
type launched struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr captured
	base           string // directory for data files
	json           string // path of the document
	ended          chan struct{}
	err            error
	loses          bool // the launcher may lose the exit statuses of ranks
}

// captured stores the output of a process. It can be read while the process writes.
type captured struct {
	mu   sync.Mutex
	text []byte
}

func (s *captured) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	return len(p), nil
}

// Bytes returns the output so far.
func (s *captured) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.text)
}

func (s *captured) String() string { return string(s.Bytes()) }

// endsWithin is the time limit for a run to end after its failure, on a busy machine. If the run fails by itself,
// startTime is added for the launcher and the start of MPI. Without a cause to end, a run goes on for ever, or until
// its default --timeout.
const (
	endsWithin = time.Minute
	startTime  = time.Minute
)

// start starts the tool. line is the command line of a launcher, or nil.
func start(t *testing.T, line []string, base string, env, args []string) *launched {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := &launched{t: t, base: base, json: filepath.Join(t.TempDir(), "run.json"), ended: make(chan struct{})}
	line = append(append(line, exe), args...)
	if !strings.Contains(strings.Join(args, " "), "--json") {
		line = append(line, "--json", l.json)
	}
	l.cmd = exec.Command(line[0], line[1:]...)
	l.cmd.Env = append(os.Environ(), beTool+"=1", "USER=", "LOGIN=")
	l.cmd.Env = append(l.cmd.Env, env...)
	l.cmd.Stdout, l.cmd.Stderr = &l.stdout, &l.stderr
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	l.cmd.WaitDelay = endsWithin // a stopped watcher holds the streams open
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		l.err = l.cmd.Wait()
		close(l.ended)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("stdout:\n%s\nstderr:\n%s", l.stdout.String(), l.stderr.String())
		}
	})
	return l
}

// wait waits for the end of the launcher. If that takes longer than d, it kills the job.
func (l *launched) wait(d time.Duration) (status int) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	select {
	case <-l.ended:
	case <-ctx.Done():
		_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL)
		<-l.ended
		l.t.Fatalf("the run did not end within %v", d)
	}
	var exit *exec.ExitError
	switch {
	case l.err == nil:
		return 0
	case errors.As(l.err, &exit):
		return exit.ExitCode()
	}
	l.t.Fatal(l.err)
	return 0
}

// fails waits for the end of a job, and checks that its exit status is that of a failure.
func (l *launched) fails(within time.Duration) {
	l.t.Helper()
	if status := l.wait(within); status == 0 && !l.loses {
		l.t.Error("exit status 0")
	}
}

// within polls until a condition holds. If the condition does not hold in time, within kills the job.
func (l *launched) within(d time.Duration, what string, holds func() bool) {
	l.t.Helper()
	deadline := time.Now().Add(d)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
			l.t.Fatalf("waited %v for %s", d, what)
		}
		<-tick.C
	}
}

// document reads the document of the run after it has ended, and checks what holds for every document. It waits for its
// end, because the watcher may end after the launcher.
func (l *launched) document() result.Document {
	l.t.Helper()
	var doc result.Document
	l.within(endsWithin, "the end of the document", func() bool {
		var err error
		if doc, err = result.Read(l.json); err != nil {
			l.t.Fatal(err)
		}
		return doc.State != result.Running
	})
	resulttest.Validate(l.t, l.json)
	for _, c := range doc.Cases {
		if c.State == result.Complete && (c.Error != nil || len(c.Samples) == 0) || c.State == result.Failed &&
			c.Error == nil {
			l.t.Errorf("case %s of %d processes is %s, with error %v and %d samples", c.API, c.Processes, c.State,
				c.Error, len(c.Samples))
		}
		for _, s := range c.Samples {
			if s.Bytes == 0 || s.Access.Max <= 0 || s.Ended.Before(s.Started) {
				l.t.Errorf("sample %+v is no measurement", s)
			}
		}
	}
	return doc
}

// cleaned waits until the directory of the run contains only the allowed files.
func (l *launched) cleaned(allowed ...string) {
	l.t.Helper()
	var left []string
	defer func() {
		if l.t.Failed() {
			l.t.Logf("in the directory is left: %v, want %v", left, allowed)
		}
	}()
	l.within(endsWithin, "a clean directory", func() bool {
		left = nil
		_ = filepath.WalkDir(l.base, func(path string, _ fs.DirEntry, _ error) error {
			if name, _ := filepath.Rel(l.base, path); name != "." {
				left = append(left, name)
			}
			return nil
		})
		return strings.Join(left, ",") == strings.Join(allowed, ",")
	})
}

// working waits until the run measures: a data file exists.
func (l *launched) working() {
	l.t.Helper()
	l.within(startTime, "a data file", func() bool {
		files, _ := filepath.Glob(filepath.Join(l.base, "*", "data_*"))
		return len(files) > 0
	})
}

// mount mounts a file system on a new directory.
func mount(t *testing.T, source, kind, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount(source, dir, kind, 0, options); err != nil {
		t.Fatalf("mount of a %s (these tests run as root): %v", kind, err)
	}
	unmount(t, dir)
	return dir
}

// unmount unmounts the file system at the end of the test. Processes that are still ending may hold files open.
func unmount(t *testing.T, dir string) {
	t.Helper()
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
}

// smallDisk mounts a small file system.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	return mount(t, "tmpfs", "tmpfs", "size="+size)
}
