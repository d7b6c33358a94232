package plan_test

import (
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// The same data may be in other objects, storage, layouts and files. Other data, and other objects without data, are
// other work.
func TestOtherWork(t *testing.T) {
	const groups = `"""Groups without data."""
number = size(10, "groups", min = 1)
def write(job):
    f = job.create("a")
    f.create_group(numbered("g%d", number)).close()
    f.close()
`
	of := func(a option.Application, text string) plan.Plan {
		o := plan.Options{Workload: &plan.WorkloadOptions{Application: a}}
		if text != "" {
			o.Workload.Workload, o.Workload.Text = "groups.star", []byte(text)
		} else {
			o.Workload.Size = "tiny"
		}
		o.Workload.APIs = []string{result.PHDF5}
		p, err := plan.New(o, plan.JobFacts{Processes: 4, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct{ workload, name, value, want string }{
		{"metadata", "mode", "root", ""},
		{"metadata", "mode", "file_per_rank", "writes 25 KiB instead of 6.25 KiB"},
		{"particles", "file", "structures", ""},
		{"particles", "reading", "part", "reads 2 MiB instead of 4 MiB"},
		{"arrays", "layout", "both-chunked-collective", ""},
		{"compression", "filter", "gzip", ""},
		{"selections", "storage", "external", ""},
		{"selections", "storage", "compact", "writes 32 KiB instead of 64 KiB"},
		{"selections", "selection", "one_chunk", "writes 1 KiB instead of 64 KiB"},
		{"", "number", "30", "writes with 60 steps for objects instead of 20"},
	} {
		a, text := option.Application{Workload: c.workload}, ""
		if c.workload == "" {
			text = groups
		}
		b := a
		if b.Set = map[string]string{c.name: c.value}; c.name == "layout" {
			b.Set, b.Layout = nil, c.value
		}
		if got, err := of(b, text).OtherWork(of(a, text)); got != c.want || err != nil {
			t.Errorf("%s %s=%s: %q, %v, want %q", c.workload, c.name, c.value, got, err, c.want)
		}
	}
}
