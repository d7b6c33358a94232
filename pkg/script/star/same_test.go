package star_test

import (
	"crypto/sha256"
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
//   - Existing of a step that closes a file: it is for those that open one
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
	known := map[int]string{}
	move := func(i int) {
		before := b.String()
		defer func() {
			if _, is := known[i]; !is {
				known[i] = shorter(b.String())
			}
			b.Reset()
			fmt.Fprint(&b, before, known[i])
		}()
		if b.Reset(); known[i] != "" {
			return
		}
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
		fmt.Fprint(&b, " ", f.NameOf(s.Number), f.Count, f.Group, f.Bytes, s.Existing && s.Class == workload.FileOpen,
			" of ", s.Count)
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
				lines = append(lines, shorter(b.String()))
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

// shorter returns a text, or of a long one its start and a sum of all.
func shorter(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s.. %x", text[:most], sha256.Sum256([]byte(text)))
}

// run is one way to run a profile.
type run struct {
	set    string
	values map[string]string
	ranks  int64
}

// different fails if the programs of a rank differ, or if only one of the front ends has one. It returns how many lines
// they have, and how many programs both refuse.
func different(t *testing.T, name string, r run) (lines, refused int) {
	t.Helper()
	w, err := script.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	nodes := min(r.ranks, 2)
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
		old, fails := resolved.Compile(rank, script.Job{Ranks: r.ranks, Nodes: nodes})
		now, err := chosen.Program(rank, star.Job{Ranks: r.ranks, Nodes: nodes})
		if (fails == nil) != (err == nil) {
			t.Fatalf("%s %+v, rank %d:\n  yaml %v\n  star %v", name, r, rank, fails, err)
		}
		if err != nil {
			return lines, refused + 1
		}
		a, b := flat(old), flat(now)
		lines += len(a)
		for i := range max(len(a), len(b)) {
			line := func(l []string) string {
				if i < len(l) {
					return l[i]
				}
				return "(nothing)"
			}
			if line(a) != line(b) {
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
	return lines, refused
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
			lines, refused := 0, 0
			for _, r := range list {
				more, refusals := different(t, name, r)
				lines, refused = lines+more, refused+refusals
			}
			t.Logf("%d runs, %d lines, all the same; %d refused by both", len(list), lines, refused)
		})
	}
}
