package plan_test

import (
	"testing"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

func TestOnlyHDF5DoesTheStepsAboutObjectsOfAWorkload(t *testing.T) {
	p, err := plan.NewWorkload(plan.WorkloadOptions{Workload: "particles", Size: "tiny"}, plan.Job{Processes: 3})
	if err != nil {
		t.Fatal(err)
	}
	for c := range p.Cases() {
		program, err := c.Program(1)
		if err != nil {
			t.Fatal(err)
		}
		classes := map[workload.Class]int{}
		for op := range program.Parts {
			for s := range program.Parts[op].Steps() {
				classes[s.Class]++
			}
		}
		if classes[workload.Transfer] != 2*2*8 || classes[workload.FileOpen] != 2 || classes[workload.Compute] != 0 {
			t.Errorf("%s: steps %v", c.API, classes)
		}
		objects := classes[workload.Create] + classes[workload.Open] + classes[workload.ObjectClose] +
			classes[workload.Select]
		if want := result.APIOf(c.API).Datasets; (objects > 0) != want {
			t.Errorf("%s: %d steps about objects", c.API, objects)
		}
	}
}
