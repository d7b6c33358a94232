package script_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// TestFunctionsMakeTheSameLayouts holds the programs of layouts to those of workloads that are made of the notation.
// They are equal step for step, but for these:
//   - names of merged datasets: those of the notation are not in programs;
//   - where objects are created, opened or given attributes one after another, their order: a step of the notation is
//     about several, and those that stay as they are came first;
//   - what differs says.
func TestFunctionsMakeTheSameLayouts(t *testing.T) {
	counts := []int64{1, 2, 3, 4, 7}
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range counts {
			layoutsOf(t, w, "tiny", nil, ranks)
		}
		for _, choice := range slices.Sorted(maps.Keys(w.Choices)) {
			for _, word := range w.Choices[choice] {
				layoutsOf(t, w, "tiny", map[string]string{choice: word.String()}, 3)
			}
		}
		if os.Getenv("H5PERF_TEST_ALL_SETS") != "" {
			for _, size := range append(slices.Sorted(maps.Keys(w.Sets)), "") {
				layoutsOf(t, w, size, nil, 2)
			}
		}
	}
}

// differs returns why the programs of a layout differ, or "".
func differs(name string, l workload.Layout) string {
	switch {
	case name == "parts" && l.Form == workload.FormArrays:
		return "a loop over one value makes one dataset, which is like others; in the notation, it was one of its own"
	case name == "training" && l.Mode == workload.ModeCollective:
		return "transfers in files that each rank has for itself stay as they are"
	case name == "amr" && l.Form == workload.FormArrays:
		return "numbers of arrays are in the order of the names of datasets; in the notation, in that of its own names"
	case name == "amr" && l.Storage == workload.StorageChunked:
		return "each level has chunks of its own extent; in the notation, all had that of the first one"
	}
	return ""
}

func layoutsOf(t *testing.T, w script.Workload, size string, set map[string]string, ranks int64) {
	t.Helper()
	name, job := w.Name.String(), script.Job{Ranks: ranks, Nodes: min(2, ranks)}
	what := fmt.Sprint(name, " ", size, " ", set, " ", ranks)
	r, err := script.Resolve(w, size, set, job)
	if err != nil {
		t.Fatal(err)
	}
	given := programs(t, r, job)
	made, left, err := script.MakeLayouts(r, job, script.LayoutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := workload.LayoutOptions{}.Layouts(given[0])
	if len(all.Left) != len(left) && name != "climate" && name != "amr" {
		t.Errorf("%s: left out %v, but of the notation %v", what, all.Left, left)
	}
	for _, v := range made[1:] {
		l := workload.Layout{
			Form: workload.LayoutForm(v.Layout.Form), Storage: workload.LayoutStorage(v.Layout.Storage),
			Mode: workload.LayoutMode(v.Layout.Mode),
		}
		want, got := programs(t, v.Workload, job), make([]workload.Program, ranks)
		for rank := range got {
			if got[rank], err = l.Program(given[0], given[rank]); err != nil {
				t.Fatalf("%s, %s: %v", what, l, err)
			}
		}
		why := differs(name, l)
		for rank := range got {
			if why == "" && !reflect.DeepEqual(bare(want[rank]), bare(got[rank])) {
				t.Errorf("%s, %s, rank %d: other programs", what, l, rank)
				break
			}
		}
		if a, b := transferred(want), transferred(got); !reflect.DeepEqual(a, b) {
			t.Errorf("%s, %s: %v, but of the notation %v", what, l, b, a)
		}
	}
}

// programs returns the programs of all ranks.
func programs(t *testing.T, r script.Resolved, job script.Job) []workload.Program {
	t.Helper()
	all := make([]workload.Program, job.Ranks)
	for rank := range all {
		var err error
		if all[rank], err = r.Compile(int64(rank), job); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// bare returns a program without names of objects, and in one order of steps that may have any.
func bare(p workload.Program) workload.Program {
	p.Objects = slices.Clone(p.Objects)
	for i := range p.Objects {
		o := &p.Objects[i]
		o.Name, o.First = "", 0
		o.Chunk = slices.Clip(o.Chunk)
	}
	for op := range p.Parts {
		part := &p.Parts[op]
		part.Begin, part.End, part.Dumps = bareEpochs(part.Begin), bareEpochs(part.End), slices.Clone(part.Dumps)
		for i := range part.Dumps {
			part.Dumps[i].Epochs = bareEpochs(part.Dumps[i].Epochs)
		}
	}
	p.Attributes = nil // see steps
	return p
}

func bareEpochs(epochs []workload.Epoch) []workload.Epoch {
	kind := func(s workload.Step) int {
		switch s.Class {
		case workload.Create, workload.Open:
			return 1
		case workload.Attribute:
			return 2
		}
		return 0
	}
	var all []workload.Epoch
	for _, e := range epochs {
		steps := append([]workload.Step{}, e.Steps...)
		for i := range steps {
			steps[i].Line = 0 // a step of the notation that was made has another line
		}
		for i := 0; i < len(steps); {
			end := i + 1
			for end < len(steps) && kind(steps[i]) != 0 && kind(steps[end]) == kind(steps[i]) {
				end++
			}
			slices.SortStableFunc(steps[i:end], func(a, b workload.Step) int {
				return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Object, b.Object))
			})
			i = end
		}
		all = append(all, workload.Epoch{Steps: steps})
	}
	return all
}

// common is what layouts have in common: what is transferred, by all ranks, and from and to which bytes of a row of an
// array.
type common struct {
	Bytes, Calls uint64
	Places       map[string]int
}

func transferred(all []workload.Program) [2]common {
	var sums [2]common
	total, err := workload.AmountsOf(uint64(len(all)), func(rank uint64) (workload.Program, error) {
		return all[rank], nil
	})
	if err != nil {
		panic(err)
	}
	for op := range sums {
		a := common{total.Ops[op].Bytes, total.Ops[op].AllCalls, map[string]int{}}
		for rank := range all {
			p := &all[rank]
			for s := range p.Parts[op].Steps() {
				if s.Class != workload.Transfer {
					continue
				}
				for move := range s.Moves() {
					m := &p.Moves[move]
					o := &p.Objects[m.Object]
					row := o.Dims[len(o.Dims)-1] * o.Type.Bytes()
					key := fmt.Sprint(rank, row)
					for at, n := range m.Selection.Runs() {
						key += fmt.Sprint(" ", at%row, "+", n)
					}
					a.Places[key] += int(s.Count)
				}
			}
		}
		sums[op] = a
	}
	return sums
}
