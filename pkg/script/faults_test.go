package script_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// What HDF5 would refuse only after POSIX and MPI-IO were measured is refused when programs are made, at its line.
func TestFaultsOfStepsAreFoundBeforeARun(t *testing.T) {
	const (
		write = "{write: d, select: {rule: block}, mode: independent}"
		read  = "{read: d, select: {rule: block}, mode: independent}"
		ended = "close: [d, f]"
		usual = "[create: [f, d], " + write + ", " + ended + "]"
		again = "\n  read: {dumps: 1, dump: [open: [f, d], " + read + ", " + ended + "]}"
	)
	for _, c := range []struct{ write, more, want string }{
		{usual, again, ""},
		{"[create: [f, d], " + write + ", close: d,\n create: d, " + ended + "]", "", "15:2: dataset f:/d is " +
			"created, but " +
			"there is one of this name, which was created in line 14: give it another name, or unlink the first one"},
		{"[create: [f, m, two], close: [two, m, f]]", "", "14:1: dataset f:/m2 is created, but there is one of this " +
			"name"},
		{"[create: [f, d],\n attributes: d,\n attributes: d, " + ended + "]", "", "16:2: attribute a of dataset " +
			"f:/d is " +
			"created, but it was created in line 15: give it another name"},
		{"[create: [f, d],\n attributes: f,\n attributes: f, " + ended + "]", "", "16:2: attribute b of file f is " +
			"created, " +
			"but it was created in line 15"},
		{"[create: [f, twice], attributes: twice, close: [twice, f]]", "", "14:1: attribute c of dataset f:/twice " +
			"is created"},
		{"[create: [f, g]]", "", "14:1: file f is created, but file f is open since line 14: close it first"},
		{"[create: [f, d], close: d, unlink: d, close: f, open: f,\n open: d, " + ended + "]", "", "15:2: dataset " +
			"f:/d is " +
			"opened, but was unlinked in line 14: create it once more"},
		{"[create: [f, d], close: d, unlink: d,\n unlink: d, close: f]", "", "15:2: dataset f:/d is unlinked, but " +
			"was " +
			"unlinked in line 14"},
		{"[create: [f, d], close: d, unlink: d, create: d, " + write + ", " + ended + "]", again, ""},
		{
			"[create: [f, d], " + write + ", close: [d, f]]", "\n  read: {dumps: 1, dump: [open: [f, m], close: [m, " +
				"f]]}",
			"dataset f:/m0 is opened, but no step has created it: create it in part write",
		},
		{
			"[create: [f, d], " + ended + "]", "\n  read: {dumps: 1, dump: [open: [f, d], attributes: d, " +
				"" + ended + "]}",
			"attribute a of dataset f:/d is read, but no step has created it: create it in part write",
		},
		{"[create: [f, d], " + ended + "]", again, "dataset f:/d is read, but no step has written to it: write it " +
			"first, " +
			"or leave the read out"},
		{"[create: [r, p], close: [p, r]]", "\n  read: {dumps: 1, dump: [open: [r, p], {read: p, select: {rule: " +
			"all}, " +
			"mode: independent}, close: [p, r]]}", "dataset r0:/p is read, but no step has written to it"},
		{
			"[create: [f, d], {write: d, select: {rule: none}, mode: independent}, " + ended + "]", again,
			"dataset f:/d is read, but no step has written to it",
		},
		{
			"[create: [f, m], {write: m, select: {rule: root}, mode: independent}, close: [m, f]]",
			"\n  read: {dumps: 1, dump: [open: [f, m], {read: m, select: {rule: block}, mode: independent}, close: " +
				"[m, f]]}", "",
		},
		{"[{on: root, do: [create: [f, d], " + write + ", " + ended + "]}]", again, ""},
		{"[create: [f, x], {write: x, select: {rule: block}, mode: independent}, {extend: x, to: [80]}, " +
			"{write: x, select: {rule: block}, mode: independent}, close: [x, f]]", "", ""},
		{"[create: [f, x], {extend: x, to: [801]}, close: [x, f]]", "", "dataset f:/x is extended to [801], but its " +
			"largest extent is [800]: give a smaller one, or let it have a larger one"},
		{"[create: f]", "", "14:1: file f is open at the end of part write: close it after its last step"},
		{"[create: [f, d], close: f]", "", "file f is closed, but dataset f:/d is open since line 14: close it first"},
		{"[create: [f, gr, in], close: [gr, in, f]]", "", ""},
		{"[create: [f, gr], close: gr, create: in, close: [in, f]]", "", "dataset f:/gr/in is created, but group " +
			"f:/gr was " +
			"closed in line 14: open or create it first"},
		{"[{on: turns, do: [create: f, fence: all, close: f]}]", "", "steps of some ranks (on: turns) must not wait"},
	} {
		text := fmt.Sprintf(`workload: w
files: {f: {name: f, per: run, attributes: [{name: b, type: f64}]}, g: {name: f, per: run},
  r: {name: "r{rank}", per: rank}}
objects:
  d: {dataset: d, in: f, type: f64, extent: [100], attributes: [{name: a, type: f64}]}
  x: {dataset: x, in: f, type: f64, extent: [40], max-extent: [800], chunk: [8]}
  m: {dataset: "m{k}", in: f, for: {k: 3}, type: f64, extent: [8]}
  two: {dataset: m2, in: f, type: f64, extent: [100]}
  twice: {dataset: twice, in: f, type: f64, extent: [9], attributes: [{name: c, type: f64}, {name: c, type: f64}]}
  p: {dataset: p, in: r, type: f64, extent: [9]}
  gr: {group: gr, in: f}
  in: {dataset: in, in: gr, type: f64, extent: [9]}
write: {dumps: 1, dump:
%s}%s
`, c.write, strings.ReplaceAll(c.more, "\n  ", "\n"))
		w, err := script.Read("f.yaml", []byte(text))
		if err == nil {
			_, err = script.CheckChoices(w, script.CheckOptions{Ranks: 4})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s%s: %v, want %q", c.write, c.more, err, c.want)
		}
	}
}

