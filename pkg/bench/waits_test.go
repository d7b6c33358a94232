package bench_test

import (
	"testing"
	"time"

	"h5perf/pkg/bench"
)

func TestAWaitFollowsTheLongestCall(t *testing.T) {
	const least = 3 * time.Second
	now := time.Unix(1e9, 0)
	for _, c := range []struct {
		name    string
		seen    []time.Duration
		timeout time.Duration
		end     time.Duration // from now; 0: never
		want    time.Duration
	}{
		{"nothing was seen", nil, 0, 0, least},
		{"short calls", []time.Duration{time.Millisecond, 700 * time.Millisecond}, 0, 0, least},
		{"a long call among short ones", []time.Duration{1, 5 * time.Second, 1}, 0, 0, 20 * time.Second},
		{"a very long call", []time.Duration{20 * time.Second}, 0, 0, bench.MaxPatience},
		{"a call of years", []time.Duration{1<<63 - 1}, 0, 0, bench.MaxPatience},
		{"a timeout", []time.Duration{5 * time.Second}, 10 * time.Second, 0, 10 * time.Second},
		{"a longer timeout", []time.Duration{5 * time.Second}, time.Hour, 0, 20 * time.Second},
		{"a timeout that is shorter than the shortest wait", []time.Duration{5 * time.Second}, time.Second, 0, least},
		{"a deadline", []time.Duration{5 * time.Second}, time.Hour, 7 * time.Second, 7 * time.Second},
		{"a deadline that has passed", []time.Duration{5 * time.Second}, 0, -time.Second, least},
	} {
		var p bench.WaitPolicy
		end := time.Time{}
		if c.end != 0 {
			end = now.Add(c.end)
		}
		p.SetLimits(c.timeout, end)
		for _, d := range c.seen {
			p.NoteCall(d)
		}
		if got := p.WaitTime(least, now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestOnlyALongerWaitHasAReason(t *testing.T) {
	var p bench.WaitPolicy
	p.NoteCall(5 * time.Second)
	if text := p.WaitReason(time.Second, time.Second); text != "" {
		t.Errorf("%q", text)
	}
	want := "waited 20s for the other ranks, since an open, close or sync took 5s in this run: "
	if text := p.WaitReason(20*time.Second, time.Second); text != want {
		t.Errorf("%q, want %q", text, want)
	}
}
