package bench

import (
	"math"

	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// latencies holds the times of the data calls of a case on this process. The index is workload.Op.
type latencies [2]struct {
	hist *fill.Histogram // nil before the first iteration after warm-up
	call string
}

// accumulateLatency adds the times of the data calls of an operation to the times of the case, and resets them. It
// drops the times of warm-up iterations.
func (c *caseRun) accumulateLatency(op workload.Op) {
	s := c.roles[op]
	if s.env.Latency == nil {
		return
	}
	if t := &c.latencySums[op]; !c.warmup {
		if t.hist == nil {
			t.hist, t.call = fill.NewHistogram(), s.session.CallName(op)
		}
		t.hist.Merge(s.env.Latency)
	}
	s.env.Latency.Reset()
}

// probabilities lists the probabilities of the quantiles in a document.
var probabilities = []float64{0.5, 0.9, 0.99, 0.999, 0.9999}

// reduceLatencies returns the latencies of all processes together, and resets the latencies of this process. It loses
// no information, because histograms can be added exactly. Collective over the processes of the case.
func (c *caseRun) reduceLatencies() []result.Latency {
	var out []result.Latency
	for op, own := range c.latencySums {
		if own.hist == nil { // the same on all processes
			continue
		}
		h := mergeHistograms(c.work, own.hist)
		count := h.Count()
		if count == 0 {
			continue
		}
		l := result.Latency{
			Operation: plan.OperationOf(workload.Op(op)), Call: own.call, Count: count,
			Min: nanosToSeconds(h.Min), Max: nanosToSeconds(h.Max),
			Mean:         nanosToSeconds(h.Sum) / float64(count),
			SlowestRanks: c.slowestRanks(own.hist, meanSeconds), LongestCalls: c.slowestRanks(own.hist, maxSeconds),
		}
		for _, p := range probabilities {
			l.Quantiles = append(l.Quantiles, result.Quantile{Probability: p, Seconds: nanosToSeconds(h.Quantile(p))})
		}
		for b := range h.All() {
			l.Histogram = append(l.Histogram, result.Bucket{
				From: nanosToSeconds(b.From), To: nanosToSeconds(b.From + b.Width), Count: b.Count,
			})
		}
		out = append(out, l)
	}
	c.latencySums = latencies{}
	return out
}

// mergeHistograms returns the sum of the histograms of all processes. Its minimum and maximum are exact up to 2^53 ns,
// which is 104 days. Collective.
func mergeHistograms(comm mpi.Comm, own *fill.Histogram) *fill.Histogram {
	all := *own
	numbers := []*uint64{&all.Sum}
	for i := range all.Counts {
		numbers = append(numbers, &all.Counts[i])
	}
	mpi.SumInPlace(comm, numbers...)
	lowest := float64(own.Min)
	if own.Count() == 0 {
		lowest = math.Inf(1)
	}
	var ends mpi.Reduction
	least, most := ends.Add(lowest), ends.Add(float64(own.Max))
	ends.Run(comm)
	all.Min, all.Max = uint64(least.Min), uint64(most.Max)
	return &all
}

// nanosToSeconds converts nanoseconds to seconds.
func nanosToSeconds(ns uint64) float64 { return float64(ns) / 1e9 }

// meanSeconds returns the mean time of a call in seconds, 0 without calls.
func meanSeconds(h *fill.Histogram) float64 {
	return nanosToSeconds(h.Sum) / float64(max(1, h.Count()))
}

// maxSeconds returns the longest time of a call in seconds, 0 without calls.
func maxSeconds(h *fill.Histogram) float64 { return nanosToSeconds(h.Max) }

// maxSlowRanks is the largest number of slow processes that a document names.
const maxSlowRanks = 8

// slowestRanks returns the slowest processes by a measure such as the mean, the slowest first. It finds each of these
// processes with one reduction, so that no process needs memory for the values of all processes. Collective over the
// processes of the case.
func (c *caseRun) slowestRanks(own *fill.Histogram, by func(*fill.Histogram) float64) []result.SlowRank {
	const named = -1
	value := by(own)
	var out []result.SlowRank
	for range min(maxSlowRanks, c.work.Size()) {
		worst := c.work.Reduce([]float64{value})[0].MaxRank
		self := result.SlowRank{Rank: c.World.Rank(), Host: c.Host, Mean: meanSeconds(own), Max: maxSeconds(own)}
		out = append(out, mpi.Broadcast(c.work, self, worst))
		if worst == c.work.Rank() {
			value = named
		}
	}
	return out
}
