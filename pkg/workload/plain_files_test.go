package workload_test

import (
	"slices"
	"testing"

	"h5perf/pkg/workload"
)

func TestPlainFilesHaveNoStepsAboutObjects(t *testing.T) {
	step := func(class workload.StepClass, move int) workload.Step {
		return workload.Step{Batch: workload.Batch{Class: class, Move: move}}
	}
	var all []workload.Step
	for class := range workload.NumClasses { // of ReadBack, there are no steps
		if class == workload.ReadBack {
			continue
		}
		all = append(all, step(class, workload.NoMove))
	}
	epochs := []workload.Epoch{{Steps: all}, {Steps: []workload.Step{
		step(workload.Create, 0), step(workload.Select, 0), step(workload.ObjectClose, 0),
	}}, {Steps: []workload.Step{step(workload.Extend, workload.NoMove)}}}
	part := workload.ProgramPart{Begin: epochs, Dumps: []workload.Dump{{Epochs: epochs}}, End: epochs}
	program := workload.Program{Files: make([]workload.File, 1), Parts: [2]workload.ProgramPart{part, part}}
	before := len(slices.Collect(program.Parts[0].Steps()))
	want := []workload.StepClass{
		workload.FileOpen, workload.Transfer, workload.Sync, workload.FileClose, workload.Compute, workload.Fence,
		workload.Create, workload.ObjectClose, // transfers begin and end with these steps
	}
	plain := program.ForPlainFiles(true)
	for op := range plain.Parts {
		p := &plain.Parts[op]
		for _, epochs := range [][]workload.Epoch{p.Begin, p.Dumps[0].Epochs, p.End} {
			if len(epochs) != 3 {
				t.Errorf("%d epochs, want those that all processes do", len(epochs))
			}
			var got []workload.StepClass
			for s := range (&workload.ProgramPart{Begin: epochs}).Steps() {
				got = append(got, s.Class)
			}
			if !slices.Equal(got, want) {
				t.Errorf("steps %v, want %v", got, want)
			}
		}
	}
	if n := len(slices.Collect(program.Parts[0].Steps())); n != before {
		t.Errorf("%d of %d steps are left in the program itself", n, before)
	}
}

func TestObjectsThatAreFilesKeepTheirSteps(t *testing.T) {
	classes := []workload.StepClass{
		workload.Create, workload.CreateLink, workload.Attribute, workload.ObjectClose, workload.Stat, workload.List,
		workload.Rename, workload.Extend, workload.Unlink,
	}
	p := workload.Program{Files: []workload.File{{ObjectFiles: true}}}
	var steps []workload.Step
	for _, class := range classes {
		steps = append(steps, workload.Step{Batch: workload.Batch{Class: class, Move: workload.NoMove}})
	}
	p.Parts[workload.Write].Begin = []workload.Epoch{{Steps: steps}}
	for objectFiles, want := range map[bool]int{true: len(classes) - 2, false: 0} { // attributes and extents are none
		plain := p.ForPlainFiles(objectFiles)
		if n := len(slices.Collect(plain.Parts[workload.Write].Steps())); n != want {
			t.Errorf("with objects as files %v: %d steps remain, want %d", objectFiles, n, want)
		}
	}
}
