package output

import "time"

// CallWithin calls last in another goroutine. It returns when last has returned or when a value arrives on limit,
// whichever comes first.
func CallWithin(limit <-chan time.Time, last func()) {
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
