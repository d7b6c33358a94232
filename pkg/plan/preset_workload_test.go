package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

// writeOnlyScript is a workload without the function read.
const writeOnlyScript = `"""A test."""
def write(job):
    f = job.create("f")
    f.create_dataset("x", "f8", (1024,)).write(slab())
    f.close()
`

// workloadWith returns the options of a workload with a preset.
func workloadWith(preset option.Preset, change func(*plan.Options)) plan.Options {
	o := plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
		Workload: "checkpoint", Size: "tiny",
	}}}
	o.Preset = preset
	change(&o)
	return o
}

// Data that writes read back are neither written nor read by the function read.
func TestThePlanCountsWhatWritesReadBack(t *testing.T) {
	text := strings.Replace(writeOnlyScript, ".write(slab())\n    f.close()", `.write(slab())
    f.close()
    job.dump()
    f = job.open("f")
    f["x"].read(everything())
    f.close()`, 1)
	o := plan.Options{Workload: &plan.WorkloadOptions{
		Application: option.Application{Workload: "w.star", APIs: []string{"phdf5"}}, Text: []byte(text),
	}}
	p := mustPlanOn(t, o, cluster)
	work, err := p.EstimateWork(nil)
	each, ranks := uint64(1024*8), uint64(p.Parameters.MaxProcesses)
	if m := work.Max; err != nil || m.Written != each || m.Read != 0 || m.ReadBack != each*ranks || m.Calls != 2*ranks {
		t.Errorf("%+v, %v; want %d bytes written and %d read back", m, err, each, each*ranks)
	}
}

func TestAPresetChangesTheConditionsOfAWorkload(t *testing.T) {
	asItIs := func(*plan.Options) {}
	sizes := mustPlanOn(t, workloadWith("", asItIs), cluster).Parameters.Workload.Sizes
	standard := option.Conditions{
		Sync: "close", Cold: true, Warmup: new(1), MinSeconds: new(1.0), Order: "random", Shift: new(0),
	}
	strict, writes, own := standard, standard, standard
	strict.MinSeconds, strict.Shift = new(10.0), new(8)
	writes.Cold = false
	own.Sync, own.Order = "none", "given"
	for name, c := range map[string]struct {
		o          plan.Options
		want       option.Conditions
		iterations int
	}{
		"no preset": {
			workloadWith("", asItIs), option.Conditions{Sync: "none", Order: "given", Warmup: new(0), Shift: new(0)}, 1,
		},
		"quick": {
			workloadWith("quick", asItIs),
			option.Conditions{Sync: "close", Order: "given", Warmup: new(0), Shift: new(0)},
			3,
		},
		"standard": {workloadWith("standard", asItIs), standard, 6},
		"strict":   {workloadWith("strict", asItIs), strict, 6},
		"nothing is read": {
			workloadWith("standard", func(o *plan.Options) { o.WriteOnly = true }), writes, 6,
		},
		"no function read": {
			workloadWith("standard", func(o *plan.Options) {
				o.Workload = &plan.WorkloadOptions{
					Application: option.Application{Workload: "w.star"}, Text: []byte(writeOnlyScript),
				}
			}), writes, 6,
		},
		"own conditions": {
			workloadWith("standard", func(o *plan.Options) { o.Sync, o.Order = "none", "given" }), own, 6,
		},
	} {
		p := mustPlanOn(t, c.o, cluster).Parameters
		got := p.Conditions
		got = option.Conditions{
			Sync: got.Sync, Cold: got.Cold, Warmup: got.Warmup, MinSeconds: got.MinSeconds, Order: got.Order,
			Shift: got.Shift, MemoryFactor: got.MemoryFactor,
		}
		if d := cmp.Diff(c.want, got); d != "" || p.Iterations != c.iterations {
			t.Errorf("%s: %d iterations, want %d%s", name, p.Iterations, c.iterations, d)
		}
		if d := cmp.Diff(sizes, p.Workload.Sizes); d != "" && name != "no function read" {
			t.Errorf("%s: other sizes%s", name, d)
		}
	}
}

func TestTheStrictPresetSaysThatTheFilesOfAWorkloadAreSmall(t *testing.T) {
	for preset, want := range map[option.Preset]string{
		"standard": "",
		"strict": "less than 2 times the memory of the nodes (256 GiB). --preset strict does not change the sizes of " +
			"a workload.",
	} {
		var told string
		for _, c := range mustPlanOn(t, workloadWith(preset, func(*plan.Options) {}), cluster).Cautions {
			told += c.Text
		}
		if want == "" && told != "" || !strings.Contains(told, want) {
			t.Errorf("%s: %q, want %q", preset, told, want)
		}
	}
}

func TestTheStrictPresetRefusesObjectsThatAreFiles(t *testing.T) {
	for _, c := range []struct {
		preset    option.Preset
		apis      []string
		writeOnly bool
		want      string
	}{
		{"strict", []string{"posix", "phdf5"}, false, "the objects of this workload are files with POSIX"},
		{"strict", []string{"mpiio", "phdf5"}, false, ""},
		{"strict", []string{"posix"}, true, ""},
		{"standard", []string{"posix"}, false, ""},
	} {
		o := plan.Options{
			Workload: &plan.WorkloadOptions{Application: option.Application{
				Workload: "metadata", Size: "tiny", APIs: c.apis,
			}},
			Common: option.Common{WriteOnly: c.writeOnly, Conditions: option.Conditions{Preset: c.preset}},
		}
		_, err := plan.New(o, cluster)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %v: %v, want %q", c.preset, c.apis, err, c.want)
		}
	}
}

// Conditions under which objects cannot be measured are refused before there is a file.
func TestConditionsThatDoNotFitObjectsAreRefused(t *testing.T) {
	limited, direct := option.Conditions{TimeLimit: new(1.0)}, option.Conditions{Direct: true}
	for _, c := range []struct {
		workload, kind, api string
		conditions          option.Conditions
		writeOnly           bool
		want                string
	}{
		{"metadata", "group", "phdf5", limited, false, "its reads expect all its steps of the kind rename, and the"},
		{"metadata", "soft_link", "phdf5", limited, false, "its reads expect all its steps of the kind link, and the"},
		{"metadata", "group", "phdf5", limited, true, ""},
		{"metadata", "attribute", "phdf5", limited, false, ""},
		{"metadata", "group", "posix", direct, true, "--direct: the objects of this workload are files with POSIX"},
		{"metadata", "group", "phdf5", direct, false, ""},
		{"arrays", "", "phdf5", limited, false, ""},
		{"arrays", "", "posix", direct, false, ""},
	} {
		o := plan.Options{
			Workload: &plan.WorkloadOptions{Application: option.Application{
				Workload: c.workload, Size: "tiny", APIs: []string{c.api},
			}},
			Common: option.Common{WriteOnly: c.writeOnly, Conditions: c.conditions},
		}
		if c.kind != "" {
			o.Workload.Set = map[string]string{"kind": c.kind}
		}
		_, err := plan.New(o, cluster)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestColdReadsNeedReads(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan.Options)
		want   string
	}{
		"-w": {
			func(o *plan.Options) { o.WriteOnly = true },
			"--cold needs reads, but this run only writes; leave out --cold or -w, or give a workload with the " +
				"function read (reads in its function write do not count)",
		},
		"no function read": {
			func(o *plan.Options) { o.Workload.Text = []byte(writeOnlyScript) },
			"or give a workload with the function read",
		},
	} {
		o := workloadWith("", c.change)
		o.Workload.Size, o.Cold = "", true
		if _, err := plan.New(o, cluster); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
