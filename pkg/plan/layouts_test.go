package plan_test

import (
	"reflect"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/workload"
)

// A document records the layout of a workload, so that a repetition uses the same one.
func TestARunInALayoutIsRepeated(t *testing.T) {
	job := plan.JobFacts{Processes: 3}
	options := plan.Options{Workload: &plan.WorkloadOptions{
		Application: option.Application{Workload: "arrays", Size: "tiny"},
	}}
	all, err := options.LayoutRuns(workload.LayoutOptions{
		Forms: []workload.LayoutForm{workload.FormBoth}, Storages: []workload.LayoutStorage{workload.StorageChunked},
		Modes: []workload.LayoutMode{workload.ModeCollective}, Chunk: []uint64{8, 7},
	}, job)
	if err != nil || len(all.Runs) != 2 {
		t.Fatalf("%d runs; %v", len(all.Runs), err)
	}
	given, err := plan.New(all.Runs[0].Options, job)
	if err != nil {
		t.Fatal(err)
	}
	made, err := plan.New(all.Runs[1].Options, job)
	if err != nil {
		t.Fatal(err)
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
