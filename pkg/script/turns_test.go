package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

func TestTurnsGoFromRankToRankOfAGroup(t *testing.T) {
	for _, c := range []struct {
		shape string
		ranks int64
		want  string // the ranks before and after each rank
	}{
		{"bands", 3, "- -|- -|- -"},
		{"bands", 8, "- 1|0 2|1 -|- 4|3 5|4 -|- 7|6 -"},
		{"shared", 3, "- 1|0 2|1 -"},
	} {
		var all []string
		for rank, p := range programs(t, shape(t, c.shape), script.JobSize{Ranks: c.ranks, Nodes: 1}) {
			turns := map[workload.TurnPart]string{}
			for op := range p.Parts {
				var last workload.TurnPart
				for s := range p.Parts[op].Steps() {
					switch {
					case s.Class == workload.Fence:
						turns[s.Turn], last = strings.Replace(fmt.Sprint(s.NeighbourRank), "-1", "-", 1), s.Turn
					case last != workload.AwaitTurn:
						t.Errorf("rank %d of %d: a step of class %s is not between the parts of a turn", rank, c.ranks,
							s.Class)
					case s.Class == workload.FileOpen:
						changed := s.Op == workload.Write && turns[workload.AwaitTurn] != "-"
						if f := p.Files[s.File]; s.Existing != changed || f.Group != workload.TurnGroup {
							t.Errorf("rank %d of %d: %+v, existing %v, want %v", rank, c.ranks, f, s.Existing, changed)
						}
					case s.Class == workload.Create && p.Objects[s.Object].Name == "x" && rank > 0:
						t.Errorf("rank %d creates a dataset that rank 0 has created", rank)
					}
				}
			}
			all = append(all, turns[workload.AwaitTurn]+" "+turns[workload.PassTurn])
		}
		if got := strings.Join(all, "|"); got != c.want {
			t.Errorf("%s, %d ranks: %s, want %s", c.shape, c.ranks, got, c.want)
		}
	}
}

// 3 ranks share 8 domains: ranks 0 and 1 have 3 domains each, and rank 2 has 2. Ranks 0 and 1 are a group.
func TestDealtObjectsBelongToOneRank(t *testing.T) {
	want := []string{
		"silo_000_000: 0 1 2, silo_000_001: 0 1 2; read 0 1 2, 0 1 2",
		"silo_000_000: 3 4 5, silo_000_001: 3 4 5; read 3 4 5, 3 4 5",
		"silo_001_000: 6 7, silo_001_001: 6 7; read 6 7, 6 7",
	}
	for rank, p := range programs(t, shape(t, "dealt", "5 * job.ranks // 2", "8"), script.JobSize{Ranks: 3, Nodes: 1}) {
		var got [2]string
		for op := range p.Parts {
			for s := range p.Parts[op].Steps() {
				switch {
				case s.Class == workload.FileOpen && op == int(workload.Write):
					got[op] += ", " + p.Files[s.File].Name + ":"
				case s.Class == workload.FileOpen:
					got[op] += ","
				case s.Class != workload.Transfer:
				case p.Objects[s.Object].Name == "v%d":
					for m := s.First; m < s.First+s.Count; m += 2 {
						var domain int
						if _, err := fmt.Sscanf(path(&p, s.Object, m), "/domain_%d/v0", &domain); err != nil {
							t.Fatal(err)
						}
						got[op] += fmt.Sprint(" ", domain)
					}
				case s.Op == workload.Write && !strings.HasSuffix(p.Files[s.File].Name, "_001"):
					t.Errorf("rank %d writes %s", rank, p.PathOf(s.Object, s.First))
				}
			}
		}
		if d := cmp.Diff(want[rank], strings.Trim(got[0], ", ")+"; read"+strings.Trim(got[1], ",")); d != "" {
			t.Errorf("rank %d: %s", rank, d)
		}
	}
}

// If different ranks write and read a file, each of its datasets is one object, at the same place.
func TestObjectsWithTheSamePathAreTheSame(t *testing.T) {
	for rank, p := range programs(t, shape(t, "samples"), script.JobSize{Ranks: 2, Nodes: 1}) {
		paths := map[string]bool{}
		for i := range p.Objects {
			if o := p.PathOf(i, 0); paths[o] || p.Objects[i].Base != 0 {
				t.Errorf("rank %d: %s stands twice, or at %d", rank, o, p.Objects[i].Base)
			} else {
				paths[o] = true
			}
		}
	}
}

// The first rank in a turn creates the attributes of objects that all ranks open. Each rank creates the attributes of
// its own objects.
func TestAttributesAreCreatedOnceInTurns(t *testing.T) {
	for rank, want := range []int{2, 1} {
		p, err := program(`
def write(job):
    def turn(_):
        f = job.create("f")
        f.attrs["a"] = 1
        g = f.create_group(numbered("g%d", job.deal(2)))
        g.attrs["b"] = 1
        f.close()
    job.turns(turn)
`, int64(rank))
		if err != nil {
			t.Fatal(err)
		}
		created := 0
		for s := range p.Parts[workload.Write].Steps() {
			if s.Class == workload.Attribute {
				created++
			}
		}
		if created != want {
			t.Errorf("rank %d creates %d attributes, want %d", rank, created, want)
		}
	}
}

// A file that rank 0 creates and all ranks then open is one plain file. Its transfers are those of the ranks that write
// it, however the file is read.
func TestAFileOfSeveralGroupsOfRanksIsOneFile(t *testing.T) {
	p, err := program(`
def write(job):
    def make():
        f = job.create("f")
        f.create_dataset("a", "f8", 4).write(everything(), collective = True)
        f.close()
    job.root(make)
    f = job.open("f")
    f.create_dataset("b", "f8", 4).write(block(), collective = True)
    f.close()
def read(job):
    f = job.open("f", alone = True)
    f["b"].read(everything(), collective = True)
    f.close()
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.Objects[0], p.Objects[1]
	if a.Base == b.Base || p.Files[a.File].Bytes != 64 || p.Files[b.File].Group != workload.All {
		t.Errorf("datasets at bytes %d and %d of %d, the second one by %s", a.Base, b.Base, p.Files[a.File].Bytes,
			p.Files[b.File].Group)
	}
	for i, want := range []bool{false, true, false} {
		if p.Moves[i].Collective != want {
			t.Errorf("transfer %d: collective is %v", i, p.Moves[i].Collective)
		}
	}
}
