// Package faulttest gives tests a file system with faults. It is served by a process of its own, which runs the test
// binary again.
package faulttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/test/faultfs/fault"
)

// beServer in the environment makes a test binary the server.
const beServer = "H5PERF_BE_FAULTFS"

// Main is the server, in a process that Start started. In any other process it returns at once. It must be
// called first in TestMain.
func Main() {
	if os.Getenv(beServer) != "" {
		os.Exit(fault.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
}

// FS is a file system with faults.
type FS struct {
	Path string // where it is mounted
	t    *testing.T
	cmd  *exec.Cmd
	end  io.Closer
}

// Start mounts a file system on an empty directory. The arguments are options of the command faultfs. The
// file system is unmounted when the test ends, or when its process does.
func Start(t *testing.T, arguments ...string) *FS {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &FS{Path: t.TempDir(), t: t}
	f.cmd = exec.Command(exe, append(arguments, "--until-eof", memory(t), f.Path)...)
	f.cmd.Env = append(os.Environ(), beServer+"=1")
	f.cmd.Stderr = os.Stderr
	if f.end, err = f.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Abort)
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != fault.Ready {
		t.Fatalf("a file system for tests: %q, %v (these tests need root, or user namespaces, and access to /dev/fuse)",
			line, err)
	}
	return f
}

// Abort ends the server. Whatever waits for it gets an error. It may be called again.
func (f *FS) Abort() {
	if f.cmd.ProcessState != nil {
		return
	}
	_ = f.end.Close()
	if err := f.cmd.Wait(); err != nil {
		f.t.Errorf("server of a file system for tests: %v", err)
	}
}

// SetRules replaces the rules. Requests that hang continue.
func (f *FS) SetRules(rules ...string) {
	f.t.Helper()
	if err := unix.Setxattr(f.Path, fault.RulesAttr, []byte(strings.Join(rules, " ")), 0); err != nil {
		f.t.Fatalf("rules %v: %v", rules, err)
	}
}

// ResetStats resets the statistics.
func (f *FS) ResetStats() {
	f.t.Helper()
	if err := unix.Setxattr(f.Path, fault.StatsAttr, nil, 0); err != nil {
		f.t.Fatal(err)
	}
}

// Stats returns the statistics so far.
func (f *FS) Stats() fault.Stats {
	f.t.Helper()
	s, err := stats(f.Path)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func stats(path string) (fault.Stats, error) {
	data := make([]byte, 64<<10)
	n, err := unix.Getxattr(path, fault.StatsAttr, data)
	if err != nil {
		return nil, fmt.Errorf("statistics of %s: %w", path, err)
	}
	var s fault.Stats
	return s, json.Unmarshal(data[:n], &s)
}

// memory returns a new directory in memory, where syncing takes no time, or another one where there is no such place.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "faultfs-") //nolint:usetesting // which is on a disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
