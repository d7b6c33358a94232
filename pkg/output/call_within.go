package output

import "time"

// CallWithin calls last in another goroutine. It returns when last returns, or when a value arrives on limit.
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
