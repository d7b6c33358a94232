// Package exit holds the exit statuses of h5perf, and a way to call functions that may never return.
package exit

import "time"

// Exit statuses of a process.
const (
	OK      = 0   // all that was asked for was done
	Failed  = 1   // something failed
	Usage   = 2   // wrong usage: reported before any file was made
	Launch  = 3   // not started by the launcher of this program's MPI
	Stopped = 143 // ended by a signal
)

// Within calls last in another goroutine. It returns when last has returned or when a value arrives on limit, whichever
// comes first.
func Within(limit <-chan time.Time, last func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		last()
	}()
	select {
	case <-done:
	case <-limit:
	}
}
