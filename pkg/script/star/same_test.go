package star_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script"
	"h5perf/pkg/script/star"
	"h5perf/pkg/workload"
)

// flat tells all that a program does, in a line for each step. What it leaves out has no meaning for who executes it:
//   - which objects make a family (Object.Each, Count, First and the format of Name): a script makes objects one by one
//     where a YAML file has one for all values of a variable; lines have the names and places of all members of a batch
//   - whether the extent of a scalar is nil or empty
//   - indices of objects, files, attributes and moves: lines have what they stand for
func flat(p workload.Program) (lines []string) {
	var b strings.Builder
	object := func(i int, first, count uint64) {
		o := p.Objects[i]
		for k := first; k < first+count; k++ {
			fmt.Fprint(&b, " ", p.PathOf(i, k), "@", o.Base+k*o.Stride)
		}
		o.File, o.Parent, o.Each, o.Count, o.Name, o.First, o.Base, o.Stride = 0, 0, 0, 0, "", 0, 0, 0
		fmt.Fprintf(&b, " %#v", o)
	}
	move := func(i int) {
		m := p.Moves[i]
		object(m.Object, 0, 0)
		m.Object = 0
		for _, s := range []pattern.Selection{m.Selection, m.Plain} {
			start, extent := s.Boxes()
			fmt.Fprint(&b, " ", s.Kind(), s.Dims(), s.Element(), s.Elements(), s.Slab(), start, extent, s.Coordinates())
		}
		m.Selection, m.Plain = pattern.Selection{}, pattern.Selection{}
		fmt.Fprintf(&b, " %#v", m)
	}
	step := func(s workload.Step) {
		fmt.Fprint(&b, s.Op, " ", s.Class)
		switch s.Class {
		case workload.Compute, workload.Fence:
			fmt.Fprint(&b, " ", s.Duration, s.Group, s.Turn, s.Neighbour)
			return
		}
		f := p.Files[s.File]
		fmt.Fprint(&b, " ", f.NameOf(s.Number), f.Count, f.Group, f.Bytes, s.Existing, " of ", s.Count)
		switch s.Class {
		case workload.FileOpen, workload.FileClose, workload.Sync:
			return
		case workload.Transfer, workload.Select:
			fmt.Fprint(&b, " ", s.Times, s.Whole, s.Together)
			for m := range s.Moves() {
				move(m)
			}
		case workload.Attribute:
			a := p.Attributes[s.Attributes]
			a.Dims = append([]uint64{}, a.Dims...)
			fmt.Fprintf(&b, " %#v", a)
		default:
			fmt.Fprint(&b, s.Move)
		}
		if s.Object != workload.NoParent {
			object(s.Object, s.First, s.Count)
		}
		fmt.Fprint(&b, s.Extent)
	}
	epochs := func(where string, all []workload.Epoch) {
		for i, e := range all {
			lines = append(lines, fmt.Sprint(where, ", epoch ", i))
			for _, s := range e.Steps {
				b.Reset()
				step(s)
				lines = append(lines, b.String())
			}
		}
	}
	for op, part := range p.Parts {
		lines = append(lines, fmt.Sprint(workload.Op(op), " handles ", part.Handles))
		epochs("before", part.Begin)
		for i, d := range part.Dumps {
			epochs(fmt.Sprint("dump ", i), d.Epochs)
		}
		epochs("after", part.End)
	}
	return lines
}

// run is one way to run a profile.
type run struct {
	set    string
	values map[string]string
	ranks  int64
	nodes  int64
}

// different reports how the programs of a rank differ.
func different(t *testing.T, name string, r run) (steps int) {
	t.Helper()
	w, err := script.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	nodes := cmp.Or(r.nodes, min(r.ranks, 2))
	resolved, err := script.Resolve(w, r.set, r.values, script.Job{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := star.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := s.Choose(r.set, r.values)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range r.ranks {
		if r.ranks > 8 && rank > 2 && rank < r.ranks-2 && rank%13 != 0 {
			continue
		}
		old, err := resolved.Compile(rank, script.Job{Ranks: r.ranks, Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		now, err := chosen.Program(rank, star.Job{Ranks: r.ranks, Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		a, b := flat(old), flat(now)
		steps += len(a)
		for i := range max(len(a), len(b)) {
			line := func(l []string) string {
				if i < len(l) {
					return l[i][:min(len(l[i]), 700)]
				}
				return "(nothing)"
			}
			if i >= min(len(a), len(b)) || a[i] != b[i] {
				t.Fatalf(
					"%s %+v, rank %d, line %d of %d and %d:\n  yaml %s\n  star %s",
					name,
					r,
					rank,
					i,
					len(a),
					len(b),
					line(a),
					line(b),
				)
			}
		}
	}
	return steps
}

// ways returns the ways to run a profile: with each set, and with it each choice alone.
func ways(t *testing.T, name string, ranks []int64, sets []string, all bool) (list []run) {
	t.Helper()
	w, err := script.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if _, is := w.Sets[set]; set != "" && !is {
			continue
		}
		combinations := []map[string]string{{}}
		for _, choice := range slices.Sorted(maps.Keys(w.Choices)) {
			for i, word := range w.Choices[choice] {
				if i == 0 {
					continue
				}
				before := combinations
				if !all {
					before = combinations[:1]
				}
				for _, c := range slices.Clone(before) {
					if _, chosen := c[choice]; !chosen {
						c = maps.Clone(c)
						c[choice] = word.String()
						combinations = append(combinations, c)
					}
				}
			}
		}
		for _, c := range combinations {
			for _, n := range ranks {
				list = append(list, run{set: set, values: c, ranks: n})
			}
		}
	}
	return list
}

func TestScriptsAreTheSameProgramsAsYAML(t *testing.T) {
	whole := os.Getenv("H5PERF_ALL_PROGRAMS") != ""
	for _, name := range star.ProfileNames() {
		t.Run(name, func(t *testing.T) {
			list := ways(t, name, []int64{1, 3, 4}, []string{"tiny"}, false)
			list = append(list, ways(t, name, []int64{2, 7}, []string{"tiny"}, false)[:2]...)
			if whole {
				list = ways(
					t,
					name,
					[]int64{1, 2, 3, 4, 7, 64},
					[]string{"", "tiny", "site", "resnet50", "cosmoflow"},
					true,
				)
			}
			steps := 0
			for _, r := range list {
				steps += different(t, name, r)
			}
			t.Logf("%d runs, %d lines, all the same", len(list), steps)
		})
	}
}
