//go:build cgo

package hdf5_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

var (
	variableText = workload.Type{Class: workload.Text, Size: 7, Variable: true}
	sequence     = workload.Type{Class: workload.Sequence, Size: 24, Members: []workload.Member{
		{Type: number(workload.Float, 8)},
	}}
)

// variableProgram returns families of two datasets each, of all types and storages, and the selections of their moves.
// The selections have an order of their own in memory.
func variableProgram() (p workload.Program, selections []func([]uint64, uint64) (pattern.Selection, error)) {
	p.Files = []workload.File{{Name: "f"}}
	row := workload.Type{Class: workload.Compound, Members: []workload.Member{
		{Name: "n", Type: number(workload.Signed, 4)},
		{Name: "text", Type: variableText},
		{Name: "list", Type: sequence},
	}}
	choices := []func([]uint64, uint64) (pattern.Selection, error){
		pattern.SelectEverything,
		func(dims []uint64, element uint64) (pattern.Selection, error) {
			return pattern.SelectHyperslab(dims, element, pattern.Hyperslab{
				Start: []uint64{1, 0}, Stride: []uint64{2, 3}, Count: []uint64{2, 2}, Block: []uint64{1, 2},
			})
		},
		func(dims []uint64, element uint64) (pattern.Selection, error) {
			return pattern.SelectBoxes(dims, element, []uint64{3, 3, 0, 1}, []uint64{1, 2, 2, 1})
		},
		func(dims []uint64, element uint64) (pattern.Selection, error) {
			return pattern.SelectPoints(dims, element, []uint64{3, 4, 0, 0, 2, 1, 0, 1})
		},
	}
	for i, typ := range []workload.Type{variableText, sequence, row} {
		for k, choice := range choices {
			o := set(string(rune('a'+i))+string(rune('a'+k))+"%d", typ, 5, 5)
			o.PerGroup, o.Count, o.Stride = 2, 2, o.Bytes()
			if k%2 == 1 {
				o.Chunk, o.Filters = []uint64{2, 5}, []workload.Filter{{Name: "deflate", Level: 1}}
			}
			p.Objects, selections = append(p.Objects, o), append(selections, choice)
		}
	}
	return p, selections
}

// withVariable prepares the engine for the program, and calls body.
func withVariable(t *testing.T, body func(*tree)) {
	t.Helper()
	lockThread(t)
	stop, err := engine.NewStopFlag()
	must(t, err)
	program, selections := variableProgram()
	e := &tree{
		t: t, program: program, path: filepath.Join(t.TempDir(), "f.h5"),
		env: engine.Env{Comm: mpi.Self{}, Stop: stop, HDF5: settings("sec2"), HarnessComparesReads: true},
	}
	for i, selection := range selections {
		e.move(i, program.Objects[i].Dims, selection)
	}
	const slot = 4 << 10
	pool, err := engine.MapMemory(uint64(len(e.program.Moves)) * 2 * slot)
	must(t, err)
	defer func() { must(t, engine.UnmapMemory(pool)) }()
	for i := range e.program.Moves {
		e.program.Moves[i].Buffer = workload.Buffer{
			Pool: pool[i*2*slot:][:2*slot], Slots: 2, SlotBytes: slot, Grain: 16,
		}
	}
	e.session, err = hdf5.New().Prepare(e.env, e.program)
	must(t, err)
	body(e)
	must(t, e.session.Close())
}

// eachVariable calls do with each piece of memory of each dataset, and the values that it should hold.
func (e *tree) eachVariable(do func(name string, memory []byte, at uint64, data fill.FieldValues)) {
	e.t.Helper()
	for i := range e.program.Moves {
		m := &e.program.Moves[i]
		o := &e.program.Objects[i]
		for k := range o.Count {
			must(e.t, m.EachPiece(func(file, memory, bytes uint64) {
				do(o.NameOf(k), m.Buffer.Slot(k)[memory:][:bytes], file, o.Values(uint64(i)<<8+k))
			}))
		}
	}
}

// converts calls a method of engine.MemoryConverter for all transfers.
func (e *tree) converts(do func(engine.MemoryConverter, *workload.Batch) error) error {
	var all error
	for i := range e.program.Moves {
		b := workload.Batch{Class: workload.Transfer, Op: e.op, Object: i, Count: 2, Move: i}
		all = errors.Join(all, do(e.session.(engine.MemoryConverter), &b))
	}
	return all
}

// transferAll opens or creates all datasets, and transfers them.
func (e *tree) transferAll(op workload.Op, begin workload.StepClass) {
	e.t.Helper()
	e.inFile(op, func() {
		must(e.t, e.converts(engine.MemoryConverter.FillMemory))
		for i := range e.program.Objects {
			e.do(begin, i)
			e.transfer(i, i)
			if op == workload.Read { // the memory of the first read is freed
				e.transfer(i, i)
			}
			e.do(workload.ObjectClose, i)
		}
	})
}

// Data of variable length are read back for all types, storages and selections. Wrong ones are found.
func TestVariableLengths(t *testing.T) {
	withVariable(t, func(e *tree) {
		e.eachVariable(func(_ string, memory []byte, at uint64, data fill.FieldValues) { data.Fill(memory, at) })
		e.transferAll(workload.Write, workload.Create)
		wrongBytes := func(seed uint64) (all uint64) {
			e.eachVariable(func(_ string, memory []byte, _ uint64, _ fill.FieldValues) { fill.Poison(memory) })
			e.transferAll(workload.Read, workload.Open)
			must(t, e.converts(engine.MemoryConverter.ReadMemory))
			e.eachVariable(func(name string, memory []byte, at uint64, data fill.FieldValues) {
				data.Seed += seed
				wrong, found := data.Check(memory, at, 1)
				if all += wrong; wrong > 0 && seed == 0 {
					t.Errorf("%s: %d bytes are wrong: %v", name, wrong, found)
				}
			})
			return all
		}
		for range 2 {
			wrongBytes(0)
		}
		if wrongBytes(1) == 0 {
			t.Error("data of another seed are not found wrong")
		}
		for _, name := range []string{"aa0", "ba1", "ca0"} {
			// newer versions print a space before the bracket
			text := strings.ReplaceAll(printed(t, e.path, "h5dump", "-d", name), "LE }", "LE}")
			for _, want := range map[string][]string{
				"a": {"STRSIZE H5T_VARIABLE"}, "b": {"H5T_VLEN { H5T_IEEE_F64LE}"},
				"c": {"H5T_COMPOUND { H5T_STD_I32LE", `"text"; H5T_VLEN { H5T_IEEE_F64LE} "list"`},
			}[name[:1]] {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %s, want %s", name, text, want)
				}
			}
		}
		if got := e.session.Report().Calls; got != 2*uint64(len(e.program.Moves))*(1+3*2) {
			t.Errorf("%d calls", got)
		}
	})
}

// A read of elements that nobody wrote is an error: they are empty.
func TestUnwrittenVariableLengths(t *testing.T) {
	withVariable(t, func(e *tree) {
		e.inFile(workload.Write, func() {
			for i := range e.program.Objects {
				e.do(workload.Create, i)
				e.do(workload.ObjectClose, i)
			}
		})
		e.transferAll(workload.Read, workload.Open)
		err := e.converts(engine.MemoryConverter.ReadMemory)
		if err == nil || !strings.Contains(err.Error(), "f:/aa0: ") || !strings.Contains(err.Error(), "is empty") {
			t.Errorf("elements that were not written: %v", err)
		}
	})
}
