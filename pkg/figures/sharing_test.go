package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

func TestAJobOnPartOfANodeIsTold(t *testing.T) {
	for value, want := range map[string]bool{"16": false, "16(x2)": false, "4": true, "16(x2),4": true, "x": false} {
		r := figurestest.Sweep()
		r.Machine.CPUs = 16
		r.Job.Slurm = []result.KeyValue{{Key: "SLURM_JOB_CPUS_PER_NODE", Value: value}}
		const text = "Slurm gave this job 4 of the 16 processors of a node: other jobs may run there"
		if got := figures.PartOfNodeText(r.Job, r.Machine); (got == text) != want || got != "" && !want {
			t.Errorf("%s: %q", value, got)
		}
		if slices.Contains(texts(r), text+".") != want {
			t.Errorf("%s: %q", value, texts(r))
		}
	}
	for granted, want := range map[float64]string{
		0: "", 1.5: "control groups give this job 1.5 of the 16 processors of a node: other jobs may run there",
		8: "", 16: "", 17: "",
	} {
		m := result.Machine{CPUs: 16, Cores: 8, GrantedCPUs: granted}
		if got := figures.PartOfNodeText(result.Job{}, m); got != want {
			t.Errorf("%g granted: %q, want %q", granted, got, want)
		}
	}
}
