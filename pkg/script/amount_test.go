package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// amount returns what base, with edits, does.
func amount(t *testing.T, job script.Job, edits ...string) (script.Amounts, error) {
	t.Helper()
	r, err := resolve(t, nil, script.Job{}, edits...)
	if err != nil {
		t.Fatal(err)
	}
	return r.Amount(job)
}

func TestTheAmountOfASmallWorkload(t *testing.T) {
	got, err := amount(t, job)
	if err != nil {
		t.Fatal(err)
	}
	const dumps, x, pairs = 2, 64 * 8 * 2 * 8, 32 * 5
	want := script.Amounts{
		Ops: [2]script.Amount{{
			Dumps: dumps, Bytes: dumps * (3*x + pairs), Most: dumps * (3*x/8 + pairs), Calls: dumps * 4,
			AllCalls: dumps * 4 * 8, Runs: dumps * 4, Files: 1, Groups: dumps, Datasets: dumps * 4, Steps: 2 + dumps*8,
		}},
		Memory: 3*x/8 + pairs, DiskBytes: dumps * (3*x + pairs), Files: 1,
		Filtered: workload.Filtered{Bytes: dumps * 3 * x, Asked: dumps * 3 * x, NoRatio: dumps * 3 * x},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestTheAmountOfFilteredDataIsThatOfTheirRatios(t *testing.T) {
	const bytes = 2 * 3 * 64 * 8 * 2 * 8 // as above
	for edits, want := range map[[2]string]workload.Filtered{
		{"type: f64", "type: f64, data: {ratio: 4}"}: {Bytes: bytes, Asked: bytes / 4},
		{"[shuffle, deflate: 4]", "[shuffle]"}:       {},
	} {
		if got, err := amount(t, job, edits[0], edits[1]); err != nil || got.Filtered != want {
			t.Errorf("%s: %+v, %v; want %+v", edits[1], got.Filtered, err, want)
		}
	}
}

func TestTheAmountOfParticlesIsThatOfTheSources(t *testing.T) {
	w, err := script.ReadProfile("particles")
	if err != nil {
		t.Fatal(err)
	}
	const ranks, particles, dumps = 1_000_000, 8 << 20, 5
	for _, c := range []struct {
		set      map[string]string
		datasets uint64
		runs     uint64
	}{
		{nil, 8, 8},
		{map[string]string{"memory": "structures"}, 8, 8},
		{
			map[string]string{"file": "structures"},
			1, 8 * particles,
		},
		{map[string]string{"file": "structures", "memory": "structures"}, 1, 1},
	} {
		r, err := script.Resolve(w, "site", c.set, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Amount(script.Job{Ranks: ranks, Nodes: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		for op, a := range got.Ops {
			if a.Bytes != ranks*particles*32*dumps || a.Most != particles*32*dumps || a.Datasets != c.datasets*dumps ||
				a.Runs != c.runs*dumps {
				t.Errorf("%v, %s: %+v", c.set, workload.Op(op), a)
			}
		}
		if got.Ops[workload.Write].Compute != dumps*time.Second || got.DiskBytes != ranks*particles*32*dumps {
			t.Errorf("%v: %+v", c.set, got)
		}
		memory := uint64(particles * 32)
		if c.set["memory"] == "structures" && c.set["file"] == "" { // one array of structures for each dataset
			memory *= 8
		}
		if got.Memory != memory {
			t.Errorf("%v: memory %d, want %d", c.set, got.Memory, memory)
		}
	}
}

func TestAmountsThatCannotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		edits []string
		want  string
	}{
		{[]string{"dumps: 2", "dumps: 100000"}, "a rank would do more than 200000 steps, the limit: lower the " +
			"numbers of dumps"},
		{
			[]string{"- for: {k: 3}\n      do:", "- repeat: 1000\n      do:\n      - repeat: 1000\n        do:\n  " +
				"      - repeat: 1000" +
				"\n          do: [fence: all]\n    - for: {k: 3}\n      do:"},
			"more than 200000 steps",
		},
		{[]string{"for: {k: 3}, type", "for: {k: dump - 1}, type"}, "the number of objects is -1, but must be at " +
			"least 0"},
		{[]string{"chunk: [n, 2]", "chunk: [dump, 2]"}, "the extent of a chunk is 0, but must be at least 1"},
		{[]string{"{rule: slab}", "{rule: slab, count: 2}"}, "w.yaml:29:20: x, [512 2]: rule slab does not use count"},
		{[]string{"create: [step, x, pairs]", "create: [step, x]"}, "w.yaml:31:7: dataset data:/step_0/pairs is " +
			"written, but it is not open: open or create it first"},
		{[]string{"- create: data", "- fence: all"}, "is created, but file data is not open: open or create the " +
			"file first"},
		{[]string{"- create: data", "- create: data\n    - open: data"}, "file data is opened, but file data is " +
			"open since line 22: close it first"},
		{[]string{"- close: data", "- close: data\n    - flush: data"}, "file data is flushed, but file data is not " +
			"open since line"},
		{[]string{"n: 64", "n: 64P", "chunk: [n, 2]", "chunk: [4, 2]"}, "has 2^64 bytes, objects or calls, or more"},
		{[]string{"fence: all", "extend: pairs\n      to: [3]"}, "data:/step_0/pairs is extended, but it has no " +
			"largest extent of its own: give it one"},
		{[]string{"fence: all", "extend: x\n      to: [3]"}, `"x" has 2 dimensions, not 1`},
		{
			[]string{
				"chunk: [n, 2]", "chunk: [n, 2], max-extent: [unlimited, 2]", "fence: all",
				"extend: x\n      to: [3, dump + 2]",
			},
			"is extended to [3, 3], but its largest extent is [unlimited, 2]",
		},
		{
			[]string{"mode: independent", "mode: independent\n      memory: {members: c}"},
			`the type of "pairs" has no member "c"`,
		},
		{
			[]string{
				"mode: independent",
				"mode: independent\n      memory: {within: {compound: [{name: b, type: u8}, {name: a, type: f32}]}}",
			},
			"the structure in memory must have the members of the dataset, with their types and after one another, " +
				`but it does not have "b" so`,
		},
		{
			[]string{
				"type: pair, extent", "type: u8, extent",
				"mode: independent", "mode: independent\n      memory: {within: pair}",
			},
			`the structure has no member "pairs"`,
		},
	} {
		r, err := resolve(t, nil, script.Job{}, c.edits...)
		if err != nil {
			t.Fatal(err)
		}
		if err := compileEnds(r, job); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.edits, err, c.want)
		}
	}
}
