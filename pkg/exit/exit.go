// Package exit holds what processes of h5perf end with: exit statuses, and last acts that may never return.
package exit

import "time"

// Exit statuses of a process.
const (
	OK      = 0   // all that was asked for was done
	Failed  = 1   // something failed
	Usage   = 2   // wrong usage: told before any file was made
	Launch  = 3   // not started by the launcher of this program's MPI
	Stopped = 143 // by a signal
)

// Within calls a function in another goroutine, and returns when it has returned, or when the limit fires.
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
