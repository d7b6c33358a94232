package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// The times in a document are exactly the times that the engine took: no clock contains a barrier, agreement or
// reduction.
func TestFiguresAreWhatTheEngineTook(t *testing.T) {
	costs := map[null.Phase]time.Duration{
		null.Open: 7 * time.Millisecond, null.Dataset: 3 * time.Millisecond, null.DatasetClose: 2 * time.Millisecond,
		null.Close: 5 * time.Millisecond,
	}
	for _, row := range []struct {
		delay     time.Duration
		transfers int
	}{
		{10 * time.Microsecond, 3000},
		{999 * time.Microsecond, 80},
		{10 * time.Millisecond, 15},
		{100 * time.Second, 15},
	} {
		t.Run(fmt.Sprint(row.delay), func(t *testing.T) {
			const size, iterations = 4096, 5
			var own [2][]time.Duration // times of the transfers
			draw := rand.New(rand.NewPCG(1, 0))
			c := &testClock{}
			engines := c.engines(func(s null.Step) time.Duration {
				if s.Phase != null.Transfer {
					return costs[s.Phase]
				}
				took := row.delay + time.Duration(draw.Int64N(int64(row.delay)))
				own[s.Op] = append(own[s.Op], took)
				return took
			})
			state, seen, _ := runWith(t, plan.Options{
				Sizes: option.Sizes{
					APIs:            []string{result.PHDF5},
					BytesPerProcess: new(uint64(size * row.transfers)),
					BlockSize:       new(uint64(size)),
					MinTransferSize: new(uint64(size)),
					MaxTransferSize: new(uint64(size)),
				},
				Common: option.Common{Iterations: new(iterations), Conditions: option.Conditions{Latency: true}},
			}, null.Options{}, func(cfg *bench.Config) {
				c.set(cfg)
				cfg.World = tellingComm{mpi.Self{}, func(string) { c.now += time.Hour }}
				cfg.Arms[0].Engines = engines
			})
			if state != result.Complete || len(seen.cases) != 1 {
				t.Fatalf("state %s after %d cases", state, len(seen.cases))
			}
			for op, own := range own {
				op := workload.Op(op)
				if len(own) != iterations*row.transfers {
					t.Fatalf("%s: %d transfers, want %d", op, len(own), iterations*row.transfers)
				}
				checkSamples(t, seen.cases[0], op, own, costs)
				checkLatency(t, seen.cases[0], op, own)
			}
		})
	}
}

// checkSamples compares the samples of one operation with the times of all its transfers and with the costs of other
// steps.
func checkSamples(
	t *testing.T, c result.Case, op workload.Op, own []time.Duration, costs map[null.Phase]time.Duration,
) {
	t.Helper()
	samples := slices.Clone(c.Samples)
	samples = slices.DeleteFunc(samples, func(s result.Sample) bool { return s.Operation != plan.OperationOf(op) })
	n := len(own) / len(samples)
	for i, s := range samples {
		transfer := sum(own[i*n : (i+1)*n])
		access := transfer + costs[null.Dataset] + costs[null.DatasetClose]
		open, openClose := costs[null.Open], costs[null.Open]+access+costs[null.Close]
		for what, row := range map[string]struct {
			got  result.Interval
			want time.Duration
		}{
			"transfer":   {s.ClassInterval(workload.Transfer), transfer},
			"access":     {s.Access, access},
			"open":       {s.ClassInterval(workload.FileOpen), open},
			"close":      {s.ClassInterval(workload.FileClose), costs[null.Close]},
			"open-close": {s.OpenClose, openClose},
		} {
			if want := row.want.Seconds(); row.got.Max != want || row.got.WindowSeconds != want {
				t.Errorf("%s %d: %s is %+v, want %v", op, i+1, what, row.got, want)
			}
		}
		if want := float64(s.Bytes) / access.Seconds(); s.Throughput() != want {
			t.Errorf("%s %d: throughput is %v, want %v", op, i+1, s.Throughput(), want)
		}
	}
}

// checkLatency compares the latencies of one operation, over all iterations, with the times of its calls.
func checkLatency(t *testing.T, c result.Case, op workload.Op, calls []time.Duration) {
	t.Helper()
	i := slices.IndexFunc(c.Latencies, func(l result.Latency) bool { return l.Operation == plan.OperationOf(op) })
	if i < 0 {
		t.Fatalf("%s: no latencies", op)
	}
	l := c.Latencies[i]
	calls = slices.Sorted(slices.Values(calls))
	n := len(calls)
	mean := sum(calls).Seconds() / float64(n)
	if l.Count != uint64(n) || l.Min != calls[0].Seconds() || l.Max != calls[n-1].Seconds() ||
		math.Abs(l.Mean/mean-1) > 1e-6 {
		t.Errorf("%s: %d calls of %v to %v s, %v s in the mean; the engine took %d of %v to %v, %v s", op,
			l.Count, l.Min, l.Max, l.Mean, n, calls[0], calls[n-1], mean)
	}
	for _, q := range l.Quantiles {
		exact := calls[max(1, int(math.Ceil(q.Probability*float64(n))))-1].Seconds()
		if math.Abs(q.Seconds/exact-1) > 0.004 {
			t.Errorf("%s: quantile %v is %v s, exactly %v s", op, q.Probability, q.Seconds, exact)
		}
	}
}

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}

// On the real clock, the times that the engine itself measures are within the clocks of the run, and each clock is
// within the clocks that contain it.
func TestClocksContainWhatTheEngineMeasured(t *testing.T) {
	var calls, transfers [2][]time.Duration
	var begun, ended [2]time.Time
	_, seen, _ := run(t, plan.Options{
		Sizes: option.Sizes{
			APIs:            []string{result.PHDF5},
			BytesPerProcess: new(uint64(64 << 10)),
			MinTransferSize: new(uint64(1 << 10)),
			MaxTransferSize: new(uint64(1 << 10)),
			BlockSize:       new(uint64(1 << 10)),
		},
		Common: option.Common{Conditions: option.Conditions{Latency: true}},
	}, null.Options{
		Delay: func(workload.Op, uint64) time.Duration { return 50 * time.Microsecond },
		Took: func(op workload.Op, transfer, call time.Duration) {
			transfers[op], calls[op] = append(transfers[op], transfer), append(calls[op], call)
		},
		Fail: func(s null.Step) error {
			switch s.Phase {
			case null.Dataset:
				begun[s.Op] = time.Now()
			case null.DatasetClose:
				ended[s.Op] = time.Now()
			}
			return nil
		},
	})
	for op := range transfers {
		s, op := seen.cases[0].Samples[op], workload.Op(op)
		own, most := sum(transfers[op]).Seconds(), ended[op].Sub(begun[op]).Seconds()
		if s.ClassInterval(workload.Transfer).Max < own || s.ClassInterval(workload.Transfer).Max > most {
			t.Errorf("%s: transfer clock %v s, the engine took %v s of %v s", op,
				s.ClassInterval(workload.Transfer).Max, own,
				most)
		}
		if s.Access.Max < s.ClassInterval(workload.Transfer).Max || s.OpenClose.Max < s.Access.Max ||
			math.Abs(s.ClassInterval(workload.FileOpen).Max+s.Access.Max+s.ClassInterval(
				workload.FileClose).Max-s.OpenClose.Max) > 1e-9 {
			t.Errorf("%s: intervals do not contain each other: %+v", op, s)
		}
		checkLatency(t, seen.cases[0], op, calls[op])
	}
}
