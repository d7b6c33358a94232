package fault

import (
	"testing"
	"time"
)

// A caller sends requests of 100 bytes at 1000 bytes per second, each after the answer to the one before. One of them
// comes late.
func TestThePaceIsThatAskedFor(t *testing.T) {
	for _, c := range []struct {
		name    string
		latency time.Duration
		late    time.Duration
		want    time.Duration // of 10 requests
	}{
		{"bytes", 0, 0, time.Second - credit},
		{"bytes, and a latency that is shorter", 50 * time.Millisecond, 0, time.Second - credit},
		{"a latency that is longer", 150 * time.Millisecond, 0, 1500 * time.Millisecond},
		{"what a late caller catches up", 0, credit, time.Second - credit},
		{"and no more", 0, credit + time.Second, 2*time.Second - credit},
	} {
		p := pace{latency: c.latency, bandwidth: 1000}
		start := time.Now()
		now := start
		for i := range 10 {
			if i == 1 {
				now = now.Add(c.late)
			}
			now = p.due(now, now, 100)
		}
		if took := now.Sub(start); took != c.want {
			t.Errorf("%s: %v, want %v", c.name, took, c.want)
		}
	}
}