// variants calls do with each profile in each set of sizes with each word of each choice.
func variants(t *testing.T, do func(name string, r script.Resolved, small bool)) {
	t.Helper()
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		choices := []map[string]string{nil}
		for choice, words := range w.Choices {
			for _, word := range words {
				choices = append(choices, map[string]string{choice: word.String()})
			}
		}
		for _, set := range append(slices.Sorted(maps.Keys(w.Sets)), "") {
			for _, chosen := range choices {
				r, err := script.Resolve(w, set, chosen, script.Job{})
				if err != nil {
					t.Fatalf("%s, %s, %v: %v", name, set, chosen, err)
				}
				do(fmt.Sprintf("%s, %s, %v", name, set, chosen), r, set == "tiny")
			}
		}
	}
}

// together checks the programs of a job together: of all ranks, or of the first and the last one. Making them checks
// each.
func together(t *testing.T, name string, r script.Resolved, ranks int64, all bool) {
	t.Helper()
	var programs []workload.Program
	for rank := range ranks {
		if !all && rank > 0 && rank < ranks-1 {
			continue
		}
		p, err := r.Compile(rank, script.Job{Ranks: ranks, Nodes: (ranks + 3) / 4})
		if err != nil {
			for _, fits := range []string{"the limit", "there must be one for each", "there must be a rank in each"} {
				if strings.Contains(err.Error(), fits) {
					return
				}
			}
			t.Fatalf("%s, rank %d of %d: %v", name, rank, ranks, err)
		}
		programs = append(programs, p)
	}
	fit(t, fmt.Sprint(name, ", ", ranks, " ranks"), programs, all)
}

// fit reports an error of the test if programs of ranks do not fit together. all says that they are those of all ranks.
func fit(t *testing.T, name string, programs []workload.Program, all bool) {
	t.Helper()
	var steps [][]uint64
	for i := range programs {
		var own []uint64
		for c := range programs[i].Collectives() {
			own = append(own, c.Hash)
		}
		if steps = append(steps, own); !slices.Equal(own, steps[0]) {
			t.Errorf("%s, program %d: its collectives are not those of rank 0", name, i)
		}
	}
	if err := workload.CheckReads(programs); all && err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Nothing is wrong with any profile.
func TestProgramsOfProfilesPassTheirChecks(t *testing.T) {
	next := int64(0)
	variants(t, func(name string, r script.Resolved, small bool) {
		if small {
			for ranks := range int64(7) {
				together(t, name, r, ranks+1, true)
			}
			return
		}
		next = next%7 + 1
		all, err := r.Amount(script.Job{Ranks: next, Nodes: 1})
		if err == nil && all.Ops[0].Steps+all.Ops[1].Steps < 50_000 { // others take seconds
			together(t, name, r, next, false)
		}
	})
}

// Nor with any layout of it.
func TestProgramsOfLayoutsPassTheirChecks(t *testing.T) {
	for name, r := range workloads(t) {
		for ranks := range int64(7) {
			for _, l := range (workload.LayoutOptions{}).Layouts(first(t, r, ranks+1)).All {
				all := programs(t, r, l, ranks+1)
				what := fmt.Sprint(name, ", ", l, ", ", ranks+1, " ranks")
				for rank := range all {
					if err := all[rank].Check(); err != nil {
						t.Errorf("%s, rank %d: %v", what, rank, err)
					}
				}
				fit(t, what, all, true)
			}
		}
	}
}
