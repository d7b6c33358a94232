package fault

import (
	"slices"
	"sync"
	"time"
)

// Stats are the requests since the file system was mounted or its statistics were reset, by kind.
type Stats map[Op]Requests

// Requests are the requests of one kind that were answered.
type Requests struct {
	Count   uint64    `json:"count"`
	Errors  uint64    `json:"errors,omitempty"`  // number that failed, by a rule or in the directory
	Hanging uint64    `json:"hanging,omitempty"` // number that have arrived and are not answered, by a rule
	Bytes   uint64    `json:"bytes,omitempty"`   // bytes moved, as reported to the caller
	First   time.Time `json:"first"`             // when the first one arrived
	Last    time.Time `json:"last"`              // when the last one was answered
	Service *Service  `json:"service,omitempty"`
}

// Service is the distribution of the service times of requests for data, in seconds: from the arrival in
// the server to the answer.
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

// count adds a request that began at start and moved n bytes.
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

// summary sorts times and returns their distribution. There must be at least one. A quantile is the
// smallest time that is not exceeded by the given percentage of all times.
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
