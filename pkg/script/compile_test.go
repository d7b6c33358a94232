package script_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// shapes are workloads of the shapes that applications have, beside base.
var shapes = map[string]string{
	"base": base,
	"root creates, all open": `workload: amr
sizes: {cells: 512, levels: 3}
files:
  plt: {name: "plt{dump:5}", per: dump, attributes: 14}
objects:
  level: {group: "level_{l}", in: plt, for: {l: levels}, attributes: 11}
  boxes: {dataset: boxes, in: level, type: {array: [6], of: i32}, extent: [8 * (l + 1)]}
  data: {dataset: "data:datatype=0", in: level, type: f64, extent: [cells * 6], fill: never, allocate: incremental}
write:
  dumps: 2
  dump:
    - compute: {milliseconds: 5}
    - on: root
      do:
        - create: [plt, level]
        - attributes: [plt, level]
        - close: [level, plt]
    - open: plt
    - for: {l: levels}
      do:
        - open: level
        - create: [boxes, data]
        - {write: boxes, select: {rule: root}, mode: independent}
        - {write: data, select: {rule: block}, mode: collective}
        - close: [boxes, data, level]
    - close: plt
`,
	"a growing file": `workload: climate
sizes: {cells: 100}
files:
  h0: {name: h0, per: run}
objects:
  time: {dataset: time, in: h0, type: f64, extent: [0], max-extent: [unlimited], chunk: [16]}
  v: {dataset: "v{k:3}", in: h0, for: {k: 5}, type: f32, extent: [0, cells],
    max-extent: [unlimited, cells], chunk: [1, cells]}
write:
  begin: [create: h0, create: [time, v]]
  dumps: 3
  dump:
    - extend: v
      to: [dump + 1, cells]
    - {write: v, together: true, select: {rule: slice, dim: 0, index: dump}, mode: collective}
  end: [close: [time, v], close: h0]
read:
  begin: [open: h0, open: v]
  dumps: 2
  dump: [{read: v, select: {rule: slice, dim: 0, index: dump}, mode: independent}]
  end: [close: v, close: h0]
`,
	"files of bands": `workload: parts
sizes: {n: 1000}
files:
  silo: {name: "silo_{band:3}", per: band, bands: 3}
objects:
  mine: {group: "rank{rank:4}", in: silo}
  domain: {group: "domain_{d}", in: mine, for: {d: 2}}
  v: {dataset: "v{k}", in: domain, for: {k: 4}, type: f64, extent: [n + k]}
write:
  dumps: 1
  dump:
    - on: turns
      do:
        - create: [silo, mine, domain, v]
        - {write: v, select: {rule: all}, mode: independent}
        - close: [v, domain, mine, silo]
`,
	"a file for each rank": `workload: own
files:
  f: {name: "p{rank:6}", per: rank}
objects:
  x: {dataset: "x{dump}", in: f, type: {compound: [{name: a, type: f64}, {name: b, type: u8}]}, extent: [10, 10]}
write:
  begin: [create: f]
  dumps: 4
  dump:
    - create: x
    - {write: x, select: {rule: all}, mode: independent, memory: {members: [a, b]}}
    - close: x
  end: [flush: f, close: f]
`,
	"parts in other forms": `workload: forms
sizes: {cells: 400, readers: 2}
files:
  f: {name: f, per: run}
objects:
  u: {dataset: "u{k}", in: f, for: {k: 2}, type: f32, extent: [1, 3, cells],
    max-extent: [unlimited, 3, cells], chunk: [1, 3, cells]}
  v: {dataset: "v", in: f, type: f32, extent: [1, 3, cells], max-extent: [2, 3, cells], chunk: [1, 3, cells]}
  w: {dataset: "w{dump}", in: f, type: f64, extent: [80, 60]}
write:
  begin: [create: [f, u, v]]
  dumps: 2
  dump:
    - {extend: u, to: [dump + 1, 3, cells]}
    - {extend: v, to: [dump + 1, 3, cells]}
    - {write: u, select: {rule: map, record: dump, dim: -1, length: 6, seed: 1, form: runs}, mode: independent}
    - {write: v, select: {rule: map, record: dump, dim: -1, length: 6, seed: 1, form: points}, mode: collective}
    - create: w
    - {write: w, select: {rule: block, idle: "if(dump == 1, 3, 0)"}, mode: collective, memory: {stride: 2}}
    - close: w
  end: [close: [u, v, f]]
read:
  begin: [open: [f, u]]
  dumps: 1
  dump:
    - open: w
    - {read: w, select: {rule: block, ranks: readers}, mode: collective}
    - {read: w, select: {rule: strided, count: 3, length: 2, stride: 3, ranks: readers}, mode: collective}
    - {read: u, select: {rule: random, record: 1, count: 1, ranks: readers, form: runs}, mode: independent}
    - close: w
  end: [close: [u, f]]
`,
	"ghost cells": `workload: ghost
files:
  f: {name: f, per: run}
objects:
  u: {dataset: u, in: f, type: f32, extent: [16, 16, 16]}
write:
  dumps: 1
  dump:
    - create: [f, u]
    - {write: u, select: {rule: block}, mode: collective, memory: {ghost: 2}}
    - close: [u, f]
`,
}

