package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// shared is a file that all ranks write in turn, and a dataset in it that they share.
const shared = `workload: shared
files:
  f: {name: f, per: run}
objects:
  x: {dataset: x, in: f, type: f64, extent: [60]}
write:
  dumps: 1
  dump:
    - on: turns
      do:
        - create: [f, x]
        - {write: x, select: {rule: slab}, mode: independent}
        - close: [x, f]
read:
  dumps: 1
  dump:
    - on: turns
      do: [open: [f, x], close: [x, f]]
`

func TestTurnsGoFromRankToRankOfABand(t *testing.T) {
	for _, c := range []struct {
		text  string
		ranks int64
		want  string // ranks before and after each one
	}{
		{shapes["files of bands"], 3, "- -|- -|- -"},
		{shapes["files of bands"], 8, "- 1|0 2|1 -|- 4|3 5|4 -|- 7|6 -"},
		{shared, 3, "- 1|0 2|1 -"},
	} {
		var all []string
		for rank, p := range compiled(t, c.text, script.Job{Ranks: c.ranks, Nodes: 1}) {
			turns := map[workload.Turn]string{}
			for op := range p.Parts {
				var last workload.Turn
				for s := range p.Parts[op].Steps() {
					switch {
					case s.Class == workload.Fence:
						turns[s.Turn], last = strings.Replace(fmt.Sprint(s.Neighbour), "-1", "-", 1), s.Turn
					case last != workload.Await:
						t.Errorf("rank %d of %d: a step of class %s is not between the parts of a turn", rank, c.ranks,
							s.Class)
					case s.Class == workload.FileOpen:
						changed := s.Op == workload.Write && turns[workload.Await] != "-"
						if f := p.Files[s.File]; s.Existing != changed || f.Group != workload.Band {
							t.Errorf("rank %d of %d: %+v, existing %v, want %v", rank, c.ranks, f, s.Existing, changed)
						}
					case s.Class == workload.Create && p.Objects[s.Object].Name == "x" && rank > 0:
						t.Errorf("rank %d creates a dataset that rank 0 has created", rank)
					}
				}
			}
			all = append(all, turns[workload.Await]+" "+turns[workload.Pass])
		}
		if got := strings.Join(all, "|"); got != c.want {
			t.Errorf("%d ranks: %s, want %s", c.ranks, got, c.want)
		}
	}
}

func TestTurnsThatCannotBeAreRefused(t *testing.T) {
	bands := shapes["files of bands"]
	for want, text := range map[string]string{
		"file silo_000 is created, but ranks in turns write and read it: do it in a turn": strings.Replace(
			bands, "- on: turns\n      do:", "- repeat: 1\n      do:", 1,
		),
		"file silo_000 is open when the turn of a rank ends, but the next one opens it: close it in the " +
			"turn": strings.Replace(
			bands, "mine, silo]", "mine]", 1,
		),
		"file f is open when the turn of a rank ends": strings.Replace(
			shared, "close: [x, f]\n", "close: x\n", 1,
		),
		`each leader would create the file "f" by itself`: strings.Replace(shared, "on: turns", "on: leaders", 1),
		`each leader would open the file "f" by itself`: strings.NewReplacer(
			"on: turns", "on: leaders", "create: [f", "open: [f",
		).Replace(shared),
		"by rank 0 alone, but file f is open to all ranks since line 9: let those do the step that open the " +
			"file": strings.Replace(
			shared, "    - on: turns\n      do:\n        - create: [f, x]\n",
			"    - create: [f, x]\n    - on: root\n      do:\n", 1,
		),
		"9 bands of 8 ranks: there must be a rank in each": strings.Replace(bands, "bands: 3", "bands: 9", 1),
		`the file "other" has 1 bands of ranks, but another one of these turns has 3`: strings.NewReplacer(
			"files:\n", "files:\n  other: {name: o, per: run}\n", "[silo, ", "[silo, other, ",
			", silo]", ", silo, other]",
		).Replace(bands),
	} {
		w, err := script.Read("w.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := script.Resolve(w, "", nil, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		err = compileEnds(r, script.Job{Ranks: 8, Nodes: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A turn begins and ends with the step that asks for turns.
func TestStepsKnowTheirLines(t *testing.T) {
	for text, want := range map[string][]int{
		shared: {9, 11, 11, 12, 12, 13, 13, 9, 17, 18, 18, 18, 18, 17},
		strings.Replace(shared, "    - on: turns", "    - compute: {seconds: 1}\n    - on: turns", 1): {
			9, 10, 12, 12, 13, 13, 14, 14, 10, 18, 19, 19, 19, 19, 18,
		},
	} {
		p := compiled(t, text, script.Job{Ranks: 1, Nodes: 1})[0]
		var lines []int
		for op := range p.Parts {
			for s := range p.Parts[op].Steps() {
				lines = append(lines, s.Line)
			}
		}
		if !slices.Equal(lines, want) {
			t.Errorf("lines %v, want %v", lines, want)
		}
	}
}
