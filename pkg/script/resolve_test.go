package script_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/usage"
)

var job = script.Job{Ranks: 8, Nodes: 2}

// resolve resolves base with edits.
func resolve(t *testing.T, set map[string]string, job script.Job, edits ...string) (script.Resolved, error) {
	t.Helper()
	w, err := script.Read("w.yaml", edited(t, edits...))
	if err != nil {
		t.Fatal(err)
	}
	return script.Resolve(w, "", set, job)
}

// text returns a resolved workload as JSON.
func text(t *testing.T, r script.Resolved) string {
	t.Helper()
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSizesBecomeNumbersAndChoicesSteps(t *testing.T) {
	r, err := resolve(t, map[string]string{"n": "half * 2 + ranks", "half": "3"}, job)
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, r)
	for _, want := range []string{
		`"extent": [
        112,
        2
      ]`, `"fence": "all"`, `"mode": "collective"`, `"name": "attribute_{i}"`, `"count": 3`, `"group": "step_{dump}"`,
		`"align": 1048576`, `"compound"`, `"ranks": 8`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	for _, never := range []string{"sizes", "sets", "choices", "types", "half", "when"} {
		if strings.Contains(got, `"`+never) {
			t.Errorf("%s in %s", never, got)
		}
	}
	if d := cmp.Diff(map[string]int64{"n": 14, "half": 3, "dumps": 2}, r.Sizes); d != "" {
		t.Error(d)
	}
	r, err = resolve(t, map[string]string{"way": "independent"}, job)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, r); strings.Contains(got, "fence") || strings.Contains(got, `"mode": "collective"`) {
		t.Errorf("collective: %s", got)
	}
	open, err := resolve(t, nil, script.Job{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, open); !strings.Contains(got, `"64 * ranks"`) || strings.Contains(got, "job") {
		t.Errorf("without a job: %s", got)
	}
}

func TestResolvingAgainChangesNothing(t *testing.T) {
	for _, job := range []script.Job{job, {}} {
		first, err := resolve(t, nil, job)
		if err != nil {
			t.Fatal(err)
		}
		read, err := script.Read("w.json", []byte(text(t, first)))
		if err != nil {
			t.Fatal(err)
		}
		second, err := script.Resolve(read, "", nil, job)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(text(t, first), text(t, second)); d != "" {
			t.Error(d)
		}
		one, _ := first.Hash()
		if two, err := second.Hash(); one != two || err != nil {
			t.Errorf("hash %x, then %x, %v", one, two, err)
		}
	}
}

func TestTheHashIsThatOfTheMeaning(t *testing.T) {
	hash := func(edits ...string) [32]byte {
		r, err := resolve(t, nil, job, edits...)
		if err != nil {
			t.Fatal(err)
		}
		h, err := r.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	plain := hash()
	for _, same := range [][]string{
		{"sizes:", "# a note\nsizes: # more"},
		{"{name: data, per: run,", "{per: run, name: data,"},
		{"  n: 64", "  m: 32\n  n: m + m"},
		{"half: div(n, 2)", "half: 32"},
		{"type: f64", "type: real", "types:", "types:\n  real: f64"},
		{"workload: small\n", "", "sizes:", "workload: small\nabout: notes\nsizes:"},
		{"[shuffle, deflate: 4]", "[shuffle, {deflate: 2+2}]"},
		{"create: data", "create: [data]"},
		{"align: 1M", "align: 1024K"},
	} {
		if hash(same...) != plain {
			t.Errorf("another hash: %q", same)
		}
	}
	for _, other := range [][]string{
		{"n: 64", "n: 65"},
		{"[shuffle, deflate: 4]", "[{deflate: 4}, shuffle]"},
		{"small", "large"},
		{"slab", "block"},
		{"way: [collective, independent]", "way: [independent, collective]"},
	} {
		if hash(other...) == plain {
			t.Errorf("the same hash: %q", other)
		}
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   map[string]string
		edits []string
		want  string
		usage bool
	}{
		{
			want: `--set m=3: the workload has no size "m"; its sizes and choices are dumps, half, n, way`,
			set:  map[string]string{"m": "3"}, usage: true,
		},
		{want: `did you mean "dumps"?`, set: map[string]string{"dump": "3"}, usage: true},
		{want: "--set n=3/2: \"3/2\", character 2: there is no /", set: map[string]string{"n": "3/2"}, usage: true},
		{want: `--set n=010: "010", character 1: 010 begins with 0`, set: map[string]string{"n": "010"}, usage: true},
		{want: "--set n=0x10: \"0x10\", character 1: 0x10 begins", set: map[string]string{"n": "0x10"}, usage: true},
		{want: `--set n=q: unknown name "q"`, set: map[string]string{"n": "q"}, usage: true},
		{
			want: `--set way=any: "any" must be one of collective, independent`,
			set:  map[string]string{"way": "any"}, usage: true,
		},
		{want: `has no set of sizes "bigg"; did you mean "big"?; its sets are big`, name: "bigg", usage: true},
		{want: "the size half depends on itself: half needs n needs half", set: map[string]string{"n": "half + 1"}},
		{want: "w.yaml:3:6: the size n depends on itself: n needs n", edits: []string{"n: 64", "n: n"}},
		{
			want: "w.yaml:17:69: n * ranks with n = 4611686018427387904, ranks = 8: 4611686018427387904 * 8 does " +
				"not fit",
			set: map[string]string{"n": "4096P"},
		},
		{want: "div(n, zero) with n = 64, zero = 0: div(64, 0) divides by zero", edits: []string{
			"div(n, 2)",
			"div(n, zero)\n  zero: 0",
		}},
		{
			want:  "w.yaml:23:10: the number of dumps is 0, but must be from 1 to 200000",
			edits: []string{"dumps: 2", "dumps: 0"},
		},
		{want: "the extent of a dataset is -1, but must be at least 0", set: map[string]string{"half": "-1"}},
		{want: "the level of deflate is 10, but must be from 0 to 9", edits: []string{"deflate: 4", "deflate: 10"}},
		{want: `the name of the file, "../x", has the character /`, edits: []string{"name: data", "name: ../x"}},
		{want: `the name of the file, ".x", must have letters`, edits: []string{"name: data", "name: .x"}},
		{want: `the name of the dataset, "a/b", has the character /`, edits: []string{
			"dataset: pairs",
			"dataset: a/b",
		}},
	} {
		w, err := script.Read("w.yaml", edited(t, c.edits...))
		if err != nil {
			t.Fatal(err)
		}
		_, err = script.Resolve(w, c.name, c.set, job)
		_, is := errors.AsType[*usage.Error](err)
		if err == nil || !strings.Contains(err.Error(), c.want) || is != c.usage {
			t.Errorf("%v, a usage error: %v, want %s", err, is, c.want)
		}
	}
}

func TestAResolvedWorkloadKeepsItsJob(t *testing.T) {
	r, err := resolve(t, nil, job)
	if err != nil {
		t.Fatal(err)
	}
	_, err = script.Resolve(r.Workload, "", nil, script.Job{Ranks: 16, Nodes: 2})
	if err == nil || !strings.Contains(err.Error(), "was resolved for 8 ranks on 2 nodes, not for 16 on 2") {
		t.Errorf("error %v", err)
	}
	for _, bad := range []script.Job{{Ranks: 1}, {Ranks: 1, Nodes: 2}, {Ranks: -1, Nodes: -1}} {
		if _, err := resolve(t, nil, bad); err == nil || !strings.Contains(err.Error(), "there must be a node") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestSizesMayDependOnRanks(t *testing.T) {
	const text = `workload: w
sizes: {each: 3, all: each * ranks, more: all + nodes, name: 10 * ranks}
files:
  f: {name: "f{name}", per: run}
objects:
  x: {dataset: x, in: f, type: f64, extent: [more]}
write:
  dumps: 1
  dump:
    - create: [f, x]
    - {write: x, select: {rule: concat, counts: equal, count: each}, mode: independent}
    - close: [x, f]
`
	w, err := script.Read("w.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	open, err := script.Resolve(w, "", map[string]string{"each": "4"}, script.Job{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := open.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := script.Read("w.json", b)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []script.Workload{open.Workload, again} {
		r, err := script.Resolve(of, "", nil, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Compile(1, job)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Objects[0].Dims[0]; got != 4*8+2 || p.Files[0].Name != "f80" {
			t.Errorf("extent %d in the file %s, want 34 in f80", got, p.Files[0].Name)
		}
	}
	closed, err := script.Resolve(open.Workload, "", nil, job)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = closed.JSON(); err != nil || strings.Contains(string(b), "sizes") {
		t.Errorf("with a job: %s, %v", b, err)
	}
}
