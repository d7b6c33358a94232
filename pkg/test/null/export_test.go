package null

import "time"

// SetClock makes an engine use another clock.
func (e *Engine) SetClock(now func() time.Time, sleep func(time.Duration)) {
	e.now, e.sleep = now, sleep
}
