package bench_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/null"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// account is what the null engine itself measured in one direction.
type account struct {
	transfers []time.Duration // all that transfers took
	calls     []time.Duration
}

func sum(times []time.Duration) float64 {
	total := time.Duration(0)
	for _, t := range times {
		total += t
	}
	return total.Seconds()
}

// The documents of an engine with a known delay hold what the engine itself measured: times within 1 %,
// throughput within 0.5 %, each in the median over the iterations.
func TestFiguresAreWhatTheEngineMeasured(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as the program does
	for _, row := range []struct {
		delay     time.Duration
		transfers int
	}{
		{10 * time.Microsecond, 3000},
		{100 * time.Microsecond, 500},
		{999 * time.Microsecond, 80},
		{2 * time.Millisecond, 40},
		{10 * time.Millisecond, 15},
	} {
		t.Run(fmt.Sprint(row.delay), func(t *testing.T) {
			const size, iterations = 4096, 5
			var own [2]account
			for op := range own { // so that keeping the account costs next to nothing
				own[op].transfers = make([]time.Duration, 0, iterations*row.transfers)
				own[op].calls = make([]time.Duration, 0, iterations*row.transfers)
			}
			state, seen, _ := run(t, plan.Options{
				APIs: []string{result.POSIX}, BytesPerProcess: new(uint64(size * row.transfers)),
				Block:       new(uint64(size)),
				MinTransfer: new(uint64(size)), MaxTransfer: new(uint64(size)), Iterations: new(iterations),
				Conditions: plan.Conditions{Latency: true},
			}, null.Options{
				Delay: func(engine.Op, uint64) time.Duration { return row.delay },
				Took: func(op engine.Op, transfer, call time.Duration) {
					own[op].transfers = append(own[op].transfers, transfer)
					own[op].calls = append(own[op].calls, call)
				},
			})
			if state != result.Complete || len(seen.cases) != 1 {
				t.Fatalf("state %s after %d cases", state, len(seen.cases))
			}
			c := seen.cases[0]
			for op, own := range own {
				op := engine.Op(op)
				checkSamples(t, c, op, own, row.transfers)
				checkLatency(t, c, op, own)
				if least := slices.Min(own.calls); least < row.delay {
					t.Errorf("%s: a call took %v, less than its delay of %v", op, least, row.delay)
				}
			}
		})
	}
}

// checkSamples compares the samples of one direction with the engine's account of so many transfers in each.
func checkSamples(t *testing.T, c result.Case, op engine.Op, own account, transfers int) {
	t.Helper()
	off := map[string][]float64{}
	for _, s := range c.Samples {
		if s.Operation != plan.OperationOf(op) {
			continue
		}
		took := sum(own.transfers[:transfers])
		own.transfers = own.transfers[transfers:]
		off["transfer"] = append(off["transfer"], s.Transfer.Max/took-1)
		off["access"] = append(off["access"], s.Access.Max/took-1)
		off["throughput"] = append(off["throughput"], s.Throughput()*took/float64(s.Bytes)-1)
	}
	if len(own.transfers) != 0 {
		t.Errorf("%s: the engine did %d transfers more than the samples have", op, len(own.transfers))
	}
	for what, allowed := range map[string]float64{"transfer": 0.01, "access": 0.01, "throughput": 0.005} {
		slices.Sort(off[what])
		median := off[what][len(off[what])/2]
		t.Logf("%s: %s is off by %.3f %%", op, what, 100*median)
		if math.Abs(median) > allowed {
			t.Errorf("%s: %s is off by %.3f %% of what the engine measured: %v", op, what, 100*median, off[what])
		}
	}
}

// checkLatency compares the latencies of one direction, over all iterations, with the engine's account.
func checkLatency(t *testing.T, c result.Case, op engine.Op, own account) {
	t.Helper()
	i := slices.IndexFunc(c.Latencies, func(l result.Latency) bool { return l.Operation == plan.OperationOf(op) })
	if i < 0 {
		t.Fatalf("%s: no latencies", op)
	}
	l := c.Latencies[i]
	slices.Sort(own.calls)
	n := len(own.calls)
	if l.Count != uint64(n) || l.Min != own.calls[0].Seconds() || l.Max != own.calls[n-1].Seconds() ||
		math.Abs(l.Mean*float64(n)/sum(own.calls)-1) > 1e-6 {
		t.Errorf("%s: %d calls of %v to %v s, %v s in the mean; the engine measured %d of %v to %v, %v s", op,
			l.Count, l.Min, l.Max, l.Mean, n, own.calls[0], own.calls[n-1], sum(own.calls)/float64(n))
	}
	for _, q := range l.Quantiles {
		exact := own.calls[max(1, int(math.Ceil(q.Probability*float64(n))))-1].Seconds()
		if math.Abs(q.Seconds/exact-1) > 0.004 {
			t.Errorf("%s: quantile %v is %v s, exactly %v s", op, q.Probability, q.Seconds, exact)
		}
	}
}
