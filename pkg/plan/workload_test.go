package plan_test

import (
	"slices"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

func TestOnlyHDF5DoesTheStepsAboutObjectsOfAWorkload(t *testing.T) {
	p, err := plan.New(plan.Options{
		Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: "particles",
			Size:     "tiny",
		}},
	}, plan.JobFacts{Processes: 3})
	if err != nil {
		t.Fatal(err)
	}
	for c := range p.Cases() {
		program, err := c.Program(1)
		if err != nil {
			t.Fatal(err)
		}
		classes := map[workload.StepClass]int{}
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

// The document records only values that differ from the chosen set of sizes of the workload.
func TestADocumentTellsWhatWasAskedOfAWorkload(t *testing.T) {
	options := plan.Options{
		Workload: &plan.WorkloadOptions{
			Application: option.Application{Workload: "particles", Size: "tiny", Set: map[string]string{
				"dumps": "3", "file": "structures", "mode": "collective", "particles": "16384",
			}},
		},
	}
	p, err := plan.New(options, plan.JobFacts{Processes: 3})
	if err != nil {
		t.Fatal(err)
	}
	w := p.Parameters.Workload
	want := []result.KeyValue{
		{Key: "size", Value: "tiny"}, {Key: "dumps", Value: "3"}, {Key: "file", Value: "structures"},
	}
	if !slices.Equal(w.Requested, want) {
		t.Errorf("asked %v, want %v: collective is the default of mode, and tiny has 16K particles", w.Requested, want)
	}
	if own := []result.KeyValue{{Key: "defer-metadata", Value: "on"}}; !slices.Equal(w.Settings, own) {
		t.Errorf("settings of the workload %v, want %v", w.Settings, own)
	}
	again, err := plan.New(plan.Options{
		Workload: &plan.WorkloadOptions{Application: option.Application{Workload: "particles"}, Recorded: w},
	}, plan.JobFacts{Processes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Parameters.Workload.Requested, want) {
		t.Errorf("a repetition says that %v was asked, want %v", again.Parameters.Workload.Requested, want)
	}
	if again.Parameters.Hash() != p.Parameters.Hash() {
		t.Error("a repetition is in another series")
	}
	w.Requested, w.Settings = nil, nil
	if again.Parameters.Hash() != p.Parameters.Hash() {
		t.Error("the label of a series depends on how the same workload was asked for")
	}
}
