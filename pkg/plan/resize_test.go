package plan_test

import (
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

func TestResizedDataHaveProportionalBytes(t *testing.T) {
	job := plan.JobFacts{Processes: 2, Nodes: 1}
	profile := func(name string) plan.Options {
		return plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: name, Size: "tiny", APIs: []string{result.PHDF5},
		}}}
	}
	bytes := func(o plan.Options) (sum uint64) {
		p, err := plan.New(o, job)
		if err != nil {
			t.Fatal(err)
		}
		for c := range p.Cases() {
			one, err := c.Iteration()
			if err != nil {
				t.Fatal(err)
			}
			sum += one.Bytes[workload.Write] / uint64(p.NumCases())
		}
		return sum
	}
	set := profile("particles")
	set.Workload.Set = map[string]string{"particles": "8K", "dumps": "3"}
	for _, c := range []struct {
		o            plan.Options
		half, double string
	}{
		{plan.Options{Sizes: option.Sizes{
			BytesPerProcess: new(uint64(256 << 10)), MaxTransferSize: new(uint64(256 << 10)),
		}}, "num-bytes=131072", "num-bytes=524288"},
		{plan.Options{Sizes: option.Sizes{TwoD: true, BytesPerProcess: new(uint64(4096))}}, "", ""},
		{profile("particles"), "particles=8192", "particles=32768"},
		{set, "particles=4096", "particles=16384"},
		{profile("arrays"), "", ""},
		{profile("checkpoint"), "", ""},
	} {
		before := bytes(c.o)
		for factor, want := range map[float64]string{0.5: c.half, 2: c.double} {
			o, changed, err := c.o.Resized(factor, job)
			if err != nil {
				t.Errorf("%v: %v", c.o.Workload, err)
				continue
			}
			ratio := float64(bytes(o)) / float64(before) / factor
			if c.o.TwoD {
				ratio /= factor // both sides change
			}
			if ratio < 0.9 || ratio > 1.1 || want != "" && changed != want {
				t.Errorf("%g times: %s, with %d instead of %d bytes", factor, changed, bytes(o), before)
			}
		}
	}
	if v := set.Workload.Set["particles"]; v != "8K" {
		t.Errorf("the options were changed to %s", v)
	}
}
