package bench_test

import (
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// unmixedWindow returns options for one case with one transfer in each direction.
func single(c option.Conditions) plan.Options {
	size := uint64(64 << 10)
	return plan.Options{
		Sizes: option.Sizes{
			APIs: []string{result.POSIX}, BytesPerProcess: &size, BlockSize: &size,
			MinTransferSize: &size,
		},
		Common: option.Common{Conditions: c},
	}
}

func TestIterationsToWarmUpCountForNothing(t *testing.T) {
	o := single(option.Conditions{Warmup: new(2)})
	o.Iterations = new(3)
	c := &testClock{}
	_, seen, _ := runWith(t, o, c.transfers(func(int) float64 { return 2 }), c.set)
	got := seen.cases[0]
	if len(got.Warmup) != 4 || len(got.Samples) != 6 {
		t.Fatalf("%d samples to warm up and %d that count, want 4 and 6", len(got.Warmup), len(got.Samples))
	}
	for _, samples := range [][]result.Sample{got.Warmup, got.Samples} {
		for i, s := range samples {
			if s.Iteration != i/2+1 {
				t.Errorf("sample %d is of iteration %d", i, s.Iteration)
			}
		}
	}
}

func TestACaseGoesOnUntilItHasEnough(t *testing.T) {
	steady := func(int) float64 { return 2 }
	for _, row := range []struct {
		name       string
		conditions option.Conditions
		least      int
		seconds    func(dataset int) float64
		iterations int
		ended      result.EndedBy
	}{
		{"the number that was given", option.Conditions{}, 3, steady, 3, ""},
		{"steady: the first interval is narrow", option.Conditions{RepeatUntil: new(0.02)}, 2, steady, 10, "width"},
		{"not before the minimum", option.Conditions{RepeatUntil: new(0.02)}, 12, steady, 12, "width"},
		{"scattered, and then steady", option.Conditions{RepeatUntil: new(0.02)}, 1, func(k int) float64 {
			if k <= 2 || k == 5 || k == 6 { // writes and reads of two iterations
				return 3
			}
			return 2
		}, 11, "width"}, // the interval of 11 samples leaves out two on either side
		{
			"reads are scattered for ever",
			option.Conditions{RepeatUntil: new(0.02), MaxIterations: new(9)},
			1,
			func(k int) float64 {
				return 2 + float64(1-k%2)*float64(k%5)
			}, 9, "cap",
		},
		{"long enough in both directions", option.Conditions{MinSeconds: new(10.0)}, 1, func(k int) float64 {
			return 1 + float64(k%2) // writes take 2 s, reads 1 s
		}, 10, "seconds"},
		{
			"precise before it is long enough",
			option.Conditions{RepeatUntil: new(0.02), MinSeconds: new(30.0)},
			1,
			steady, 15, "seconds",
		},
		{
			"long enough before it is precise",
			option.Conditions{RepeatUntil: new(0.02), MinSeconds: new(5.0)},
			1,
			steady, 10, "width",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := single(row.conditions)
			o.Iterations = &row.least
			c := &testClock{}
			_, seen, _ := runWith(t, o, c.transfers(row.seconds), c.set)
			if got := seen.cases[0]; len(got.Samples) != 2*row.iterations || got.EndedBy != row.ended {
				t.Errorf("%d iterations, ended by %q; want %d, %q", len(got.Samples)/2, got.EndedBy, row.iterations,
					row.ended)
			}
		})
	}
}
