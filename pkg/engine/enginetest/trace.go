package enginetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// traced is the variable that gives a traced test its directory.
const traced = "H5PERF_TRACED"

// Traced is the directory that Trace was called with, in the process that it runs; empty in any other.
func Traced() string { return os.Getenv(traced) }

// Trace runs the test that calls it once more, traced by strace, and returns the system calls with the paths of their files:
// those of each thread in order. calls is what strace is to trace, and more are other arguments for it.
func Trace(t *testing.T, dir, calls string, more ...string) string {
	t.Helper()
	out := filepath.Join(dir, "trace")
	args := append([]string{"-ff", "-y", "-s0", "-e", "trace=" + calls, "-e", "signal=none", "-o", out}, more...)
	cmd := exec.Command("strace", append(args, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")...)
	cmd.Env = append(os.Environ(), traced+"="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v (apt install strace)\n%s", cmd, err, text)
	}
	threads, err := filepath.Glob(out + ".*")
	var trace []byte
	for i := 0; i < len(threads) && err == nil; i++ {
		var more []byte
		more, err = os.ReadFile(threads[i])
		trace = append(trace, more...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(trace)
}
