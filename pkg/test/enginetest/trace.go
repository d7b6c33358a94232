package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// traced is the environment variable that gives a traced test its directory.
const traced = "H5PERF_TRACED"

// Traced returns the directory that Trace was called with, in the process that Trace starts; "" in any other process.
func Traced() string { return os.Getenv(traced) }

// Trace runs the calling test once more in a process of its own, under strace, and returns the output of strace: the
// system calls with the paths of their files, thread after thread, those of each thread in order. calls is the set of
// system calls for "-e trace=", and more are additional arguments for strace.
func Trace(t *testing.T, dir, calls string, more ...string) string {
	t.Helper()
	out := filepath.Join(dir, "trace")
	args := append([]string{
		"-ff", "--seccomp-bpf", "-y", "-s0", "-e", "trace=" + calls, "-e", "signal=none", "-o", out,
	}, more...)
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

// Call is a system call that moved data: its file offset, and how many bytes it was asked to move.
type Call struct{ Offset, Bytes int }

// Calls returns calls of the same size, one for each offset.
func Calls(bytes int, offsets ...int) []Call {
	out := make([]Call, len(offsets))
	for i, o := range offsets {
		out[i] = Call{Offset: o, Bytes: bytes}
	}
	return out
}

// DataCalls returns the successful calls of a function, such as pwrite64, on a file, as found in a trace.
func DataCalls(t *testing.T, trace, function, path string) []Call {
	t.Helper()
	var out []Call
	line := regexp.MustCompile(function + `\(\d+<` + regexp.QuoteMeta(path) + `>, ""\.\.\., (\d+), (\d+)\) += \d+`)
	for _, m := range line.FindAllStringSubmatch(trace, -1) {
		bytes, err := strconv.Atoi(m[1])
		offset, err2 := strconv.Atoi(m[2])
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		out = append(out, Call{Offset: offset, Bytes: bytes})
	}
	return out
}

// Marks of a Sync in a trace: names of symbolic links that do not exist, passed to readlink.
const (
	syncBegins = "h5perf-sync-begins"
	syncEnds   = "h5perf-sync-ends"
)

// SyncCalls is the set of system calls that Trace must record for Synced.
const SyncCalls = "fsync,fdatasync,readlinkat"

// Sync syncs a file so that Synced finds it in a trace.
func Sync(f *File) error {
	mark := func(name string) error {
		if _, err := os.Readlink(name); err == nil {
			return fmt.Errorf("%s is there", name)
		}
		return nil
	}
	return errors.Join(mark(syncBegins), f.Sync(), mark(syncEnds))
}

// durable matches a successful fsync or fdatasync; its group is the path.
var durable = regexp.MustCompile(`^f(?:data)?sync\(\d+<(.*)>\) += 0\n$`)

// Synced returns, for each Sync in a trace, the paths of the files that it made durable, sorted, each once.
func Synced(trace string) [][]string {
	var all [][]string
	var files map[string]bool
	for line := range strings.Lines(trace) {
		switch m := durable.FindStringSubmatch(line); {
		case strings.Contains(line, syncBegins):
			files = map[string]bool{}
		case strings.Contains(line, syncEnds):
			all = append(all, slices.Sorted(maps.Keys(files)))
			files = nil
		case m != nil && files != nil:
			files[m[1]] = true
		}
	}
	return all
}