// totals are what programs of all ranks do in one direction.
type totals struct{ Bytes, Most, Calls, Files, Groups, Datasets, Attributes uint64 }

// total adds up the programs of all ranks.
func total(t *testing.T, r script.Resolved, job script.Job) (sums [2]totals, memory uint64) {
	t.Helper()
	seen := map[string]bool{}
	for rank := range job.Ranks {
		p, err := r.Compile(rank, job)
		if err != nil {
			t.Fatal(err)
		}
		for op := range p.Parts {
			part := &p.Parts[op]
			sections := [][]workload.Epoch{part.Begin, part.End}
			for _, d := range part.Dumps {
				sections = append(sections, d.Epochs)
			}
			for _, section := range sections {
				memory = max(memory, held(&p, section))
			}
		}
		for op := range sums {
			sum := &sums[op]
			mine, calls := uint64(0), uint64(0)
			once := func(n *uint64, what string, more uint64) { // what all ranks do together counts once
				if !seen[what] {
					*n += more
				}
				seen[what] = true
			}
			times := map[string]int{}
			for s := range p.Parts[op].Steps() {
				f := p.Files[s.File]
				changed := s.Existing && f.Group != workload.Band // in a band, one creates a file that others change
				where := fmt.Sprint(op, s.Class, changed, f.Name, path(&p, s.Object, s.First))
				if f.Group == workload.Self { // several ranks may open a file, each by itself
					where += fmt.Sprint(" ", rank)
				}
				times[where]++
				where += fmt.Sprint(" ", times[where], " ")
				switch s.Class {
				case workload.FileOpen:
					once(&sum.Files, where, 1)
				case workload.Create, workload.Open:
					o := p.Objects[s.Object]
					n := &sum.Groups
					if o.Kind == workload.DatasetObject {
						n = &sum.Datasets
					}
					once(n, where, s.Count)
				case workload.Attribute:
					once(&sum.Attributes, where, s.Count*p.Attributes[s.Attributes].Count)
				case workload.Transfer:
					for m := s.Move; m < s.Move+max(1, s.Together); m++ {
						mine += p.Moves[m].TransferBytes() * s.Count
						if s.Together == 0 {
							calls += s.Count
						}
					}
					if s.Together > 0 {
						calls++
					}
				}
			}
			sum.Bytes += mine
			sum.Most, sum.Calls = max(sum.Most, mine), max(sum.Calls, calls)
		}
	}
	return sums, memory
}

// held returns the memory of the transfers of a section: a slot for each of the datasets of a move.
func held(p *workload.Program, section []workload.Epoch) (bytes uint64) {
	type slot struct {
		move   int
		member uint64
	}
	slots := map[slot]bool{}
	for _, e := range section {
		for _, s := range e.Steps {
			if s.Class != workload.Transfer {
				continue
			}
			for m := range s.Moves() {
				for k := s.First; k < s.First+s.Count; k++ {
					slots[slot{m, k}] = true
				}
			}
		}
	}
	for s := range slots {
		bytes += p.Moves[s.move].Buffer.SlotBytes
	}
	return bytes
}

// path returns the path of an object in its file.
func path(p *workload.Program, object int, member uint64) string {
	if object == workload.NoParent {
		return ""
	}
	o := p.Objects[object]
	return path(p, o.Parent, member/o.Each) + "/" + o.NameOf(member)
}

