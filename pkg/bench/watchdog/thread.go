package watchdog

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// thread is the thread that does the work of a process, as /proc tells of it: one that is in a call of the system which
// does not return never gets a processor, while a library that waits for other processes polls.
type thread struct {
	dir      string
	switches string
	since    time.Duration // when it last had a processor, by the clock of the watchdog
}

func newThread(tid int) *thread {
	return &thread{dir: fmt.Sprintf("/proc/self/task/%d/", tid)}
}

// switched are the lines of the status file that count how often a thread got and gave up a processor.
var switched = regexp.MustCompile(`(?m)^(non)?voluntary_ctxt_switches:.*$`)

// look sees whether the thread had a processor since the last look.
func (t *thread) look(clock time.Duration) {
	status, err := os.ReadFile(t.dir + "status")
	if now := strings.Join(switched.FindAllString(string(status), -1), " "); err != nil || now != t.switches {
		t.switches, t.since = now, clock
	}
}

// String is what the thread is about.
func (t *thread) String() string {
	name, err := os.ReadFile(t.dir + "wchan") // where it sleeps in the kernel, if that may be known
	if at := strings.Trim(string(name), "0\n"); err == nil && at != "" {
		return "in the kernel, in " + at
	}
	return "in a call of the system"
}
