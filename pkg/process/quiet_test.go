//go:build cgo

package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
	onlyOneIsSlow(t)
}

// While goroutines are in long calls, the monitor starts threads for others. They have the usual slack.
func TestThreadsOfTheMonitorAreNotSlow(t *testing.T) {
	const calls = 40
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, out := int(read.Fd()), int(write.Fd()) // Fd makes reads block the thread
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if n, err := syscall.Read(in, make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("read %d bytes, %v", n, err)
			}
		})
	}
	for threads(t) < calls {
		runtime.Gosched()
	}
	onlyOneIsSlow(t)
	if n, err := syscall.Write(out, make([]byte, calls)); n != calls || err != nil {
		t.Fatalf("wrote %d bytes, %v", n, err)
	}
	all.Wait()
	runtime.KeepAlive(read)
	runtime.KeepAlive(write)
}

// threads returns the number of threads of this process.
func threads(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// onlyOneIsSlow checks that one thread has the long timer slack. While the monitor starts a thread, it has the usual
// slack itself.
func onlyOneIsSlow(t *testing.T) {
	t.Helper()
	n := slowThreads(t)
	for end := time.Now().Add(5 * time.Second); n != 1 && time.Now().Before(end); n = slowThreads(t) {
		time.Sleep(time.Millisecond)
	}
	if n != 1 {
		t.Errorf("%d threads have a slack of %s ns, want 1", n, slow)
	}
}

// slowThreads returns the number of threads of this process with the long timer slack.
func slowThreads(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, thread := range all {
		if slackOf(t, thread.Name()) == slow {
			n++
		}
	}
	return n
}

// A program that this one starts inherits the slack of the thread that starts it.
func TestProgramsStartedAreAsUsual(t *testing.T) {
	out, err := exec.Command("cat", "/proc/self/timerslack_ns").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got == slow || got == "" {
		t.Errorf("slack of %q ns, %v", got, err)
	}
}
