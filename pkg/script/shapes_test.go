package script_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// shapeTexts returns the scripts of testdata/shapes.txtar by name. Each shape is a pattern of I/O of applications.
func shapeTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	scripts, err := txtar.ParseFile("testdata/shapes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range scripts.Files {
		texts[strings.TrimSuffix(f.Name, ".star")] = "\n" + string(f.Data)
	}
	return texts
}

// shape returns the workload of a shape with edits: pairs of an old text and a new text that replaces it.
func shape(t *testing.T, name string, edits ...string) *script.Script {
	t.Helper()
	return read(t, edited(t, name, edits...))
}

// edited returns the text of a shape with edits.
func edited(t *testing.T, name string, edits ...string) string {
	t.Helper()
	text := shapeTexts(t)[name]
	for edit := range slices.Chunk(edits, 2) {
		if !strings.Contains(text, edit[0]) {
			t.Fatalf("%s has no %q", name, edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	return text
}

// programs returns the programs of all ranks of a job.
func programs(t *testing.T, s *script.Script, job script.JobSize) (all []workload.Program) {
	t.Helper()
	for rank := range job.Ranks {
		p, err := s.Program(rank, job)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// path returns the path of an object in its file.
func path(p *workload.Program, object int, member uint64) string {
	_, path, _ := strings.Cut(p.PathOf(object, member), ":")
	return path
}

// outline returns the steps of a program as lines to compare, without moves and steps of class Select.
func outline(p *workload.Program) (lines []string) {
	epochs := func(what string, all []workload.Epoch) {
		for i, e := range all {
			lines = append(lines, fmt.Sprintf("%s, epoch %d", what, i))
			for _, s := range e.Steps {
				if s.Class != workload.Select {
					lines = append(lines, "  "+s.Class.String()+stepOf(p, &s))
				}
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

// stepOf returns the part of an outline line that describes a step.
func stepOf(p *workload.Program, s *workload.Step) (line string) {
	switch s.Class {
	case workload.FileOpen, workload.FileClose, workload.Sync:
		f := p.Files[s.File]
		return fmt.Sprintf(" %s, group %d, existing %v", f.Name, f.Group, s.Existing)
	case workload.Compute:
		return " " + s.Duration.String()
	case workload.Fence:
		return fmt.Sprintf(" %d %d", s.Turn, s.NeighbourRank)
	}
	for m := s.First; m < s.First+s.Count; m++ {
		line += " "
		if s.Object != workload.NoParent {
			line += path(p, s.Object, m)
		}
	}
	switch s.Class {
	case workload.Attribute:
		line += fmt.Sprintf(" %d × %s", p.Attributes[s.Attributes].Count, p.Attributes[s.Attributes].Name)
	case workload.Extend:
		line += fmt.Sprint(s.Extent)
	case workload.Transfer:
		line += fmt.Sprintf(" %d bytes, %d moves", p.Moves[s.Move].TransferBytes(), max(1, s.MultiMoves))
	}
	return line
}

func TestStepsOfAProgram(t *testing.T) {
	for _, c := range []struct {
		shape string
		rank  int
		want  string
	}{
		{"root_creates", 0, `write, dump 0, epoch 0
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
		{"root_creates", 2, `write, dump 0, epoch 0
  compute 5ms
write, dump 0, epoch 1
write, dump 0, epoch 2
  file open plt00000, group 0, existing true
  open /level_0
  create /level_0/boxes
  create /level_0/data:datatype=0
  transfer /level_0/boxes 0 bytes, 1 moves
`},
		{"growing", 1, `write, begin, epoch 0
  file open h0, group 0, existing false
  create /time
  create /v000 /v001 /v002 /v003 /v004
write, dump 0, epoch 0
  extend /v000 /v001 /v002 /v003 /v004[1 100]
  transfer /v000 /v001 /v002 /v003 /v004 132 bytes, 1 moves
write, dump 1, epoch 0
  extend /v000 /v001 /v002 /v003 /v004[2 100]
`},
		{"bands", 2, `write, dump 0, epoch 0
  fence 1 -1
  file open silo_002, group 3, existing false
  create /rank0002
  create /rank0002/domain_0 /rank0002/domain_1
  create /rank0002/domain_0/v0
`},
		{"own", 2, `write, begin, epoch 0
  file open p000002, group 1, existing false
write, dump 0, epoch 0
  create /x0
  transfer /x0 800 bytes, 1 moves
  transfer /x0 100 bytes, 1 moves
  object close /x0
`},
	} {
		all := programs(t, shape(t, c.shape), script.JobSize{Ranks: 3, Nodes: 2})
		got := strings.Join(outline(&all[c.rank]), "\n")
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, rank %d: %s", c.shape, c.rank, cmp.Diff(c.want, got))
		}
	}
}

func TestObjectsOfAProgram(t *testing.T) {
	p := programs(t, shape(t, "growing"), script.JobSize{Ranks: 2, Nodes: 1})[0]
	want := []workload.Object{
		{
			Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: "time",
			Type: workload.Type{Class: workload.Float, Size: 8}, Dims: []uint64{0},
			MaxExtent: []uint64{workload.Unlimited},
			Chunk:     []uint64{16},
		},
		{
			Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 5, Count: 5, Name: "v%03d",
			Type: workload.Type{Class: workload.Float, Size: 4}, Dims: []uint64{3, 100}, InitialDims: []uint64{0, 100},
			MaxExtent: []uint64{workload.Unlimited, 100}, Chunk: []uint64{1, 100}, Stride: 1200,
		},
	}
	if d := cmp.Diff(want, p.Objects); d != "" {
		t.Error(d)
	}
}

// Rank 0 has datasets of its own. Other ranks do not open these before they create more datasets.
func TestDatasetsHaveTheSamePlacesOnAllRanks(t *testing.T) {
	for rank, p := range programs(t, shape(t, "places"), script.JobSize{Ranks: 3, Nodes: 1}) {
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

// numSelected describes the selections of the transfers of a dataset, in order: the kind, the first run of elements in
// a plain file, and the number of runs.
func selected(p *workload.Program, op workload.Op, dataset string) (all []string) {
	for _, m := range movesOf(p, op, dataset) {
		text := m.Selection.Kind().String()
		for at, bytes := range m.PlainSelection.Runs() {
			text += fmt.Sprintf(" %d+%d in %d", at/m.PlainSelection.ElementBytes(),
				bytes/m.PlainSelection.ElementBytes(),
				m.PlainSelection.RunCount())
			break
		}
		all = append(all, text)
	}
	return all
}

// movesOf returns the moves of the transfers of a dataset, in order.
func movesOf(p *workload.Program, op workload.Op, dataset string) (all []*workload.Move) {
	for s := range p.Parts[op].Steps() {
		if s.Class == workload.Transfer && path(p, s.Object, s.First) == dataset {
			all = append(all, &p.Moves[s.Move])
		}
	}
	return all
}

func TestPartsOfSomeRanks(t *testing.T) {
	for rank, p := range programs(t, shape(t, "forms"), script.JobSize{Ranks: 4, Nodes: 1}) {
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

// Transfers run by run and transfers of points select the same elements. All ranks together write the whole record of
// each dump.
func TestPartsInOtherForms(t *testing.T) {
	times := [2]map[uint64]int{{}, {}}
	for rank, p := range programs(t, shape(t, "forms"), script.JobSize{Ranks: 4, Nodes: 1}) {
		transfers := 0
		for _, m := range append(movesOf(&p, workload.Write, "/u0"), movesOf(&p, workload.Write, "/v")...) {
			form := 0
			switch m.Selection.Kind() {
			case pattern.Singular:
				if transfers++; m.PlainSelection.RunCount() != 1 || m.Collective {
					t.Errorf("rank %d: %d runs in one transfer, collective %v", rank, m.PlainSelection.RunCount(),
						m.Collective)
				}
			case pattern.Points:
				if form = 1; !m.Collective {
					t.Errorf("rank %d: points, not collective", rank)
				}
			default:
				t.Errorf("rank %d: a part of kind %v", rank, m.Selection.Kind())
			}
			for at, bytes := range m.PlainSelection.Runs() {
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

func TestSelectionsAreBuiltBeforeTheirTransfers(t *testing.T) {
	for name, text := range shapeTexts(t) {
		for rank, p := range programs(t, read(t, text), script.JobSize{Ranks: 3, Nodes: 2}) {
			for _, part := range p.Parts {
				built := map[int]bool{}
				for s := range part.Steps() {
					switch s.Class {
					case workload.Select:
						built[s.Move] = true
					case workload.Transfer:
						for m := range s.Moves() {
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

func TestProgramsHaveTheSameEpochs(t *testing.T) {
	epochs := func(p *workload.Program) (all [2][]int) {
		for op := range p.Parts {
			for _, d := range p.Parts[op].Dumps {
				all[op] = append(all[op], len(d.Epochs))
			}
		}
		return all
	}
	for name, text := range shapeTexts(t) {
		all := programs(t, read(t, text), script.JobSize{Ranks: 5, Nodes: 2})
		for rank := range all {
			if d := cmp.Diff(epochs(&all[0]), epochs(&all[rank])); d != "" {
				t.Errorf("%s, rank %d: other epochs than those of rank 0\n%s", name, rank, d)
			}
		}
	}
}

func TestNoTwoRanksWriteAByte(t *testing.T) {
	for name, text := range shapeTexts(t) {
		owner := map[string]int{}
		for rank, p := range programs(t, read(t, text), script.JobSize{Ranks: 5, Nodes: 2}) {
			for byteOfFile := range writtenBytes(t, &p) {
				if other, taken := owner[byteOfFile]; taken {
					t.Fatalf("%s: ranks %d and %d write byte %s", name, other, rank, byteOfFile)
				}
				owner[byteOfFile] = rank
			}
		}
		if len(owner) == 0 {
			t.Errorf("%s writes nothing", name)
		}
	}
}

// unfencedByFamily returns the bytes that a program writes to plain files, as the name of the file and the offset. It
// fails if a byte is beyond the end of its file, or is written twice.
func writtenBytes(t *testing.T, p *workload.Program) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for s := range p.Parts[workload.Write].Steps() {
		if s.Class != workload.Transfer {
			continue
		}
		file := &p.Files[s.File]
		for i := range s.Moves() {
			m := &p.Moves[i]
			o := &p.Objects[m.Object]
			for member := s.First; member < s.First+s.Count; member++ {
				for at, length := range m.PlainSelection.Runs() {
					at += o.Base + member*o.Stride
					if at+length > file.Bytes {
						t.Fatalf("%d bytes at %d in the file %s of %d", length, at, file.Name, file.Bytes)
					}
					for b := at; b < at+length; b++ {
						key := fmt.Sprint(file.Name, " ", b)
						if all[key] {
							t.Fatalf("byte %s is written twice", key)
						}
						all[key] = true
					}
				}
			}
		}
	}
	return all
}

func TestTheCostDoesNotDependOnTheNumberOfRanks(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(shapeTexts(t))) {
		var edits []string
		if name == "bands" {
			edits = []string{"groups = 3", "groups = 2"}
		}
		text := edited(t, name, edits...)
		allocations := func(job script.JobSize) float64 {
			return testing.AllocsPerRun(1, func() {
				if _, err := read(t, text).Program(job.Ranks-1, job); err != nil {
					t.Fatal(err)
				}
			})
		}
		few := allocations(script.JobSize{Ranks: 4, Nodes: 2})
		if many := allocations(script.JobSize{Ranks: 1_000_000, Nodes: 10_000}); many > 1.5*few {
			t.Errorf("%s: %.0f allocations with 4 ranks, %.0f with 10^6", name, few, many)
		}
	}
}

func TestProgramsThatCannotBe(t *testing.T) {
	small := script.JobSize{Ranks: 2, Nodes: 1}
	for _, rank := range []int64{-1, 2} {
		if _, err := shape(t, "base").Program(rank, small); err == nil ||
			!strings.Contains(err.Error(), "there is no such rank") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	for _, job := range []script.JobSize{{Ranks: 1}, {Ranks: 1, Nodes: 2}, {Ranks: -1, Nodes: -1}} {
		if _, err := shape(t, "base").Choose("", nil, job); err == nil ||
			!strings.Contains(err.Error(), "there must be a node") {
			t.Errorf("%+v: %v", job, err)
		}
	}
}
