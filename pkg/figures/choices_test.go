package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// choiceRun returns a sweep over a choice, with writes that take a time in seconds for each of its values.
func choiceRun(seconds map[string][]float64, order ...string) figures.Run {
	r := figurestest.Workload()
	r.Cases = nil
	for _, value := range order {
		values := []result.KeyValue{{Key: "filter", Value: value}}
		c := result.Case{Processes: 2, Nodes: 1, API: result.PHDF5, State: result.Complete, Values: values}
		for i, s := range seconds[value] {
			sample := result.Sample{Operation: result.OperationWrite, Iteration: i + 1, Bytes: 1 << 20}
			sample.Access.WindowSeconds, sample.OpenClose.WindowSeconds = s, s
			c.Samples = append(c.Samples, sample)
		}
		r.Cases = append(r.Cases, c)
		r.Swept = append(r.Swept, result.SweptCases{Values: values, Parameters: r.Parameters})
	}
	return r
}

func TestChoicesAreComparedWithNone(t *testing.T) {
	times := map[string][]float64{"gzip": {8, 8, 8}, "none": {2, 2, 2}, "lz4": {4, 4, 4}}
	r := choiceRun(times, "gzip", "none", "lz4")
	want := []string{
		"HDF5, write, 2 processes: throughput divided by that of filter=none: gzip 0.25 (range 0.25 to 0.25); " +
			"lz4 0.50 (range 0.50 to 0.50).",
	}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	r = choiceRun(map[string][]float64{"1K": {1}, "2K": {1}}, "1K", "2K")
	if got := r.ChoiceSentences(); got != nil {
		t.Errorf("sizes: %q", got)
	}
}
