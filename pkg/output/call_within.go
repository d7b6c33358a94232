package output

import "time"

// CallWithTimeout calls the function last in another goroutine. It returns when last has returned, but no later than
// when the channel limit delivers a value.
func CallWithTimeout(limit <-chan time.Time, last func()) {
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
