package star_test

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script"
	"h5perf/pkg/script/star"
	"h5perf/pkg/workload"
)

// eachLine calls yield with a line for each step of a program. What lines leave out has no meaning for who executes it:
//   - which objects make a family (Object.Each, Count, First and the format of Name): a script makes objects one by one
//     where a YAML file has one for all values of a variable; lines have the names and places of all members of a batch
//   - whether the extent of a scalar is nil or empty
//   - Existing of a step that closes a file: it is for those that open one
//   - indices of objects, files, attributes and moves: lines have what they stand for
//
// Lines that are short have sums in the place of long texts.
func eachLine(p workload.Program, short bool, yield func(string)) {
	var b strings.Builder
	objects, moves := map[int]string{}, map[int]string{}
	var lastObject, lastMove printed
	long := func(text string) string {
		if short {
			return fmt.Sprintf(" %x", maphash.String(seed, text))
		}
		return text
	}
	object := func(i int) string {
		if _, is := objects[i]; !is {
			o := p.Objects[i]
			o.File, o.Parent, o.Each, o.Count, o.Name, o.First, o.Base, o.Stride = 0, 0, 0, 0, "", 0, 0, 0
			objects[i] = long(lastObject.text(o))
		}
		return objects[i]
	}
	move := func(i int) string {
		if _, is := moves[i]; !is {
			m := p.Moves[i]
			text := object(m.Object)
			m.Object = 0
			for _, s := range []pattern.Selection{m.Selection, m.Plain} {
				start, extent := s.Boxes()
				text += fmt.Sprint(
					" ", s.Kind(), s.Dims(), s.Element(), s.Elements(), s.Slab(), start, extent, s.Coordinates())
			}
			m.Selection, m.Plain = pattern.Selection{}, pattern.Selection{}
			if text += lastMove.text(m); len(text) > 2000 && !short {
				text = fmt.Sprintf("%s.. %x", text[:2000], sha256.Sum256([]byte(text)))
			}
			moves[i] = long(text)
		}
		return moves[i]
	}
	step := func(s *workload.Step) {
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
				b.WriteString(move(m))
			}
		case workload.Attribute:
			a := p.Attributes[s.Attributes]
			a.Dims = append([]uint64{}, a.Dims...)
			fmt.Fprintf(&b, " %#v", a)
		default:
			fmt.Fprint(&b, s.Move)
		}
		if s.Object != workload.NoParent {
			o := &p.Objects[s.Object]
			for k := s.First; k < s.First+s.Count; k++ {
				fmt.Fprint(&b, " ", p.PathOf(s.Object, k), "@", o.Base+k*o.Stride)
			}
			b.WriteString(object(s.Object))
		}
		fmt.Fprint(&b, s.Extent)
	}
	epochs := func(where string, all []workload.Epoch) {
		for i := range all {
			yield(fmt.Sprint(where, ", epoch ", i))
			for k := range all[i].Steps {
				b.Reset()
				step(&all[i].Steps[k])
				yield(b.String())
			}
		}
	}
	for op := range p.Parts {
		part := &p.Parts[op]
		yield(fmt.Sprint(workload.Op(op), " handles ", part.Handles))
		epochs("before", part.Begin)
		for i, d := range part.Dumps {
			epochs(fmt.Sprint("dump ", i), d.Epochs)
		}
		epochs("after", part.End)
	}
}

// printed is a value with its text. Many values are those before them.
type printed struct {
	value any
	known string
}

func (p *printed) text(value any) string {
	if !reflect.DeepEqual(p.value, value) {
		p.value, p.known = value, fmt.Sprintf(" %#v", value)
	}
	return p.known
}

// seed is that of sums of lines.
var seed = maphash.MakeSeed()

// sums returns the sums of all lines.
func sums(p workload.Program) (all []uint64) {
	eachLine(p, true, func(text string) { all = append(all, maphash.String(seed, text)) })
	return all
}

// lineAt returns a line.
func lineAt(p workload.Program, number int) string {
	found, n := "(nothing)", 0
	eachLine(p, false, func(text string) {
		if n == number {
			found = text
		}
		n++
	})
	return found
}

// run is one way to run a workload.
type run struct {
	yaml   script.Workload
	script *star.Script

	set    string
	values map[string]string
	ranks  int64
}

func (r run) String() string {
	return fmt.Sprint(r.script.Name, " ", r.set, r.values, " ", r.ranks, " ranks")
}

// different fails if the programs of a rank differ, or if only one of the front ends has one. It returns how many lines
// they have, and how many programs both refuse.
func different(t *testing.T, r run) (lines, refused int) {
	t.Helper()
	nodes := min(r.ranks, 2)
	resolved, err := script.Resolve(r.yaml, r.set, r.values, script.Job{})
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := r.script.Choose(r.set, r.values, star.Job{Ranks: r.ranks, Nodes: nodes})
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
			t.Fatalf("%s, rank %d:\n  yaml %v\n  star %v", r, rank, fails, err)
		}
		if err != nil {
			t.Logf("%s, rank %d: both refuse: %v", r, rank, err)
			return lines, refused + 1
		}
		a, b := sums(old), sums(now)
		lines += len(a)
		for i := range max(len(a), len(b)) {
			if i >= min(len(a), len(b)) || a[i] != b[i] {
				t.Fatalf("%s, rank %d, line %d of %d and %d:\n  yaml %s\n  star %s", r, rank, i, len(a), len(b),
					lineAt(old, i), lineAt(now, i))
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
	s, err := star.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, set := range sets {
		if _, is := w.Sets[set]; set != "" && !is {
			continue
		}
		r, err := script.Resolve(w, set, nil, script.Job{Ranks: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(r.Sizes, r.Choices)
		if done[key] {
			continue // it has the values of another set
		}
		done[key] = true
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
				list = append(list, run{w, s, set, c, n})
			}
		}
	}
	return list
}

func TestScriptsAreTheSameProgramsAsYAML(t *testing.T) {
	for _, name := range star.ProfileNames() {
		t.Run(name, func(t *testing.T) {
			list := ways(t, name, []int64{1, 3, 4}, []string{"tiny"}, false)
			list = append(list, ways(t, name, []int64{2, 7}, []string{"tiny"}, false)[:2]...)
			if everyProgram {
				list = ways(t, name, []int64{1, 2, 3, 4, 7, 64}, []string{"", "tiny", "site", "resnet50", "cosmoflow"},
					true)
			}
			lines, refused := 0, 0
			for _, r := range list {
				more, refusals := different(t, r)
				lines, refused = lines+more, refused+refusals
			}
			t.Logf("%d runs, %d lines, all the same; %d refused by both", len(list), lines, refused)
		})
	}
}

func TestOtherWorkloadsAreTheSameProgramsAsYAML(t *testing.T) {
	pairs, err := txtar.ParseFile("testdata/pairs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(pairs.Files, 2) {
		w, err := script.Read(pair[0].Name, pair[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		s, err := star.Read(pair[1].Name, append([]byte(`"""A test."""`+"\n"), pair[1].Data...))
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int64{1, 2, 3, 4, 7, 64} {
			if lines, refused := different(t, run{w, s, "", nil, ranks}); lines == 0 || refused > 0 {
				t.Errorf("%s, %d ranks: %d lines, %d refused", w.Name, ranks, lines, refused)
			}
		}
	}
}
