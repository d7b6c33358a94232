package plan_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// A document records the layout of a workload, so that a repetition uses the same one.
func TestARunInALayoutIsRepeated(t *testing.T) {
	job := plan.JobFacts{Processes: 3}
	options := plan.Options{Workload: &plan.WorkloadOptions{
		Application: option.Application{Workload: "arrays", Size: "tiny"},
	}}
	given, err := plan.New(options, job)
	if err != nil {
		t.Fatal(err)
	}
	options.Workload.Layout = "both-chunked-8x7-collective"
	made, err := plan.New(options, job)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(made.Parameters.APIs, []string{result.PHDF5}) {
		t.Errorf("APIs %q", made.Parameters.APIs)
	}
	w := made.Parameters.Workload
	if w.Layout != "both, chunked 8x7, collective" || w.Hash == given.Parameters.Workload.Hash ||
		given.Parameters.Workload.Layout != "" {
		t.Errorf("layouts %q and %q, hashes %s and %s", w.Layout, given.Parameters.Workload.Layout, w.Hash,
			given.Parameters.Workload.Hash)
	}
	p, err := made.Workload.Program(2, 3)
	if err != nil || len(p.Objects) != 1 || !reflect.DeepEqual(p.Objects[0].Chunk, []uint64{1, 1, 8, 7}) {
		t.Fatalf("objects %+v; %v", p.Objects, err)
	}
	// Chunks at the ends are stored as whole ones: 2 × 3 × 2 × 9 of 8 × 7 elements of 8 bytes. The dataset is
	// created, and opened in each dump.
	if a, err := made.Workload.Amounts(3); err != nil || a.DiskBytes != 2*3*2*9*8*7*8 || a.Ops[0].Datasets != 1+2 {
		t.Errorf("amounts %+v; %v", a, err)
	}
	options.Workload = &plan.WorkloadOptions{Application: option.Application{Workload: "arrays"}, Recorded: w}
	again, err := plan.New(options, job)
	if err != nil {
		t.Fatal(err)
	}
	if q, err := again.Workload.Program(2, 3); err != nil || !reflect.DeepEqual(p, q) ||
		again.Parameters.Workload.Hash != w.Hash {
		t.Errorf("a repetition has another program; %v", err)
	}
	for layout, want := range map[string]string{
		"both, chunked 8x6, collective": "the document was changed", "both": `"both" is no layout`,
	} {
		changed := *w
		changed.Layout, options.Workload.Recorded = layout, &changed
		if _, err := plan.New(options, job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", layout, err, want)
		}
	}
}

// Two layouts that give the same program are the same, and others are not.
func TestLayoutsOfTheSameDataAreTheSame(t *testing.T) {
	planIn := func(layout string) plan.Plan {
		p, err := plan.New(plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: "arrays", Size: "tiny", Layout: layout, APIs: []string{result.PHDF5},
			Set: map[string]string{"steps": "1"},
		}}}, plan.JobFacts{Processes: 2})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := func(p plan.Plan) (workload.Program, error) { return p.Workload.Program(0, 2) }
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"", "given-chunked-independent", false},
		{"given-chunked-collective", "given-chunked-independent", false},
		{"given-chunked-10x20-collective", "given-chunked-10x20-collective", true},
		{"given-chunked-10x40-independent", "given-chunked-independent", false},
	} {
		if got := planIn(c.a).IsSame(planIn(c.b), first); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
	for want, o := range map[string]option.Application{
		"--layout given-chunked-…: arrays:/step=0/array=0: a chunk of extent 11x40 is larger than the dataset: " +
			"give an extent of at most 10x40": {Layout: "given-chunked-11x40-independent"},
		"--layout: \"chunked\" is no layout":  {Layout: "chunked"},
		": only HDF5 has layouts: give -A ph": {Layout: "both-chunked-collective", APIs: []string{result.POSIX}},
	} {
		o.Workload, o.Size = "arrays", "tiny"
		_, err := plan.New(plan.Options{Workload: &plan.WorkloadOptions{Application: o}}, plan.JobFacts{Processes: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
