package script_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// amountsOf returns the amounts of all ranks of a job.
func amountsOf(s *script.Script, job script.JobSize) (workload.Amounts, error) {
	return workload.AmountsOf(uint64(job.Ranks), func(rank uint64) (workload.Program, error) {
		return s.Program(int64(rank), job)
	})
}

// amounts returns the amounts of the shape base with edits, for 8 ranks on 2 nodes.
func amounts(t *testing.T, edits ...string) workload.Amounts {
	t.Helper()
	all, err := amountsOf(shape(t, "base", edits...), script.JobSize{Ranks: 8, Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheAmountOfASmallWorkload(t *testing.T) {
	const dumps, x, pairs = 2, 64 * 8 * 2 * 8, 32 * 5
	want := workload.Amounts{
		Ops: [2]workload.Amount{{
			Dumps: dumps, Bytes: dumps * (3*x + pairs), MaxRankBytes: dumps * (3*x/8 + pairs), Calls: dumps * 4,
			AllCalls: dumps * 4 * 8, Runs: dumps * (3*8 + 1), Files: 1, Groups: dumps, Datasets: dumps * 4,
			NewDatasets: dumps * 4,
			Objects: [workload.NumClasses]uint64{
				workload.Create: dumps * (1 + 4), workload.ObjectClose: dumps * (1 + 4),
			},
		}},
		DiskBytes: dumps * (3*x + pairs), Files: 1,
		Filtered: workload.FilteredBytes{Bytes: dumps * 3 * x, AfterFilters: dumps * 3 * x, NoRatio: dumps * 3 * x},
	}
	got := amounts(t)
	want.Ops[0].Steps, want.Memory = got.Ops[0].Steps, got.Memory
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Bytes are those that ranks hand to an API: compact data count for each rank that writes or reads them, and
// attributes, which are no data of datasets, do not count. On disk, HDF5 has each of them once.
func TestTheAmountOfDataInObjectHeaders(t *testing.T) {
	const objects, bytes, ranks, target = 400, 4 * 8, 3, 4 * 8
	for kind, want := range map[string][3]uint64{ // written, read, on disk
		"compact":    {2 * objects * bytes * ranks, objects * bytes * ranks, 2 * objects * bytes},
		"contiguous": {2 * objects * bytes, objects * bytes * ranks, 2 * objects * bytes},
		"attribute":  {2 * target, target * ranks, 2 * (objects*bytes + target)},
	} {
		all, err := amountsOf(profile(t, "metadata", "tiny", map[string]string{"kind": kind}),
			script.JobSize{Ranks: ranks, Nodes: 1})
		if got := [3]uint64{all.Ops[0].Bytes, all.Ops[1].Bytes, all.DiskBytes}; err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", kind, got, err, want)
		}
	}
}

func TestTheAmountOfFilteredDataIsThatOfTheirRatios(t *testing.T) {
	const bytes = 2 * 3 * 64 * 8 * 2 * 8 // as above
	for edits, want := range map[[2]string]workload.FilteredBytes{
		{"shuffle = True", "shuffle = True, ratio = 4"}:         {Bytes: bytes, AfterFilters: bytes / 4},
		{"shuffle = True", "shuffle = True, data = \"smooth\""}: {Bytes: bytes},
		{",\n            compression = \"gzip\"", ""}:           {},
	} {
		if got := amounts(t, edits[0], edits[1]); got.Filtered != want {
			t.Errorf("%s: %+v, want %+v", edits[1], got.Filtered, want)
		}
	}
}

func TestTheAmountOfParticlesIsThatOfTheSources(t *testing.T) {
	const ranks, particles, dumps = 1_000_000, 8 << 20, 5
	for _, c := range []struct {
		words    map[string]string
		datasets uint64
	}{
		{nil, 8},
		{map[string]string{"memory": "structures"}, 8},
		{map[string]string{"file": "structures"}, 1},
		{map[string]string{"file": "structures", "memory": "structures"}, 1},
	} {
		s := profile(t, "particles", "site", c.words)
		got, err := amountsOf(s, script.JobSize{Ranks: ranks, Nodes: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		for op, a := range got.Ops {
			if a.Bytes != ranks*particles*32*dumps || a.MaxRankBytes != particles*32*dumps ||
				a.Datasets != c.datasets*dumps {
				t.Errorf("%v, %s: %+v", c.words, workload.Op(op), a)
			}
		}
		if got.Ops[workload.Write].Compute != dumps*time.Second || got.DiskBytes != ranks*particles*32*dumps {
			t.Errorf("%v: %+v", c.words, got)
		}
		memory := uint64(particles * 32)
		if c.words["memory"] == "structures" && c.words["file"] == "" { // one array of structures for each dataset
			memory *= 8
		}
		if got.Memory != memory {
			t.Errorf("%v: memory %d, want %d", c.words, got.Memory, memory)
		}
	}
}

// totals sums the programs of all ranks, either for writing or for reading.
type totals struct{ Bytes, Most, Calls, AllCalls, Files, Groups, Datasets, Attributes uint64 }

// add adds the steps of the program of a rank. A step that all ranks do together counts once: seen records it.
func (sum *totals) add(p *workload.Program, op, rank int, seen map[string]bool) {
	mine, calls := uint64(0), uint64(0)
	times := map[string]int{}
	for s := range p.Parts[op].Steps() {
		f := p.Files[s.File]
		where := fmt.Sprint(op, s.Class, s.Existing, f.Name)
		if s.Object != workload.NoParent {
			where += path(p, s.Object, s.First)
		}
		if f.Group == workload.Self || f.Group == workload.TurnGroup {
			where += fmt.Sprint(" ", rank) // each rank opens the objects in it by itself
		}
		times[where]++
		where += fmt.Sprint(" ", times[where])
		once := func(n *uint64, more uint64) {
			if !seen[where] {
				*n += more
			}
			seen[where] = true
		}
		switch s.Class {
		case workload.FileOpen:
			once(&sum.Files, 1)
		case workload.Create, workload.Open:
			if p.Objects[s.Object].Kind == workload.DatasetObject {
				once(&sum.Datasets, s.Count)
			} else {
				once(&sum.Groups, s.Count)
			}
		case workload.Attribute:
			once(&sum.Attributes, s.Count*p.Attributes[s.Attributes].Count)
		case workload.Transfer:
			for m := range s.Moves() {
				mine += p.Moves[m].TransferBytes() * s.Count
			}
			if calls++; s.MultiMoves == 0 {
				calls += s.Count - 1
			}
		}
	}
	sum.Bytes += mine
	sum.AllCalls += calls
	sum.Most, sum.Calls = max(sum.Most, mine), max(sum.Calls, calls)
}

func TestAmountsAreThoseOfAllPrograms(t *testing.T) {
	all := map[string]*script.Script{}
	for name, text := range shapeTexts(t) {
		all[name] = read(t, text)
	}
	for _, name := range script.ProfileNames() {
		all["profile "+name] = profile(t, name, "tiny", nil)
	}
	for name, s := range all {
		for _, job := range []script.JobSize{{Ranks: 3, Nodes: 1}, {Ranks: 8, Nodes: 3}} {
			got, err := amountsOf(s, job)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var want [2]totals
			seen := map[string]bool{}
			for rank, p := range programs(t, s, job) {
				for op := range want {
					want[op].add(&p, op, rank, seen)
				}
			}
			for op, o := range got.Ops {
				have := totals{
					o.Bytes, o.MaxRankBytes, o.Calls, o.AllCalls, o.Files, o.Groups, o.Datasets,
					o.Objects[workload.Attribute],
				}
				if d := cmp.Diff(want[op], have); d != "" {
					t.Errorf("%s, %+v, %s: (-programs +amounts)\n%s", name, job, workload.Op(op), d)
				}
			}
		}
	}
}

// AmountsOf takes a sample of the ranks of a large job, so that a plan can be made for any number of ranks.
func TestProfilesHaveAmountsForManyRanks(t *testing.T) {
	for _, name := range script.ProfileNames() {
		a, err := amountsOf(profile(t, name, "tiny", nil), script.JobSize{Ranks: 100_000, Nodes: 1000})
		if err != nil || a.Ops[0].Bytes == 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestCallsOfRunsOneByOne(t *testing.T) {
	s := read(t, `
columns = size(4800, "columns")

def write(job):
    f = job.create("f")
    u = f.create_dataset("u", "f4", (100, columns))
    job.dump()
    u.write(map(dim = -1, length = 6), select = "runs")
    job.end()
    f.close()
`)
	const runs = 800 * 100
	a, err := amountsOf(s, script.JobSize{Ranks: 9, Nodes: 1}) // 800 = 8 * 89 + 88
	if got := a.Ops[workload.Write]; err != nil || got.AllCalls != runs || got.Calls != 89*100 || got.Runs != runs {
		t.Errorf("%v, %+v", err, got)
	}
	one := script.JobSize{Ranks: 1, Nodes: 1}
	if s, err = s.Choose("", map[string]string{"columns": "12000"}, one); err != nil {
		t.Fatal(err)
	}
	_, err = s.Program(0, one)
	if err == nil || !strings.Contains(err.Error(), "w.star:8:12: a rank does more than 400000 steps") {
		t.Errorf("error %v", err)
	}
}
