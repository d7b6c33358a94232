package fault

import (
	"slices"
	"sync"
	"time"
)

// Stats are what the file system did since it was mounted or its statistics were reset, by kind of request.
type Stats map[Op]Requests

// Requests are those of a kind that were answered.
type Requests struct {
	Count   uint64    `json:"count"`
	Errors  uint64    `json:"errors,omitempty"`  // that a rule or the directory below made fail
	Hanging uint64    `json:"hanging,omitempty"` // that have come and are not answered, by a rule
	Bytes   uint64    `json:"bytes,omitempty"`   // moved, as the caller was told
	First   time.Time `json:"first"`             // when the first one came in
	Last    time.Time `json:"last"`              // when the last one was answered
	Service *Service  `json:"service,omitempty"`
}

// Service is the distribution of the times, in seconds, from a request for data to its answer, within the server.
type Service struct {
	Min    float64 `json:"min_seconds"`
	Median float64 `json:"median_seconds"`
	P90    float64 `json:"p90_seconds"`
	P99    float64 `json:"p99_seconds"`
	Max    float64 `json:"max_seconds"`
	Mean   float64 `json:"mean_seconds"`
}

// counters collect Stats.
type counters struct {
	mu    sync.Mutex
	ops   Stats
	times map[Op][]time.Duration // of Read and Write
}

func newCounters() *counters {
	return &counters{ops: Stats{}, times: map[Op][]time.Duration{}}
}

// count counts a request that began at start.
func (c *counters) count(op Op, start time.Time, n int, ok bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.ops[op]
	if r.Count++; r.Count == 1 {
		r.First = start
	}
	r.Last = now
	r.Bytes += uint64(n)
	if !ok {
		r.Errors++
	}
	c.ops[op] = r
	if op == Read || op == Write {
		c.times[op] = append(c.times[op], now.Sub(start))
	}
}

func (c *counters) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ops, c.times = Stats{}, map[Op][]time.Duration{}
}

func (c *counters) stats(hanging map[Op]uint64) Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := Stats{}
	for op, r := range c.ops {
		if times := c.times[op]; len(times) > 0 {
			r.Service = summary(times)
		}
		out[op] = r
	}
	for op, n := range hanging {
		r := out[op]
		r.Hanging = n
		out[op] = r
	}
	return out
}

// summary sorts times, of which there is one at least. A quantile is the smallest time that this part of all do not exceed.
func summary(times []time.Duration) *Service {
	slices.Sort(times)
	n := len(times)
	quantile := func(percent int) float64 { return times[(n*percent+99)/100-1].Seconds() }
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return &Service{
		Min: times[0].Seconds(), Median: quantile(50), P90: quantile(90), P99: quantile(99), Max: times[n-1].Seconds(),
		Mean: sum.Seconds() / float64(n),
	}
}
