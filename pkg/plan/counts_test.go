package plan_test

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func TestAPresetHasTheIterationsThatAComparisonNeeds(t *testing.T) {
	with := func(preset option.Preset, change func(*plan.Options)) plan.Options {
		o := plan.Options{Sizes: option.Sizes{
			APIs: []string{"posix"}, MinTransferSize: new(uint64(1 << 20)),
			MaxTransferSize: new(uint64(1 << 20)),
		}}
		o.Preset, o.InTurns = preset, true
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		o           plan.Options
		least, most int
	}{
		"quick":     {with("quick", func(*plan.Options) {}), 7, 0},
		"standard":  {with("standard", func(*plan.Options) {}), 7, 100},
		"all APIs":  {with("standard", func(o *plan.Options) { o.APIs = nil }), 8, 100},
		"given":     {with("standard", func(o *plan.Options) { o.Iterations = new(3) }), 3, 100},
		"limited":   {with("standard", func(o *plan.Options) { o.MaxIterations = new(6) }), 6, 6},
		"alone":     {with("standard", func(o *plan.Options) { o.InTurns = false }), 6, 100},
		"no preset": {with("", func(*plan.Options) {}), 1, 0},
	} {
		s := mustPlanOn(t, c.o, cluster).Parameters
		if s.Iterations != c.least || option.ValueOrZero(s.Conditions.MaxIterations) != c.most {
			t.Errorf("%s: %d to %d iterations, want %d to %d",
				name, s.Iterations, s.Conditions.MaxIterations, c.least, c.most)
		}
	}
	serial := plan.Options{
		Serial: &option.SerialSizes{},
		Common: option.Common{Conditions: option.Conditions{Preset: "quick", InTurns: true}},
	}
	if s := mustSerialOn(t, serial, cluster).Parameters; s.Iterations != 8 {
		t.Errorf("serial: %d iterations", s.Iterations)
	}
	objects := with("quick", func(o *plan.Options) {
		o.Sizes = option.Sizes{}
		o.Workload = &plan.WorkloadOptions{Application: option.Application{
			Workload: "metadata", Size: "tiny", Set: map[string]string{"kind": "group"},
		}}
	})
	// POSIX and HDF5 create, close, rename, unlink, and look up, list, open and close objects; MPI-IO has no objects.
	if p := mustPlanOn(t, objects, cluster); p.NumPoints() != 3*2+2*(4+4) || p.Parameters.Iterations != 10 {
		t.Errorf("objects: %d points, %d iterations", p.NumPoints(), p.Parameters.Iterations)
	} else {
		attributes := objects
		attributes.Workload = &plan.WorkloadOptions{Application: option.Application{
			Workload: "metadata", Size: "tiny", Set: map[string]string{"kind": "attribute"},
		}}
		if n := p.NumPoints(mustPlanOn(t, attributes, cluster)); n != 3*2 { // no class is in both
			t.Errorf("groups and attributes have %d points", n)
		}
	}
	few := with("standard", func(o *plan.Options) { o.MaxIterations = new(5) })
	if _, err := plan.New(few, cluster); err == nil ||
		!strings.Contains(err.Error(),
			"--max-iterations 5: must be at least the smallest number of iterations, 6 (-i)") {
		t.Errorf("a preset with 5 iterations at most: %v", err)
	}
}