func TestAmountsAreThoseOfAllPrograms(t *testing.T) {
	texts, sets := maps.Clone(shapes), map[string]string{}
	for _, name := range script.ProfileNames() {
		text, err := script.ProfileText(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name], sets[name] = string(text), "tiny"
	}
	unequal := map[string]bool{"amr": true}
	for name, text := range texts {
		w, err := script.Read(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := script.Resolve(w, sets[name], nil, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range []script.Job{{Ranks: 3, Nodes: 1}, {Ranks: 8, Nodes: 3}} {
			a, err := r.Amount(job)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, memory := total(t, r, job)
			all, err := workload.AmountsOf(uint64(job.Ranks), func(rank uint64) (workload.Program, error) {
				return r.Compile(int64(rank), job)
			})
			if err != nil {
				t.Fatal(err)
			}
			for op, o := range all.Ops {
				if strings.Contains(text, "band") { // each rank of a band opens its file
					o.Files = got[op].Files
				}
				of := a.Ops[op]
				want := got[op]
				have := totals{o.Bytes, o.Most, o.Calls, o.Files, o.Groups, o.Datasets, o.Attributes}
				if d := cmp.Diff(want, have); d != "" || o.Dumps != of.Dumps || o.Compute != of.Compute ||
					o.AllCalls != of.AllCalls || o.Runs > of.Runs*uint64(job.Ranks) {
					t.Errorf("%s, %+v, %s: %+v, meter %+v (-programs +amounts)\n%s", name, job, workload.Op(op), o, of,
						d)
				}
			}
			if all.DiskBytes != a.DiskBytes || all.Files != a.Files || all.Filtered != a.Filtered ||
				all.Sampled != 0 {
				t.Errorf("%s, %+v: %+v, meter %+v", name, job, all, a)
			}
			for op, o := range a.Ops {
				if unequal[name] { // no rank has the largest part of each transfer
					if got[op].Most >= o.Most {
						t.Errorf("%s, %+v, %s: most %d, programs %d", name, job, workload.Op(op), o.Most, got[op].Most)
					}
					o.Most = got[op].Most
				}
				want := totals{o.Bytes, o.Most, o.Calls, o.Files, o.Groups, o.Datasets, o.Attributes}
				if o.Expected {
					want.Most, memory = got[op].Most, a.Memory // are not known before
				}
				if d := cmp.Diff(want, got[op]); d != "" {
					t.Errorf("%s, %+v, %s: (-amount +programs)\n%s", name, job, workload.Op(op), d)
				}
			}
			if memory > a.Memory || !unequal[name] && memory != a.Memory {
				t.Errorf("%s, %+v: memory %d, programs %d", name, job, a.Memory, memory)
			}
		}
	}
}

// compiled returns the programs of all ranks of a shape.
func compiled(t *testing.T, text string, job script.Job) []workload.Program {
	t.Helper()
	w, err := script.Read("w.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := script.Resolve(w, "", nil, job)
	if err != nil {
		t.Fatal(err)
	}
	var all []workload.Program
	for rank := range job.Ranks {
		p, err := r.Compile(rank, job)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// outline is a program without moves, in a form to compare: a line for each step but those of class Select.
func outline(p *workload.Program) (lines []string) {
	epochs := func(what string, all []workload.Epoch) {
		for i, e := range all {
			lines = append(lines, fmt.Sprintf("%s, epoch %d", what, i))
			for _, s := range e.Steps {
				if s.Class == workload.Select {
					continue
				}
				line := "  " + s.Class.String()
				switch s.Class {
				case workload.FileOpen, workload.FileClose, workload.Sync:
					f := p.Files[s.File]
					line += fmt.Sprintf(" %s, group %d, existing %v", f.NameOf(s.Number), f.Group,
						s.Existing)
				case workload.Compute:
					line += " " + s.Duration.String()
				case workload.Fence:
					line += fmt.Sprintf(" %d %d %d", s.Group, s.Turn, s.Neighbour)
				default:
					for m := s.First; m < s.First+s.Count; m++ {
						line += " " + path(p, s.Object, m)
					}
				}
				if s.Class == workload.Attribute {
					line += fmt.Sprintf(" %d × %s", p.Attributes[s.Attributes].Count, p.Attributes[s.Attributes].Name)
				}
				if s.Class == workload.Extend {
					line += fmt.Sprint(s.Extent)
				}
				if s.Class == workload.Transfer {
					line += fmt.Sprintf(" %d bytes, %d moves", p.Moves[s.Move].TransferBytes(), max(1, s.Together))
				}
				lines = append(lines, line)
			}
		}
	}
	for op, part := range p.Parts {
		epochs(fmt.Sprint(workload.Op(op), ", begin"), part.Begin)
		for i, d := range part.Dumps {
			epochs(fmt.Sprint(workload.Op(op), ", dump ", i), d.Epochs)
		}
		epochs(fmt.Sprint(workload.Op(op), ", end"), part.End)
	}
	return lines
}

// selected returns what the transfers of a dataset select, in their order: the kind, and the first run in a plain file,
// in elements, with the number of runs.
func selected(p *workload.Program, op workload.Op, dataset string) (all []string) {
	for _, m := range movesOf(p, op, dataset) {
		text := m.Selection.Kind().String()
		for at, bytes := range m.Plain.Runs() {
			text += fmt.Sprintf(" %d+%d in %d", at/m.Plain.Element(), bytes/m.Plain.Element(), m.Plain.RunCount())
			break
		}
		all = append(all, text)
	}
	return all
}

// movesOf returns the moves of the transfers of a dataset, in their order.
func movesOf(p *workload.Program, op workload.Op, dataset string) (all []*workload.Move) {
	for s := range p.Parts[op].Steps() {
		if s.Class == workload.Transfer && path(p, s.Object, s.First) == dataset {
			all = append(all, &p.Moves[s.Move])
		}
	}
	return all
}

func TestPartsOfSomeRanks(t *testing.T) {
	for rank, p := range compiled(t, shapes["parts in other forms"], script.Job{Ranks: 4, Nodes: 1}) {
		want := [][2][]string{
			{{"singular 0+30 in 40", "none"}, {"singular 0+2400 in 1", "regular 0+120 in 3"}},
			{{"singular 30+30 in 40", "singular 0+2400 in 1"}, {"singular 2400+2400 in 1", "regular 2400+120 in 3"}},
			{{"singular 2400+30 in 40", "singular 2400+30 in 40"}, {"none", "none"}},
			{{"singular 2430+30 in 40", "singular 2430+30 in 40"}, {"none", "none"}},
		}[rank]
		written := append(selected(&p, workload.Write, "/w0"), selected(&p, workload.Write, "/w1")...)
		if d := cmp.Diff(want, [2][]string{written, selected(&p, workload.Read, "/w0")}); d != "" {
			t.Errorf("rank %d: (-want +got)\n%s", rank, d)
		}
	}
}

// Runs one by one, and points, are the same elements; those of all ranks are the record of each dump.
func TestPartsInOtherForms(t *testing.T) {
	times := [2]map[uint64]int{{}, {}}
	for rank, p := range compiled(t, shapes["parts in other forms"], script.Job{Ranks: 4, Nodes: 1}) {
		transfers := 0
		for _, m := range append(movesOf(&p, workload.Write, "/u0"), movesOf(&p, workload.Write, "/v")...) {
			form := 0
			switch m.Selection.Kind() {
			case pattern.Singular:
				if transfers++; m.Plain.RunCount() != 1 || m.Collective {
					t.Errorf("rank %d: %d runs in one transfer, collective %v", rank, m.Plain.RunCount(), m.Collective)
				}
			case pattern.Points:
				if form = 1; !m.Collective {
					t.Errorf("rank %d: points, not collective", rank)
				}
			default:
				t.Errorf("rank %d: a part of kind %v", rank, m.Selection.Kind())
			}
			for at, bytes := range m.Plain.Runs() {
				for i := at / 4; i < (at+bytes)/4; i++ {
					times[form][i]++
				}
			}
		}
		if want := 2 * 3 * 67 / 4; transfers < want-6 || transfers > want+6 { // 67 runs in each of 3 rows and 2 records
			t.Errorf("rank %d: %d transfers, want about %d", rank, transfers, want)
		}
	}
	for form := range times {
		for i := range uint64(2 * 3 * 400) {
			if times[form][i] != 1 {
				t.Fatalf("form %d: element %d is in %d transfers", form, i, times[form][i])
			}
		}
	}
}

func TestCallsOfRunsOneByOne(t *testing.T) {
	text := `workload: runs
files: {f: {name: f, per: run}}
objects: {u: {dataset: u, in: f, type: f32, extent: [100, 48000]}}
write:
  dumps: 1
  dump:
    - create: [f, u]
    - {write: u, select: {rule: map, dim: -1, length: 6, form: runs}, mode: independent}
    - close: [u, f]
`
	w, err := script.Read("w.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := script.Resolve(w, "", nil, script.Job{})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 8000 * 100
	a, err := r.Amount(script.Job{Ranks: 9, Nodes: 1}) // 8000 are 8 times 889 and 888
	if got := a.Ops[workload.Write]; err != nil || got.AllCalls != runs || got.Calls != 889*100 || got.Runs != 889*100 {
		t.Errorf("%v, %+v", err, got)
	}
	if _, err := r.Amount(script.Job{Ranks: 3, Nodes: 1}); err == nil ||
		!strings.Contains(err.Error(), "more than 200000 runs one by one") {
		t.Errorf("error %v", err)
	}
}

func TestSelectionsAreBuiltBeforeTheirTransfers(t *testing.T) {
	for name, text := range shapes {
		for rank, p := range compiled(t, text, script.Job{Ranks: 3, Nodes: 2}) {
			for _, part := range p.Parts {
				built := map[int]bool{}
				for s := range part.Steps() {
					switch s.Class {
					case workload.Select:
						built[s.Move] = true
					case workload.Transfer:
						for m := s.Move; m < s.Move+max(1, s.Together); m++ {
							if !built[m] {
								t.Errorf("%s, rank %d: move %d has no selection yet", name, rank, m)
							}
							delete(built, m)
						}
					}
				}
				if len(built) > 0 {
					t.Errorf("%s, rank %d: selections without transfers: %v", name, rank, built)
				}
			}
		}
	}
}

func TestStepsOfAProgram(t *testing.T) {
	for _, c := range []struct {
		shape string
		rank  int
		want  string
	}{
		{"root creates, all open", 0, `write, dump 0, epoch 0
  compute 5ms
write, dump 0, epoch 1
  file open plt00000, group 2, existing false
  create /level_0
  create /level_1
  create /level_2
  attribute  14 × attribute_%d
  attribute /level_0 11 × attribute_%d
  attribute /level_1 11 × attribute_%d
  attribute /level_2 11 × attribute_%d
  object close /level_0
  object close /level_1
  object close /level_2
  file close plt00000, group 2, existing false
write, dump 0, epoch 2
  file open plt00000, group 0, existing true
  open /level_0
  create /level_0/boxes
  create /level_0/data:datatype=0
  transfer /level_0/boxes 192 bytes, 1 moves
`},
		{"root creates, all open", 2, `write, dump 0, epoch 0
  compute 5ms
write, dump 0, epoch 1
write, dump 0, epoch 2
  file open plt00000, group 0, existing true
  open /level_0
  create /level_0/boxes
  create /level_0/data:datatype=0
  transfer /level_0/boxes 0 bytes, 1 moves
`},
		{"a growing file", 1, `write, begin, epoch 0
  file open h0, group 0, existing false
  create /time
  create /v000 /v001 /v002 /v003 /v004
write, dump 0, epoch 0
  extend /v000 /v001 /v002 /v003 /v004[1 100]
  transfer /v000 /v001 /v002 /v003 /v004 132 bytes, 1 moves
write, dump 1, epoch 0
  extend /v000 /v001 /v002 /v003 /v004[2 100]
`},
		{"files of bands", 2, `write, dump 0, epoch 0
  fence 3 1 -1
  file open silo_002, group 3, existing false
  create /rank0002
  create /rank0002/domain_0 /rank0002/domain_1
  create /rank0002/domain_0/v0
`},
		{"a file for each rank", 2, `write, begin, epoch 0
  file open p000002, group 1, existing false
write, dump 0, epoch 0
  create /x0
  transfer /x0 800 bytes, 1 moves
  transfer /x0 100 bytes, 1 moves
  object close /x0
`},
	} {
		programs := compiled(t, shapes[c.shape], script.Job{Ranks: 3, Nodes: 2})
		got := strings.Join(outline(&programs[c.rank]), "\n")
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, rank %d: %s", c.shape, c.rank, cmp.Diff(c.want, got))
		}
	}
}

func TestProgramsHaveTheSameEpochsAndSeparateBytes(t *testing.T) {
	for name, text := range shapes {
		job := script.Job{Ranks: 5, Nodes: 2}
		programs := compiled(t, text, job)
		owner := map[string]int{}
		for rank, p := range programs {
			for op := range p.Parts {
				if len(p.Parts[op].Dumps) != len(programs[0].Parts[op].Dumps) {
					t.Errorf("%s: rank %d has %d dumps, not %d", name, rank, len(p.Parts[op].Dumps),
						len(programs[0].Parts[op].Dumps))
				}
				for i, d := range p.Parts[op].Dumps {
					if len(d.Epochs) != len(programs[0].Parts[op].Dumps[i].Epochs) {
						t.Errorf("%s: dump %d of rank %d has %d epochs", name, i, rank, len(d.Epochs))
					}
				}
			}
			for s := range p.Parts[workload.Write].Steps() {
				if s.Class != workload.Transfer {
					continue
				}
				for i := range uint64(max(1, s.Together)) {
					m := p.Moves[s.Move+int(i)]
					o := p.Objects[m.Object]
					for member := s.First; member < s.First+s.Count; member++ {
						for at, length := range m.Plain.Runs() {
							at += o.Base + member*o.Stride
							if at+length > p.Files[s.File].Bytes {
								t.Fatalf("%s: %d bytes at %d in a file of %d", name, length, at, p.Files[s.File].Bytes)
							}
							for b := at; b < at+length; b++ {
								key := fmt.Sprint(p.Files[s.File].Name, " ", b)
								if other, taken := owner[key]; taken {
									t.Fatalf("%s: ranks %d and %d write byte %s", name, other, rank, key)
								}
								owner[key] = rank
							}
						}
					}
				}
			}
		}
	}
}

func TestObjectsOfAProgram(t *testing.T) {
	p := compiled(t, shapes["a growing file"], script.Job{Ranks: 2, Nodes: 1})[0]
	want := []workload.Object{
		{
			Kind: workload.DatasetObject, Parent: workload.NoParent, Each: 1, Count: 1, Name: "time",
			Type: workload.Type{Class: workload.Float, Size: 8}, Dims: []uint64{0}, Most: []uint64{workload.Unlimited},
			Chunk: []uint64{16},
		},
		{
			Kind: workload.DatasetObject, Parent: workload.NoParent, Each: 5, Count: 5, Name: "v%03d",
			Type: workload.Type{Class: workload.Float, Size: 4}, Dims: []uint64{3, 100}, Initial: []uint64{0, 100},
			Most: []uint64{workload.Unlimited, 100}, Chunk: []uint64{1, 100}, Stride: 1200,
		},
	}
	if d := cmp.Diff(want, p.Objects); d != "" {
		t.Error(d)
	}
	w, err := script.ReadProfile("particles")
	if err != nil {
		t.Fatal(err)
	}
	job := script.Job{Ranks: 4, Nodes: 1}
	r, err := script.Resolve(w, "tiny", nil, job)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = r.Compile(1, job); err != nil {
		t.Fatal(err)
	}
	if len(p.Objects) != 9 || p.Objects[0].Name != "Timestep_%d" || p.Objects[0].Count != 2 ||
		p.Objects[1].Parent != 0 {
		t.Errorf("%+v", p.Objects)
	}
	if len(p.Moves) != 8 || p.Moves[0].Buffer.SlotBytes != 64<<10 || p.Files[0].Bytes != 2*4*512<<10 {
		t.Errorf("%d moves, %+v, %+v", len(p.Moves), p.Moves[0].Buffer, p.Files)
	}
}

func TestTheCostDoesNotDependOnTheNumberOfRanksAndObjects(t *testing.T) {
	for name, text := range shapes {
		text = strings.NewReplacer("bands: 3", "bands: 2").Replace(text)
		w, err := script.Read("w.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := script.Resolve(w, "", nil, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		allocations := func(job script.Job) float64 {
			return testing.AllocsPerRun(1, func() {
				if _, err := r.Amount(job); err != nil {
					t.Fatal(err)
				}
				if _, err := r.Compile(job.Ranks-1, job); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := allocations(script.Job{Ranks: 4, Nodes: 2}), allocations(script.Job{
			Ranks: 1_000_000,
			Nodes: 10_000,
		})
		if many > 1.5*few {
			t.Errorf("%s: %.0f allocations with 4 ranks, %.0f with 10^6", name, few, many)
		}
	}
	const objects = 5_000_000
	text := strings.NewReplacer("for: {k: 3}, type", fmt.Sprintf("for: {k: %d}, type", objects), "x{k:2}",
		"x{k}").Replace(base)
	p := compiled(t, text, script.Job{Ranks: 1, Nodes: 1})[0]
	created := uint64(0)
	for s := range p.Parts[workload.Write].Steps() {
		if s.Class == workload.Create && p.Objects[s.Object].Name == "x%d" {
			created += s.Count
		}
	}
	if created != 2*objects || len(p.Objects) != 3 {
		t.Errorf("%d datasets in %d families", created, len(p.Objects))
	}
}

func TestProgramsThatCannotBe(t *testing.T) {
	small := script.Job{Ranks: 2, Nodes: 1}
	r, err := resolve(t, nil, small)
	if err != nil {
		t.Fatal(err)
	}
	for _, rank := range []int64{-1, 2} {
		if _, err := r.Compile(rank, small); err == nil || !strings.Contains(err.Error(), "ranks count from 0") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	w, err := script.Read("w.yaml", []byte(shapes["files of bands"]))
	if err != nil {
		t.Fatal(err)
	}
	if r, err = script.Resolve(w, "", nil, small); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Compile(0, small); err == nil || !strings.Contains(err.Error(), "3 bands of 2 ranks") {
		t.Errorf("more bands than ranks: %v", err)
	}
}

// FuzzWorkloads does all that is done with a workload file: without a panic, and in bounded time.
func FuzzWorkloads(f *testing.F) {
	for _, text := range shapes {
		f.Add([]byte(text))
	}
	for _, c := range wrongMeanings {
		f.Add([]byte(strings.Replace(base, c.old, c.text, 1)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := script.Read("w.yaml", text)
		if err != nil {
			return
		}
		job := script.Job{Ranks: 3, Nodes: 2}
		r, err := script.Resolve(w, "", nil, job)
		if err != nil {
			return
		}
		asJSON, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		read, err := script.Read("w.json", asJSON)
		if err != nil {
			t.Fatalf("%v\n%s", err, asJSON)
		}
		again, err := script.Resolve(read, "", nil, job)
		if err != nil {
			t.Fatalf("%v\n%s", err, asJSON)
		}
		if second, err := again.JSON(); err != nil || string(second) != string(asJSON) {
			t.Fatalf("%s\nthen %s\n%v", asJSON, second, err)
		}
		if a, err := r.Amount(job); err != nil || a.Memory > 1<<20 || a.Ops[0].Steps+a.Ops[1].Steps > 10_000 ||
			a.Ops[0].Datasets > 10_000 {
			return
		}
		_, _ = r.Compile(2, job)
	})
}

// Process 0 has datasets of its own, which other processes do not open before they create more.
func TestDatasetsHaveTheSamePlacesOnAllRanks(t *testing.T) {
	const text = `workload: places
files:
  f: {name: f, per: run}
objects:
  own: {dataset: own, in: f, type: f64, extent: [10], max-extent: [20], chunk: [5]}
  all: {dataset: all, in: f, type: f64, extent: [60]}
write:
  dumps: 1
  dump:
    - on: root
      do:
        - create: [f, own]
        - {extend: own, to: [20]}
        - {write: own, select: {rule: all}, mode: independent}
        - close: [own, f]
    - open: f
    - create: all
    - {write: all, select: {rule: slab}, mode: collective}
    - close: [all, f]
read:
  dumps: 1
  dump:
    - open: [f, own, all]
    - {read: own, select: {rule: all}, mode: independent}
    - close: [own, all, f]
`
	for rank, p := range compiled(t, text, script.Job{Ranks: 3, Nodes: 1}) {
		places := map[string]uint64{}
		for i := range p.Objects {
			places[p.PathOf(i, 0)] = p.Objects[i].Base
		}
		want := map[string]uint64{"f:/own": 0, "f:/all": 160}
		if d := cmp.Diff(want, places); d != "" {
			t.Errorf("rank %d: %s", rank, d)
		}
		for s := range p.Parts[workload.Read].Steps() {
			if s.Class == workload.Transfer && p.Moves[s.Move].TransferBytes() != 160 {
				t.Errorf("rank %d reads %d bytes of 160", rank, p.Moves[s.Move].TransferBytes())
			}
		}
	}
}
