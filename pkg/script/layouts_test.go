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
func do(t *testing.T, programs []workload.Program, size func(dims []uint64) uint64) done {
	t.Helper()
	d := done{transfers: make([][]transfer, len(programs)), written: map[place][]byte{}}
	for rank, p := range programs {
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

// programs returns the programs of all ranks in a layout.
func programs(t *testing.T, r script.Resolved, l workload.Layout, ranks int64) (all []workload.Program) {
	t.Helper()
	one := first(t, r, ranks)
	for rank := range ranks {
		p, err := r.Compile(rank, script.Job{Ranks: ranks, Nodes: 1})
		if err == nil {
			p, err = l.Program(one, p)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// first returns the program of rank 0 of the workload as it is.
func first(t *testing.T, r script.Resolved, ranks int64) workload.Program {
	t.Helper()
	p, err := r.Compile(0, script.Job{Ranks: ranks, Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLayoutsHaveTheSameTransfers(t *testing.T) {
	for name, r := range workloads(t) {
		for _, ranks := range []int64{1, 2, 3, 4, 7} {
			made := workload.LayoutOptions{
				Modes: []workload.LayoutMode{workload.ModeCollective}, // modes have no part in this
			}.Layouts(first(t, r, ranks))
			if len(made.All) != 9 || len(made.Left) != 0 {
				t.Fatalf("%s: %d layouts, left out %v", name, len(made.All), made.Left)
			}
			given := do(t, programs(t, r, workload.Layout{}, ranks), product)
			for _, l := range made.All {
				// A part of the datasets has more dimensions; all arrays of the workloads have two or one.
				dims := 2
				if name == "particles" {
					dims = 1
				}
				got := do(t, programs(t, r, l, ranks), func(all []uint64) uint64 {
					return product(all[max(0, len(all)-dims):])
				})
				if d := cmp.Diff(given.transfers, got.transfers); d != "" {
					t.Fatalf("%s, %d ranks, %s: other transfers\n%s", name, ranks, l, d)
				}
				for dataset, bytes := range got.written {
					if slices.Min(bytes) != 1 || slices.Max(bytes) != 1 {
						t.Fatalf("%s, %d ranks, %s: a byte of %v is written %d times", name, ranks, l, dataset,
							slices.Max(bytes))
					}
				}
				if got.bytes != given.bytes || got.attributes != given.attributes {
					t.Fatalf("%s, %d ranks, %s: %v bytes, but as it is %v", name, ranks, l, got.bytes, given.bytes)
				}
				put := l.Form != "" && l.Form != workload.FormGiven
				if fewer := got.datasets < given.datasets; fewer != put {
					t.Errorf("%s, %d ranks, %s: %d datasets, as it is %d", name, ranks, l, got.datasets, given.datasets)
				}
			}
		}
	}
}

func TestTheLayoutsOfArraysAreThoseOfHDF5IOTest(t *testing.T) {
	r := workloads(t)["arrays"]
	made := workload.LayoutOptions{}.Layouts(first(t, r, 4))
	if len(made.Left) != 0 || len(made.All) != 17 || made.All[0].String() != "as it is" ||
		made.All[1].String() != "given, contiguous, independent" {
		t.Fatalf("%d layouts: %v, left out %v", len(made.All), made.All, made.Left)
	}
	for text, want := range map[string]string{
		"as it is":                       "/step=%d/array=%d [10 80] chunk [] fill  x6, independent false",
		"given, chunked, independent":    "/step=%d/array=%d [10 80] chunk [10 20] fill never x6, independent true",
		"dumps, contiguous, collective":  "/array=%d [2 10 80] chunk [] fill never x3, independent false",
		"arrays, chunked, collective":    "/step=%d/array [3 10 80] chunk [1 10 20] fill never x2, independent false",
		"both, chunked, independent":     "/array [2 3 10 80] chunk [1 1 10 20] fill never x1, independent true",
		"both, chunked 64x7, collective": "/array [2 3 10 80] chunk [1 1 10 7] fill never x1, independent false",
	} {
		l, err := workload.ParseLayout(text)
		if text != workload.AsItIs && err != nil || l.String() != text {
			t.Fatalf("%q is %q; %v", text, l, err)
		}
		p := programs(t, r, l, 4)[3]
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
	made := workload.LayoutOptions{
		Forms: []workload.LayoutForm{workload.FormBoth}, Storages: []workload.LayoutStorage{workload.StorageChunked},
		Modes: []workload.LayoutMode{workload.ModeCollective}, Chunk: []uint64{64, 7},
	}.Layouts(first(t, workloads(t)["arrays"], 2))
	if len(made.All) != 2 || len(made.Left) != 0 || made.All[1].String() != "both, chunked 64x7, collective" {
		t.Fatalf("layouts %v, left out: %v", made.All, made.Left)
	}
}

func TestTextsThatAreNoLayoutsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "as it is", "given", "given, chunked", "given, chunked, sometimes", "given, contiguous 3, collective",
		"given, chunked 3x0, collective", "given, chunked x, collective", "as it is, chunked, collective",
	} {
		if l, err := workload.ParseLayout(text); err == nil {
			t.Errorf("%q is %s", text, l)
		}
	}
}

func TestTheSameWorkloadIsMadeOnce(t *testing.T) {
	w := written(t, "run", "type: f64, extent: [8, 8], fill: never", "create: f",
		"create: u, {write: u, select: {rule: block}, mode: independent}, close: u")
	made := workload.LayoutOptions{Forms: []workload.LayoutForm{workload.FormGiven}}.Layouts(first(t, w, 1))
	if len(made.All) != 4 || made.Same.String() != "given, contiguous, independent" ||
		made.All[1].Mode != workload.ModeCollective {
		t.Errorf("%d layouts, as it is is %s, then %s", len(made.All), made.Same, made.All[1])
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
		"dumps: f0:/u0 is in a file for each dump": {
			"dump", usual, "compute: {seconds: 0}",
			"create: f, " + steps + ", close: f",
		},
		"arrays: there are no like datasets":      {"run", usual, begin, steps},
		"dumps: f:/u0 is not alike for each dump": {"run", "type: f64, extent: [8, 8 + dump]", begin, steps},
		"arrays: f:/u0 is compact":                {"run", usual + ", compact: true", begin, steps},
		"given, contiguous: f:/u0 has filters": {
			"run", usual + ", chunk: [4, 4], filters: [shuffle]", begin,
			strings.ReplaceAll(steps, "independent", "collective"),
		},
		"given, chunked, independent: f:/u0 has filters: HDF5 writes them collectively only": {
			"run", usual + ", chunk: [4, 4], filters: [shuffle]", begin, strings.ReplaceAll(steps, "independent",
				"collective"),
		},
		"given, contiguous: f:/u0 can be extended": {
			"run", usual + ", chunk: [4, 4], max-extent: [unlimited, 8]", begin,
			steps,
		},
		"dumps: f:/u0 can be extended": {
			"run", usual + ", chunk: [4, 4], max-extent: [unlimited, 8]", begin,
			steps,
		},
		"given, chunked: f:/u0: the part of a rank is not a block, so that it cannot be a chunk: choose the extent " +
			"of chunks": {
			"run", usual, begin, strings.ReplaceAll(steps, "rule: block", "rule: map, dim: 0, length: 2, seed: 1"),
		},
		"given, chunked: f:/u0: a chunk of [65536 65536] elements of 8 bytes has more than 4 GiB, the limit of HDF5": {
			"run", "type: f64, extent: [65536, 65536]", begin, strings.ReplaceAll(steps, "rule: block", "rule: root"),
		},
		"dumps: what holds f:/u0 is not created before the dumps by all processes": {
			"run", usual, "on: root, do: [create: f, close: f]", "open: f, " + steps + ", close: f",
		},
		"dumps: there is no dataset for each dump": {
			"run", usual, "compute: {seconds: 0}", "on: root, do: [create: f, create: u, close: u, close: f]",
		},
		"dumps: f:/u0 is extended or unlinked": {"run", usual, begin, steps + ", unlink: u"},
		"arrays: f:/u0 is transferred in one call with others": {
			"run", usual, begin,
			"create: [u, v], {write: [u, v], together: true, select: {rule: block}, mode: independent}, close: [u, v]",
		},
	} {
		w := written(t, c.per, c.object, c.begin, c.steps)
		var all []string
		for _, l := range (workload.LayoutOptions{}).Layouts(first(t, w, 2)).Left {
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
