package script_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// workloads are workloads with what can be put together, by name: profiles with a set of sizes, and texts.
func workloads(t *testing.T) map[string]script.Resolved {
	t.Helper()
	all := map[string]script.Resolved{}
	for _, name := range []string{"arrays", "particles"} {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		set := map[string]string{}
		if name == "particles" {
			set["particles"] = "9"
		}
		all[name] = resolved(t, w, "tiny", set)
	}
	paths, err := filepath.Glob("testdata/layouts/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		w, err := script.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".yaml")] = resolved(t, w, "", nil)
	}
	return all
}

func resolved(t *testing.T, w script.Workload, size string, set map[string]string) script.Resolved {
	t.Helper()
	r, err := script.Resolve(w, size, set, script.Job{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// transfer is a transfer of a rank: its bytes, at their places in the array, and its memory.
type transfer struct {
	Op     workload.Op
	Runs   []uint64
	Memory uint64
}

// done is what a workload does.
type done struct {
	transfers [][]transfer     // by rank
	written   map[place][]byte // how often, of each byte of each dataset
	bytes     [2]uint64
	datasets  uint64
	// attributes of datasets are written
	attributes bool
}

// place is a dataset.
type place struct {
	object int
	member uint64
}

// do does a workload. size is the number of elements of an array in a dataset of an extent.
func do(t *testing.T, r script.Resolved, ranks int64, size func(dims []uint64) uint64) done {
	t.Helper()
	d := done{transfers: make([][]transfer, ranks), written: map[place][]byte{}}
	for rank := range ranks {
		p, err := r.Compile(rank, script.Job{Ranks: ranks, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		for op := range p.Parts {
			open := map[place]bool{}
			for s := range p.Parts[op].Steps() {
				if s.Class == workload.Create && p.Objects[s.Object].Kind == workload.DatasetObject && rank == 0 {
					d.datasets += s.Count
				}
				for member := s.First; member < s.First+s.Count; member++ {
					at := place{s.Object, member}
					switch s.Class {
					case workload.Create, workload.Open:
						open[at] = true
					case workload.ObjectClose:
						delete(open, at)
					case workload.Transfer, workload.Attribute:
						if s.Object != workload.NoParent && !open[at] {
							t.Fatalf("%s of %s, which is closed", s.Class, p.Objects[s.Object].Name)
						}
					}
				}
				d.attributes = d.attributes || s.Class == workload.Attribute && op == int(workload.Write)
				if s.Class != workload.Transfer {
					continue
				}
				m := p.Moves[s.Move]
				o := p.Objects[m.Object]
				for member := s.First; member < s.First+s.Count; member++ {
					bytes := d.written[place{s.Object, member}]
					if bytes == nil {
						bytes = make([]byte, o.Bytes())
						d.written[place{s.Object, member}] = bytes
					}
					one := transfer{Op: workload.Op(op), Memory: m.Buffer.SlotBytes}
					array := size(o.Dims) * o.Type.Bytes()
					for at, length := range m.Selection.Runs() {
						one.Runs = append(one.Runs, at%array, length)
						d.bytes[op] += length
						for b := at; b < at+length && op == int(workload.Write); b++ {
							bytes[b]++
						}
					}
					d.transfers[rank] = append(d.transfers[rank], one)
				}
			}
		}
	}
	return d
}

// product returns the number of elements of an extent.
func product(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

func TestLayoutsHaveTheSameTransfers(t *testing.T) {
	for name, r := range workloads(t) {
		for _, ranks := range []int64{1, 2, 3, 4, 7} {
			made, left, err := script.MakeLayouts(r, script.Job{Ranks: ranks, Nodes: 1}, script.LayoutOptions{
				Modes: []script.LayoutMode{script.Collective}, // modes have no part in this
			})
			want := 9
			if name == "families" { // the extent of u depends on its group, and chunks would too
				want = 5
			}
			if err != nil || len(made) != want || len(left) != 9-want {
				t.Fatalf("%s: %d layouts, left out %v; %v", name, len(made), left, err)
			}
			given := do(t, r, ranks, product)
			for _, v := range made {
				more := map[script.LayoutForm]int{script.Dumps: 1, script.Arrays: 1, script.Both: 2}[v.Layout.Form]
				// A part of the datasets has more dimensions; all arrays of the workloads have two or one.
				dims := 2
				if name == "particles" {
					dims = 1
				}
				got := do(t, v.Workload, ranks, func(all []uint64) uint64 {
					return product(all[max(0,
						len(all)-dims):])
				})
				if d := cmp.Diff(given.transfers, got.transfers); d != "" {
					t.Fatalf("%s, %d ranks, %s: other transfers\n%s", name, ranks, v.Layout, d)
				}
				for dataset, bytes := range got.written {
					if slices.Min(bytes) != 1 || slices.Max(bytes) != 1 {
						t.Fatalf("%s, %d ranks, %s: a byte of %v is written %d times", name, ranks, v.Layout, dataset,
							slices.Max(bytes))
					}
				}
				if got.bytes != given.bytes || got.attributes != given.attributes {
					t.Fatalf("%s, %d ranks, %s: %v bytes, but as it is %v", name, ranks, v.Layout, got.bytes,
						given.bytes)
				}
				if fewer := got.datasets < given.datasets; fewer != (more > 0) {
					t.Errorf("%s, %d ranks, %s: %d datasets, as it is %d", name, ranks, v.Layout, got.datasets,
						given.datasets)
				}
			}
		}
	}
}

func TestTheLayoutsOfArraysAreThoseOfHDF5IOTest(t *testing.T) {
	job := script.Job{Ranks: 4, Nodes: 1}
	r := workloads(t)["arrays"]
	made, left, err := script.MakeLayouts(r, job, script.LayoutOptions{})
	if err != nil || len(left) != 0 {
		t.Fatalf("left out: %v; %v", left, err)
	}
	if len(made) != 17 || made[0].Layout.String() != "as it is" ||
		made[1].Layout.String() != "given, contiguous, independent" {
		t.Fatalf("%d layouts: %v", len(made), made)
	}
	for l, want := range map[script.Layout]string{
		{}: "/step=%d/array=%d [10 80] chunk [] fill  x6, independent false",
		{
			Form: script.Given, Storage: script.Chunked,
			Mode: script.Independent,
		}: "/step=%d/array=%d [10 80] chunk [10 20] fill never x6, independent true",
		{
			Form: script.Dumps, Storage: script.Contiguous,
			Mode: script.Collective,
		}: "/array_%d [2 10 80] chunk [] fill never x3, independent false",
		{
			Form: script.Arrays, Storage: script.Chunked,
			Mode: script.Collective,
		}: "/step=%d/array [3 10 80] chunk [1 10 20] fill never x2, independent false",
		{
			Form: script.Both, Storage: script.Chunked,
			Mode: script.Independent,
		}: "/array [2 3 10 80] chunk [1 1 10 20] fill never x1, independent true",
	} {
		at := slices.IndexFunc(made, func(v script.LayoutVariant) bool { return v.Layout == l })
		if at < 0 {
			t.Errorf("no layout %s", l)
			continue
		}
		p, err := made[at].Workload.Compile(3, job)
		if err != nil {
			t.Fatal(err)
		}
		o := p.Objects[len(p.Objects)-1]
		path := "/" + o.Name
		for i := o.Parent; i != workload.NoParent; i = p.Objects[i].Parent {
			path = "/" + p.Objects[i].Name + path
		}
		got := fmt.Sprintf("%s %v chunk %v fill %s x%d, independent %v", path, o.Dims, o.Chunk, o.Fill.Time, o.Count,
			!p.Moves[0].Collective)
		if got != want {
			t.Errorf("%s: %s, want %s", l, got, want)
		}
	}
}

func TestSomeLayoutsAndChunksAreChosen(t *testing.T) {
	job := script.Job{Ranks: 2, Nodes: 1}
	made, left, err := script.MakeLayouts(workloads(t)["arrays"], job, script.LayoutOptions{
		Forms: []script.LayoutForm{script.Both}, Storages: []script.LayoutStorage{script.Chunked},
		Modes: []script.LayoutMode{script.Collective}, Chunk: []uint64{64, 7},
	})
	if err != nil || len(left) != 0 || len(made) != 2 {
		t.Fatalf("%d layouts, left out: %v; %v", len(made), left, err)
	}
	p, err := made[1].Workload.Compile(0, job)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Objects[0].Chunk; !slices.Equal(got, []uint64{1, 1, 10, 7}) {
		t.Errorf("chunks of extent %v", got)
	}
}

func TestTheSameWorkloadIsMadeOnce(t *testing.T) {
	w := written(t, "run", "type: f64, extent: [8, 8], fill: never", "create: f",
		"create: u, {write: u, select: {rule: block}, mode: independent}, close: u")
	made, _, err := script.MakeLayouts(w, script.Job{Ranks: 1, Nodes: 1}, script.LayoutOptions{
		Forms: []script.LayoutForm{script.Given},
	})
	if err != nil {
		t.Fatal(err)
	}
	same := script.Layout{Form: script.Given, Storage: script.Contiguous, Mode: script.Independent}
	if len(made) != 4 || made[0].Same != same || made[1].Layout.Mode != script.Collective {
		t.Errorf("%d layouts, as it is is %s, then %s", len(made), made[0].Same, made[1].Layout)
	}
}

// one is a workload of one dataset, whose description and steps differ.
const one = `workload: one
files: {f: {name: "FILE", per: PER}}
objects:
  u: {dataset: "u{dump}", in: f, OBJECT}
  v: {dataset: "v{dump}", in: f, type: f64, extent: [8, 8]}
write:
  begin: [BEGIN]
  dumps: 2
  dump: [STEPS]
  end: [END]
`

func TestWhatCannotBeDoneIsLeftOutByName(t *testing.T) {
	const (
		usual = "type: f64, extent: [8, 8]"
		begin = "create: f"
		steps = "create: u, {write: u, select: {rule: block}, mode: independent}, close: u"
	)
	for want, c := range map[string]struct{ per, object, begin, steps string }{
		"dumps: u is in a file for each dump": {
			"dump", usual, "compute: {seconds: 0}",
			"create: f, " + steps + ", close: f",
		},
		"arrays: there are no like datasets":  {"run", usual, begin, steps},
		"dumps: u is not alike for each dump": {"run", "type: f64, extent: [8, 8 + dump]", begin, steps},
		"arrays: u is compact":                {"run", usual + ", compact: true", begin, steps},
		"given, contiguous: u has filters": {
			"run", usual + ", chunk: [4, 4], filters: [shuffle]", begin,
			strings.ReplaceAll(steps, "independent", "collective"),
		},
		"given, chunked, independent: u has filters: HDF5 writes them collectively only": {
			"run", usual + ", chunk: [4, 4], filters: [shuffle]", begin, strings.ReplaceAll(steps, "independent",
				"collective"),
		},
		"given, contiguous: u can be extended": {
			"run", usual + ", chunk: [4, 4], max-extent: [unlimited, 8]", begin,
			steps,
		},
		"dumps: u can be extended": {
			"run", usual + ", chunk: [4, 4], max-extent: [unlimited, 8]", begin,
			steps,
		},
		"given, chunked: u: the part of a rank is not a block, so that it cannot be a chunk: choose the extent " +
			"of chunks": {
			"run", usual, begin, strings.ReplaceAll(steps, "rule: block", "rule: map, dim: 0, length: 2, seed: 1"),
		},
		"given, chunked: u: a chunk of [65536 65536] elements of 8 bytes has more than 4 GiB, the limit of HDF5": {
			"run", "type: f64, extent: [65536, 65536]", begin, strings.ReplaceAll(steps, "rule: block", "rule: root"),
		},
		"dumps: what holds u is not created before the dumps by all ranks": {
			"run", usual, "on: root, do: [create: f, close: f]", "open: f, " + steps + ", close: f",
		},
		"dumps: u is created by some ranks alone": {
			"run", usual, "compute: {seconds: 0}", "on: root, do: [create: f, create: u, close: u, close: f]",
		},
		"dumps: the step unlink is about u": {"run", usual, begin, steps + ", unlink: u"},
		"arrays: steps create only some of the like datasets u ... together": {
			"run", usual, begin, "create: u, {repeat: 1, do: [create: v]}, " +
				"{write: [u, v], select: {rule: block}, mode: independent}, close: [u, v]",
		},
		"arrays: u is transferred in one call with others": {
			"run", usual, begin,
			"create: [u, v], {write: [u, v], together: true, select: {rule: block}, mode: independent}, close: [u, v]",
		},
	} {
		w := written(t, c.per, c.object, c.begin, c.steps)
		_, left, err := script.MakeLayouts(w, script.Job{Ranks: 2, Nodes: 1}, script.LayoutOptions{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		var all []string
		for _, l := range left {
			all = append(all, l.What+": "+l.Reason)
		}
		if !slices.Contains(all, want) {
			t.Errorf("no %q, but\n%s", want, strings.Join(all, "\n"))
		}
	}
}

// written returns a workload of one.
func written(t *testing.T, per, object, begin, steps string) script.Resolved {
	t.Helper()
	end := "compute: {seconds: 0}"
	if begin == "create: f" {
		end = "close: f"
	}
	text := strings.NewReplacer("FILE", map[string]string{"run": "f", "dump": "f{dump}"}[per], "PER", per,
		"OBJECT", object, "BEGIN", braced(begin), "STEPS", braced(steps), "END", end).Replace(one)
	w, err := script.Read("one", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return resolved(t, w, "", nil)
}

// braced returns steps that do not begin with a verb of steps in braces.
func braced(steps string) string {
	if strings.HasPrefix(steps, "on: ") {
		return "{" + steps + "}"
	}
	if before, after, is := strings.Cut(steps, ", on: "); is {
		return before + ", {on: " + after + "}"
	}
	return steps
}
