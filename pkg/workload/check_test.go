package workload

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
)

// The programs of all kinds of sweeps pass Check.
func TestSweepsCanBeDone(t *testing.T) {
	sequence := pattern.ParallelPattern{Processes: 2, BytesPerProcess: 64, TransferSize: 16, BlockSize: 16}.Sequence(1)
	for form := range 16 {
		is := func(bit int) bool { return form>>bit&1 > 0 }
		s := Sweep{
			Sequence: sequence, Nest: sequence.LoopNest(), Datasets: 3, DatasetBytes: 128, Collective: is(0),
			Extendible: is(1), SyncDatasets: is(2), SyncFile: is(2), FilePerProcess: is(3), RootCreates: !is(3),
		}
		if is(1) {
			s.Chunk = []uint64{16}
		}
		p := s.Program()
		if err := p.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// inFile returns a program with two epochs. It creates a file for a group, does steps, and closes the file.
func inFile(group RankGroup, objects uint64, steps ...Step) Program {
	p := Program{
		Files: []File{{Name: "f", Group: group}},
		Objects: []Object{{
			Kind: DatasetObject, Parent: NoParent, PerGroup: objects, Count: objects, Name: "d%d", Type: Byte,
			Dims: []uint64{8},
		}},
		Attributes: []Attributes{{Name: "a", Count: 1, Type: Byte}},
	}
	first := []Step{{Batch: Batch{Class: FileOpen, Move: NoMove}}}
	last := []Step{{Batch: Batch{Class: FileClose, Move: NoMove}}}
	p.Parts[Write].Dumps = []Dump{{Epochs: []Epoch{{Steps: append(first, steps...)}, {Steps: last}}}}
	return p
}

// of returns a step that uses all objects.
func of(class StepClass, objects uint64) Step {
	return Step{Batch: Batch{Class: class, Count: objects, Move: NoMove}}
}

func TestFaultsOfStepsWithoutALine(t *testing.T) {
	turn := func(turn TurnPart) Step {
		return Step{Batch: Batch{Class: Fence, Move: NoMove}, Turn: turn, NeighbourRank: NoRank}
	}
	for _, c := range []struct {
		p    Program
		want string
	}{
		{inFile(All, 3, of(Create, 3), of(ObjectClose, 3)), ""},
		{inFile(All, 3, of(ObjectClose, 3)), "step 2 of part write: dataset f:/d0 is closed, but it is not open: " +
			"open or " +
			"create it first"},
		{inFile(All, 3, of(Create, 3), of(ObjectClose, 2)), "step 4 of part write: file f is closed, but dataset " +
			"f:/d2 is " +
			"open since step 2 of part write: close it first"},
		{
			inFile(All, 3, turn(AwaitTurn), of(Create, 3)),
			"step 3 of part write: all ranks would wait for one another in " +
				"this " +
				"step, but they wait for their turns, which began in step 2 of part write: do it before or after the " +
				"turns",
		},
		{inFile(All, 3, turn(AwaitTurn), turn(PassTurn)), ""},
		{inFile(Self, 3, turn(AwaitTurn), of(Create, 3), of(ObjectClose, 3), turn(PassTurn)), ""},
		{
			inFile(TurnGroup, 3),
			"step 1 of part write: file f is created, but ranks in turns write and read it: do it in " +
				"a turn",
		},
	} {
		err := c.p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	p := inFile(All, 3, Step{Batch: Batch{Class: Create, Count: 1, Move: NoMove, First: 1}, Line: 17})
	p.Parts[Write].Dumps[0].Epochs[0].Steps = append(p.Parts[Write].Dumps[0].Epochs[0].Steps,
		p.Parts[Write].Dumps[0].Epochs[0].Steps[1])
	f, is := errors.AsType[*Fault](p.Check())
	if !is || f.Line != 17 || !strings.HasPrefix(f.Error(), "line 17: dataset f:/d1 is created, but it is open "+
		"since line 17") {
		t.Errorf("%+v", f)
	}
}

// Consecutive objects with the same state are kept as one range, however many they are.
func TestChecksOfManyObjectsNeedLittleMemory(t *testing.T) {
	const objects, most = 1_000_000, 1 << 16
	each := []Step{}
	for i := range uint64(1000) { // one after another, from the same line
		for _, class := range []StepClass{Create, ObjectClose} {
			each = append(each, Step{Batch: Batch{Class: class, First: i, Count: 1, Move: NoMove}, Line: 5})
		}
	}
	for name, p := range map[string]Program{
		"at once": inFile(All, objects, of(Create, objects), of(Attribute, objects),
			of(ObjectClose, objects)),
		"one after another": inFile(All, objects, each...),
	} {
		var before, after runtime.MemStats
		c, err := p.checkSteps()
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, in := range c.files {
			for _, s := range in.states {
				kept += len(s.all)
			}
		}
		if kept > 20 { // one range for each number of digits, for objects and for attributes
			t.Errorf("%s: %d stretches are kept", name, kept)
		}
		runtime.ReadMemStats(&before)
		n := 0
		for range p.CollectiveOperations() {
			n++
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; name == "at once" && used > most || n > 2100 {
			t.Errorf("%s: %d collectives, %d bytes", name, n, used)
		}
	}
}

// The selections of a program are checked, also if the program of another rank passed before.
func TestTheNextProgramIsCheckedWhereItDiffers(t *testing.T) {
	reads := func(start, count uint64) Program { // a dataset of 8 elements, which has 4 when they are read
		selection, err := pattern.SelectHyperslab([]uint64{8}, 1, pattern.Hyperslab{
			Start: []uint64{start}, Stride: []uint64{1}, Count: []uint64{count}, Block: []uint64{1},
		})
		if err != nil {
			t.Fatal(err)
		}
		built, moved := of(Select, 1), of(Transfer, 1)
		built.Move, moved.Move, moved.NumTransfers = 0, 0, 1
		p := inFile(All, 1, of(Create, 1), built, moved, of(ObjectClose, 1))
		p.Objects[0].InitialDims, p.Objects[0].MaxExtent = []uint64{4}, []uint64{8}
		p.Moves = []Move{{Listed: true, Selection: selection, PlainSelection: selection}}
		return p
	}
	p := reads(0, 3)
	first, err := p.CheckFirst()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, count uint64
		passes       bool
	}{{1, 2, true}, {2, 2, true}, {2, 3, false}, {7, 1, false}} {
		next := reads(c.start, c.count)
		if err := next.CheckNext(first); (err == nil) != c.passes {
			t.Errorf("%d elements from %d on: %v", c.count, c.start, err)
		}
	}
}
