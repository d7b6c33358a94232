package bench

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// watchedThread is the thread that does the work of a process, observed through /proc. A thread that is blocked in a
// system call is not scheduled, so its count of context switches does not change. A thread whose library waits for
// other processes polls, so its count changes.
type watchedThread struct {
	dir      string
	switches string
	lastRun  time.Duration // when it was last known to have run, by the clock of the watchdog
}

// newThread returns the thread of this process with the given id.
func newThread(tid int) *watchedThread {
	return &watchedThread{dir: fmt.Sprintf("/proc/self/task/%d/", tid)}
}

// contextSwitches matches the lines of the status file that count the context switches of a thread.
var contextSwitches = regexp.MustCompile(`(?m)^(non)?voluntary_ctxt_switches:.*$`)

// recordContextSwitches records whether the thread has run since the last call. clock is the current time of the
// watchdog's clock.
func (t *watchedThread) recordContextSwitches(clock time.Duration) {
	status, err := os.ReadFile(t.dir + "status")
	if now := strings.Join(contextSwitches.FindAllString(string(status), -1), " "); err != nil || now != t.switches {
		t.switches, t.lastRun = now, clock
	}
}

// String describes where the thread is blocked.
func (t *watchedThread) String() string {
	name, err := os.ReadFile(t.dir + "wchan") // the kernel function in which it sleeps, if this user may read it
	if at := strings.Trim(string(name), "0\n"); err == nil && at != "" {
		return "in the kernel, in " + at
	}
	return "in a system call"
}
