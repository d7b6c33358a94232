//go:build cgo

package quiet

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const slow = "10000000" // nanoseconds

// slackOf returns the timer slack of a thread in nanoseconds.
func slackOf(t *testing.T, thread string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", thread, "timerslack_ns"))
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("only root may ask for the timer slack of other threads")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have ended
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// Only one thread has the long timer slack: the first one that the runtime started.
func TestTheMonitorIsSlow(t *testing.T) {
	threads, err := os.ReadDir("/proc/self/task") // in the order of their numbers
	if err != nil {
		t.Fatal(err)
	}
	for i, thread := range threads {
		if got := slackOf(t, thread.Name()); (got == slow) != (i == 1) {
			t.Errorf("thread %d of %d has a slack of %s ns", i, len(threads), got)
		}
	}
}

// A program that this one starts inherits the slack of the thread that starts it.
func TestProgramsStartedAreAsUsual(t *testing.T) {
	out, err := exec.Command("cat", "/proc/self/timerslack_ns").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got == slow || got == "" {
		t.Errorf("slack of %q ns, %v", got, err)
	}
}
