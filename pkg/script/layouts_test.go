package script_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// layoutScripts returns workloads whose datasets layouts can merge, by name: profiles and scripts.
func layoutScripts(t *testing.T) map[string]*script.Script {
	t.Helper()
	all := map[string]*script.Script{
		"arrays":    profile(t, "arrays", "tiny", nil),
		"particles": profile(t, "particles", "tiny", map[string]string{"particles": "9"}),
	}
	paths, err := filepath.Glob("testdata/layouts/*.star")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		s, err := script.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all[s.Name] = s
	}
	return all
}

// transfer is a transfer of a rank: the runs of bytes in the array, and the size of the memory.
type transfer struct {
	Op     workload.Op
	Runs   []uint64
	Memory uint64
}

// done is the summary of what a workload does.
type done struct {
	transfers [][]transfer         // by rank
	written   map[datasetID][]byte // how many times each byte of each dataset is written
	bytes     [2]uint64
	datasets  uint64
	// whether attributes of datasets are written
	attributes bool
}

// datasetID identifies a dataset by its family and its index there.
type datasetID struct {
	object int
	member uint64
}

// do summarizes the programs of all ranks. size returns the number of elements of an array in a dataset with the given
// extent.
func do(t *testing.T, programs []workload.Program, size func(dims []uint64) uint64) done {
	t.Helper()
	d := done{transfers: make([][]transfer, len(programs)), written: map[datasetID][]byte{}}
	for rank, p := range programs {
		for op := range p.Parts {
			open := map[datasetID]bool{}
			for s := range p.Parts[op].Steps() {
				if s.Class == workload.Create && p.Objects[s.Object].Kind == workload.DatasetObject && rank == 0 {
					d.datasets += s.Count
				}
				for member := s.First; member < s.First+s.Count; member++ {
					at := datasetID{s.Object, member}
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
					bytes := d.written[datasetID{s.Object, member}]
					if bytes == nil {
						bytes = make([]byte, o.Bytes())
						d.written[datasetID{s.Object, member}] = bytes
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

// numElements returns the number of elements of a dataset.
func numElements(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// inLayout returns the programs of all ranks, changed to a layout.
func inLayout(t *testing.T, s *script.Script, l workload.Layout, ranks int64) (all []workload.Program) {
	t.Helper()
	given := programs(t, s, script.JobSize{Ranks: ranks, Nodes: 1})
	for _, p := range given {
		p, err := l.ApplyTo(given[0], p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// layoutsOf holds the layouts that a workload can have, and why it cannot have others.
type layoutsOf struct {
	All        []workload.Layout // the zero value, and layouts that differ from it and from one another
	Impossible []string
}

// layouts returns the layouts that a workload can have, of those that have the parts in a text.
func layouts(t *testing.T, s *script.Script, text string, ranks int64) (made layoutsOf) {
	t.Helper()
	first := programs(t, s, script.JobSize{Ranks: ranks, Nodes: 1})[0]
	made.All = []workload.Layout{{}}
	differing := []workload.Program{first}
	found, err := workload.FindLayouts(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range found {
		p, err := l.ApplyTo(first, first)
		if err != nil {
			made.Impossible = append(made.Impossible, err.Error())
			continue
		}
		if !slices.ContainsFunc(differing, func(q workload.Program) bool { return reflect.DeepEqual(p, q) }) {
			made.All, differing = append(made.All, l), append(differing, p)
		}
	}
	return made
}

func TestLayoutsHaveTheSameTransfers(t *testing.T) {
	for name, r := range layoutScripts(t) {
		for _, ranks := range []int64{1, 2, 3, 4, 7} {
			made := layouts(t, r, "collective", ranks) // modes do not matter here
			if len(made.All) != 9 || len(made.Impossible) != 0 {
				t.Fatalf("%s: %d layouts, left out %v", name, len(made.All), made.Impossible)
			}
			given := do(t, inLayout(t, r, workload.Layout{}, ranks), numElements)
			for _, l := range made.All {
				// Some datasets have more dimensions than the arrays in them, which have one or two.
				dims := 2
				if name == "particles" {
					dims = 1
				}
				got := do(t, inLayout(t, r, l, ranks), func(all []uint64) uint64 {
					return numElements(all[max(0, len(all)-dims):])
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

// The programs of each layout pass their checks, and all ranks do the same collective steps.
func TestProgramsOfLayoutsPassTheirChecks(t *testing.T) {
	for name, s := range layoutScripts(t) {
		for ranks := range int64(7) {
			for _, l := range layouts(t, s, "", ranks+1).All {
				var first []uint64
				for rank, p := range inLayout(t, s, l, ranks+1) {
					if err := p.Check(); err != nil {
						t.Fatalf("%s, %s, rank %d of %d: %v", name, l, rank, ranks+1, err)
					}
					var steps []uint64
					for c := range p.CollectiveOperations() {
						steps = append(steps, c.Hash)
					}
					if rank == 0 {
						first = steps
					} else if !slices.Equal(first, steps) {
						t.Fatalf("%s, %s, rank %d of %d: other collective steps than rank 0", name, l, rank, ranks+1)
					}
				}
			}
		}
	}
}

// If one step closes several datasets that a layout merges, the merged dataset is closed once.
func TestAMergedDatasetIsClosedOnce(t *testing.T) {
	s := read(t, `
def write(job):
    f = job.create("f")
    job.dump()
    u = f.create_dataset(numbered("u%d", 4), "f8", shape = (8,))
    u.write(slab())
    u.close()
    f.close()
`)
	l := workload.Layout{Form: workload.FormArrays, Storage: workload.StorageContiguous, Mode: workload.ModeIndependent}
	closed := uint64(0)
	for step := range inLayout(t, s, l, 1)[0].Parts[workload.Write].Steps() {
		if step.Class == workload.ObjectClose {
			closed += step.Count
		}
	}
	if closed != 1 {
		t.Errorf("the dataset of 4 is closed %d times, want once", closed)
	}
}

func TestTheLayoutsOfArraysAreThoseOfHDF5IOTest(t *testing.T) {
	r := layoutScripts(t)["arrays"]
	made := layouts(t, r, "", 4)
	if len(made.Impossible) != 0 || len(made.All) != 17 || made.All[0].String() != "as it is" ||
		made.All[1].String() != "given, contiguous, independent" {
		t.Fatalf("%d layouts: %v, left out %v", len(made.All), made.All, made.Impossible)
	}
	for text, want := range map[string]string{
		"as it is":                       "/step=1/array=2 [10 80] chunk [] fill  x6, independent false",
		"given, chunked, independent":    "/step=1/array=2 [10 80] chunk [10 20] fill never x6, independent true",
		"dumps, contiguous, collective":  "/array=2 [2 10 80] chunk [] fill never x3, independent false",
		"arrays, chunked, collective":    "/step=1/arrays [3 10 80] chunk [1 10 20] fill never x2, independent false",
		"both, chunked, independent":     "/arrays [2 3 10 80] chunk [1 1 10 20] fill never x1, independent true",
		"both, chunked 10x7, collective": "/arrays [2 3 10 80] chunk [1 1 10 7] fill never x1, independent false",
	} {
		l, err := workload.ParseLayout(text)
		if text != workload.UnchangedLayout && err != nil || l.String() != text {
			t.Fatalf("%q is %q; %v", text, l, err)
		}
		if again, err := workload.ParseLayout(l.Word()); l.Form != "" && (err != nil || again.String() != text) {
			t.Errorf("%s is %q; %v", l.Word(), again, err)
		}
		p := inLayout(t, r, l, 4)[3]
		last, datasets := len(p.Objects)-1, uint64(0)
		o := p.Objects[last]
		for _, of := range p.Objects {
			if of.Kind == workload.DatasetObject {
				datasets += of.Count
			}
		}
		got := fmt.Sprintf("%s %v chunk %v fill %s x%d, independent %v", path(&p, last, 0), o.Dims, o.Chunk,
			o.Fill.Time, datasets, !p.Moves[0].Collective)
		if got != want {
			t.Errorf("%s: %s, want %s", l, got, want)
		}
	}
}

func TestSomeLayoutsAndChunksAreChosen(t *testing.T) {
	made := layouts(t, layoutScripts(t)["arrays"], "both-chunked-10x7-collective", 2)
	if len(made.All) != 2 || len(made.Impossible) != 0 || made.All[1].String() != "both, chunked 10x7, collective" {
		t.Fatalf("layouts %v, left out: %v", made.All, made.Impossible)
	}
}

func TestTextsThatAreNoLayoutsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "as it is", "given", "given, chunked", "given, chunked, sometimes", "given, contiguous 3, collective",
		"given, chunked 3x0, collective", "given, chunked x, collective", "as it is, chunked, collective",
		"given-chunked--1-collective", "given---chunked 7---collective", "collective-chunked-given",
		"8x7-given-chunked-collective", "given-chunked-chunked-collective", "given-8x7-collective",
		"given chunked collective", "given-chunked-08x7-collective", "given-chunked-collective-8x7", "-",
		"given-chunked-8x7-8x7-collective", "given-chunked-collective-", "given-chunked-8x-collective",
	} {
		if l, err := workload.ParseLayout(text); err == nil {
			t.Errorf("%q is %s", text, l)
		}
	}
}

func TestTheSameWorkloadIsMadeOnce(t *testing.T) {
	s := oneDataset(t, `dtype = "f8", shape = (8, 8), fill_time = "never"`, fileOfAll, usualSteps)
	made := layouts(t, s, "given", 1)
	if len(made.All) != 4 || made.All[1].Mode != workload.ModeCollective {
		t.Errorf("%d layouts, first %s", len(made.All), made.All[1])
	}
}

// Steps before the dumps, and steps in each dump.
const (
	fileOfAll  = `f = job.create("f")`
	usualSteps = "u = f.create_dataset(names[n], **of); u.write(block()); u.close()"
)

// oneDataset returns a workload with one dataset in each of two dumps. of holds arguments of create_dataset. begin is
// executed before the dumps, and steps in each dump. If begin creates the file, the file is closed after the dumps.
func oneDataset(t *testing.T, of, begin, steps string) *script.Script {
	t.Helper()
	end := "pass"
	if begin == fileOfAll {
		end = "f.close()"
	}
	return read(t, `
names = ["u0", "u1"]

def one(job, name, of):
    f = job.create("f")
    f.create_dataset(name, **of)
    f.close()

def write(job):
    `+begin+`
    for n in range(2):
        job.dump()
        of = dict(`+of+`)
        `+steps+`
    job.end()
    `+end+`
`)
}

func TestWhatCannotBeDoneIsLeftOutByName(t *testing.T) {
	const (
		usual    = `dtype = "f8", shape = (8, 8)`
		filtered = usual + ", chunks = (4, 4), shuffle = True"
		extended = usual + ", chunks = (4, 4), maxshape = (None, 8)"
	)
	collective := strings.ReplaceAll(usualSteps, "write(block())", "write(block(), collective = True)")
	part := func(rule string) string { return strings.ReplaceAll(usualSteps, "block()", rule) }
	for want, c := range map[string]struct{ of, begin, steps string }{
		"dumps-…: f0:/u0 is in a file for each dump; try given-…": {
			usual, "pass", `f = job.create("f%d" % n); ` + usualSteps + "; f.close()",
		},
		"arrays-…: there are no like datasets; try given-…": {usual, fileOfAll, usualSteps},
		"dumps-…: f:/u0 is not alike for each dump; try given-…": {
			`dtype = "f8", shape = (8, 8 + n)`, fileOfAll, usualSteps,
		},
		"arrays-…: f:/u0 is compact; try given-…": {
			usual + ", compact = True", fileOfAll, part("everything(), collective = True"),
		},
		"arrays-…: f:/u0 is in an external file; try given-…": {
			usual + ", external = True", fileOfAll, usualSteps,
		},
		"given-chunked-…: no dataset can be stored in another way": {
			usual + ", external = True", fileOfAll, usualSteps,
		},
		"given-contiguous-…: f:/u0 has filters; try given-chunked-…": {filtered, fileOfAll, collective},
		"given-chunked-independent: f:/u0 has filters: HDF5 writes them collectively only; try …-collective": {
			filtered, fileOfAll, collective,
		},
		"given-contiguous-…: f:/u0 can be extended; try given-chunked-…": {extended, fileOfAll, usualSteps},
		"dumps-…: f:/u0 can be extended; try given-…":                    {extended, fileOfAll, usualSteps},
		"given-chunked-…: f:/u0: the part of a rank is not a block, so that it cannot be a chunk: choose the " +
			"extent of chunks, such as chunked-8x7": {usual, fileOfAll, part("map(dim = 0, length = 2, seed = 1)")},
		"given-chunked-…: f:/u0: a chunk of [65536 65536] elements of 8 bytes has more than 4 GiB, the " +
			"limit of HDF5": {
			`dtype = "f8", shape = (65536, 65536)`, fileOfAll, part("everything(ranks = 1)"),
		},
		"dumps-…: what holds f:/u0 is not created before the dumps by all processes; try given-…": {
			usual, `job.root(lambda: job.create("f").close())`, `f = job.open("f"); ` + usualSteps + "; f.close()",
		},
		"dumps-…: there is no dataset for each dump; try given-…": {
			usual, "pass", `job.root(lambda: one(job, names[n], of))`,
		},
		"dumps-…: f:/u0 is unlinked; try given-…": {
			usual, fileOfAll, usualSteps + "; job.fence(); f.unlink(names[n])",
		},
		"arrays-…: f:/u0 is transferred in one call with others; try given-…": {
			usual, fileOfAll, `u = f.create_dataset(names[n], **of); v = f.create_dataset("v%d" % n, **of); ` +
				"job.write_multi([u, v], block()); u.close(); v.close()",
		},
	} {
		all := layouts(t, oneDataset(t, c.of, c.begin, c.steps), "", 2).Impossible
		if !slices.Contains(all, want) {
			t.Errorf("no %q, but\n%s", want, strings.Join(all, "\n"))
		}
	}
}
