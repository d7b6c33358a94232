package plan_test

import (
	"os"
	"path/filepath"
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

// A word of a choice that the layout overrides is refused, unless it says the same as the layout.
func TestAChoiceThatALayoutContradictsIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.star")
	if err := os.WriteFile(file, []byte(`"""One dataset."""
storage = choice("contiguous", "chunked", about = "of the dataset")
mode = choice("collective", "independent", about = "of the transfers")

def write(job):
    chunks = (4,) if storage == "chunked" else None
    f = job.create("f")
    d = f.create_dataset("d", "f8", (8 * job.ranks,), chunks = chunks)
    d.write(slab(), collective = mode == "collective")
    d.close()
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	job := plan.JobFacts{Processes: 2}
	for _, c := range []struct{ workload, set, layout, want string }{
		{"arrays", "mode=independent", "given-chunked-collective", "mode=independent"},
		{"arrays", "mode=collective", "given-chunked-independent", "mode=collective"},
		{"mesh", "mode=collective", "both-contiguous-independent", "mode=collective"},
		{"arrays", "mode=collective", "given-chunked-collective", ""},
		{"arrays", "steps=1", "given-chunked-independent", ""},
		{"parts", "mode=collective", "given-chunked-independent", ""}, // it is about another kind of file
		{file, "storage=chunked", "given-contiguous-collective", "storage=chunked"},
		{file, "storage=chunked", "given-chunked-independent", ""},
		{file, "mode=independent", "given-chunked-collective", "mode=independent"},
	} {
		o := plan.WorkloadOptions{Application: option.Application{Workload: c.workload, Layout: c.layout}}
		if c.workload != file {
			o.Size = "tiny"
		}
		name, word, _ := strings.Cut(c.set, "=")
		o.Set = map[string]string{name: word}
		check := func(when string, o plan.WorkloadOptions, want string) plan.Plan {
			made, err := plan.New(plan.Options{Workload: &o}, job)
			text := ""
			if want != "" {
				text = want + " and --layout " + c.layout + " contradict each other: the layout sets how data are " +
					"stored and transferred, whatever " + name + " is; leave one of them out, or give another layout"
			}
			if want == "" && err != nil || want != "" && (err == nil || err.Error() != text) {
				t.Errorf("%s %s: error %v, want %q", c.workload, when, err, text)
			}
			return made
		}
		check(c.set+" "+c.layout, o, c.want)
		if o.Layout = ""; c.set == "mode=independent" {
			o = plan.WorkloadOptions{Application: o.Application, Recorded: check(c.set, o, "").Parameters.Workload}
			o.Set, o.Layout = nil, c.layout
			check("again in the layout", o, c.want)
		}
	}
}

// Sizes and choices that a layout replaces make no difference in it, but others do.
func TestValuesThatALayoutReplacesMakeNoDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		workload, layout string
		set              map[string]string
		want             bool
	}{
		{"arrays", "given-chunked-independent", map[string]string{"mode": "independent"}, true},
		{"arrays", "", map[string]string{"mode": "independent"}, false},
		{"mesh", "both-contiguous-collective", map[string]string{"chunk_x": "4"}, true},
		{"mesh", "", map[string]string{"chunk_x": "4"}, false},
		{"mesh", "given-chunked-independent", map[string]string{"x": "16"}, false},
		{"particles", "given-chunked-collective", map[string]string{"counts": "normal"}, false},
		{"arrays", "given-chunked-independent", nil, true},
	} {
		made := func(set map[string]string) plan.Plan {
			p, err := plan.New(plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
				Workload: c.workload, Size: "tiny", Layout: c.layout, APIs: []string{result.PHDF5}, Set: set,
			}}}, plan.JobFacts{Processes: 2})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		first := func(p plan.Plan) (workload.Program, error) { return p.Workload.Program(0, 2) }
		if got := made(c.set).IsSame(made(nil), first); got != c.want {
			t.Errorf("%s --layout %s with %v and without: %v", c.workload, c.layout, c.set, got)
		}
	}
}
