package fault

import (
	"sync"
	"syscall"
	"time"
)

// pace makes requests for data take their time.
type pace struct {
	latency   time.Duration // least time of each request
	bandwidth float64       // bytes per second of all requests together; 0 for no limit

	mu   sync.Mutex
	free time.Time // when all bytes so far have been moved at this bandwidth
}

// credit is how far the bytes may be behind the clock. A caller that sends one request at a time leaves the
// bandwidth unused in between, and may catch up by as much.
const credit = 20 * time.Millisecond

// wait waits until a request that began at start and moves n bytes may be answered.
func (p *pace) wait(start time.Time, n int) { sleepUntil(p.due(start, time.Now(), n)) }

// due returns when a request that began at start, and now wants to move n bytes, may be answered.
func (p *pace) due(start, now time.Time, n int) time.Time {
	end := start.Add(p.latency)
	if p.bandwidth > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		if earliest := now.Add(-credit); p.free.Before(earliest) {
			p.free = earliest
		}
		p.free = p.free.Add(time.Duration(float64(n) / p.bandwidth * float64(time.Second)))
		if p.free.After(end) {
			end = p.free
		}
	}
	return end
}

// sleepUntil sleeps with nanosleep(2): time.Sleep in an idle Go program rounds up to a millisecond.
func sleepUntil(end time.Time) {
	for d := time.Until(end); d > 0; d = time.Until(end) {
		t := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&t, nil) // a signal ends it early
	}
}
