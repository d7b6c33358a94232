package bench_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// steps builds the program of a process that uses three files: two that all processes of the job open, and its own.
type steps struct {
	workload.Program
	op    workload.Op
	lines int
}

// newSteps declares the files and objects: in file 0, datasets 0 and groups 1; in file 1, datasets 2.
func newSteps() *steps {
	all := func(kind workload.ObjectKind, file int, name string) workload.Object {
		return workload.Object{
			Kind: kind, File: file, Parent: workload.NoParent, PerGroup: 10, Count: 10, Name: name, Type: workload.Byte,
			Dims: []uint64{8},
		}
	}
	s := &steps{}
	s.Parts[workload.Write].Dumps = []workload.Dump{{Epochs: []workload.Epoch{{}}}}
	s.Files = []workload.File{
		{Name: "f"}, {Name: "g"}, {Name: "own", Group: workload.Self},
	}
	s.Objects = []workload.Object{
		all(workload.DatasetObject, 0, "d%d"), all(workload.GroupObject, 0, "m%d"),
		all(workload.DatasetObject, 1, "e%d"),
	}
	some, _ := pattern.SelectHyperslab([]uint64{8}, 1, pattern.Hyperslab{
		Start: []uint64{0}, Stride: []uint64{8}, Count: []uint64{1}, Block: []uint64{8},
	})
	none, _ := pattern.SelectNothing([]uint64{8}, 1)
	for _, of := range []pattern.Selection{some, none} {
		for _, collective := range []bool{false, true} {
			s.Moves = append(s.Moves,
				workload.Move{Listed: true, Selection: of, PlainSelection: of, Collective: collective})
		}
	}
	return s
}

// Moves of steps: they transfer datasets 0 of file 0.
const (
	independent = iota
	collectively
	nothing
	nothingTogether
)

// add appends a step to the only dump of the current part.
func (s *steps) add(step workload.Step) *steps {
	part := &s.Parts[s.op]
	if len(part.Dumps) == 0 {
		part.Dumps = []workload.Dump{{Epochs: []workload.Epoch{{}}}}
	}
	s.lines++
	step.Line, step.Op = s.lines, s.op
	steps := &part.Dumps[0].Epochs[0].Steps
	*steps = append(*steps, step)
	return s
}

func (s *steps) file(class workload.StepClass, file int) *steps {
	return s.add(workload.Step{Batch: workload.Batch{Class: class, File: file, Move: workload.NoMove}})
}

func (s *steps) object(class workload.StepClass, object int, first, count uint64) *steps {
	return s.add(workload.Step{Batch: workload.Batch{
		Class: class, File: s.Objects[object].File, Object: object, First: first, Count: count, Move: workload.NoMove,
	}})
}

func (s *steps) move(move int, first, count uint64) *steps {
	b := workload.Batch{Object: 0, First: first, Count: count, Move: move, NumTransfers: 1, BeginsAndEnds: true}
	for _, b.Class = range []workload.StepClass{workload.Select, workload.Transfer} {
		s.add(workload.Step{Batch: b})
	}
	return s
}

func (s *steps) turn(t workload.TurnPart, neighbour int) *steps {
	return s.add(workload.Step{
		Batch: workload.Batch{Class: workload.Fence, Move: workload.NoMove}, Turn: t,
		NeighbourRank: neighbour,
	})
}

// reading makes the next steps belong to the part read.
func (s *steps) reading() *steps {
	s.op = workload.Read
	return s
}

// checked runs CheckPrograms on n processes, and returns the error of each.
func checked(n int, of func(rank int) *steps) []error {
	errs := make([]error, n)
	var w sync.WaitGroup
	for rank, comm := range mpi.MemoryWorld(n) {
		w.Go(func() {
			errs[rank] = errors.New("its communicator was misused")
			program := func() (workload.Program, error) { return of(rank).Program, nil }
			errs[rank] = bench.CheckPrograms(comm, program, true)
		})
	}
	w.Wait()
	return errs
}

// Programs that would wait for each other forever are refused, with the same message on all processes.
func TestProgramsThatWouldWaitForEver(t *testing.T) {
	const f, g = 0, 1
	open := func() *steps { return newSteps().file(workload.FileOpen, f) }
	type of = func(rank int) *steps
	for name, c := range map[string]struct {
		of   of
		want []string // nil: no error
	}{
		"the same": {func(int) *steps { return open().file(workload.FileClose, f) }, nil},
		"one batch or several": {func(rank int) *steps {
			s := open()
			if rank == 0 {
				return s.object(workload.Create, 0, 0, 10).object(workload.ObjectClose, 0, 0, 10).
					file(workload.FileClose, f)
			}
			s.object(workload.Create, 0, 0, 3).object(workload.Create, 0, 3, 7).object(workload.ObjectClose, 0, 0, 9)
			return s.object(workload.ObjectClose, 0, 9, 1).file(workload.FileClose, f)
		}, nil},
		"independent transfers of some": {func(rank int) *steps {
			s := open().object(workload.Create, 0, 0, 1)
			if rank == 1 {
				s.move(independent, 0, 1)
			}
			return s.object(workload.ObjectClose, 0, 0, 1).file(workload.FileClose, f)
		}, nil},
		"a part without elements": {func(rank int) *steps {
			s := open().object(workload.Create, 0, 0, 1)
			if rank == 1 {
				s.move(collectively, 0, 1)
			} else {
				s.move(nothingTogether, 0, 1)
			}
			return s.object(workload.ObjectClose, 0, 0, 1).file(workload.FileClose, f)
		}, nil},
		"own files": {func(rank int) *steps {
			s := newSteps()
			s.Files[2].Name += strconv.Itoa(rank)
			for range rank {
				s.file(workload.FileOpen, 2).file(workload.FileClose, 2)
			}
			return s
		}, nil},
		"files in another order": {func(rank int) *steps {
			s := newSteps()
			s.file(workload.FileOpen, (f+rank/2)%2).file(workload.FileOpen, (g+rank/2)%2)
			return s.file(workload.FileClose, f).file(workload.FileClose, g)
		}, []string{
			"they differ in step 2 of", "ranks 0 to 1: file f is created (line 1)", "ranks 2 to 3: file g is " +
				"created (line 1)",
			"let all ranks do the same steps",
		}},
		"a group of one": {func(rank int) *steps {
			s := open()
			if rank == 2 {
				s.object(workload.Create, 1, 4, 1).object(workload.ObjectClose, 1, 4, 1)
			}
			return s.file(workload.FileClose, f)
		}, []string{
			"step 3 of", "ranks 0 to 1, 3: file f is closed (line 2)", "rank 2: group f:/m4 is created (line 2)",
		}},
		"more members": {func(rank int) *steps {
			n := uint64(3 + rank%2)
			s := open().object(workload.Create, 0, 0, n).object(workload.ObjectClose, 0, 0, n)
			return s.file(workload.FileClose, f)
		}, []string{
			"ranks 0, 2: dataset f:/d0 is created, and 2 after it, of extent [8] and type u8 (line 2)",
			"ranks 1, 3: dataset f:/d0 is created, and 3 after it",
		}},
		"another extent": {func(rank int) *steps {
			s := open()
			s.Objects[0].Dims = []uint64{uint64(max(8, rank*4))}
			return s.object(workload.Create, 0, 0, 1).object(workload.ObjectClose, 0, 0, 1).file(workload.FileClose, f)
		}, []string{"ranks 0 to 2: dataset f:/d0 is created, of extent [8]", "rank 3: dataset f:/d0 is created, of " +
			"extent [12]"}},
		"a collective transfer of one": {func(rank int) *steps {
			s := open().object(workload.Create, 0, 0, 1).move(independent, 0, 1)
			if rank == 3 {
				s.move(collectively, 0, 1)
			}
			return s.object(workload.ObjectClose, 0, 0, 1).file(workload.FileClose, f)
		}, []string{"rank 3: dataset f:/d0 is written in collective mode (line 6)"}},
		"a fence less": {func(rank int) *steps {
			s := newSteps().turn(workload.NoTurn, 0)
			if rank > 0 {
				s.turn(workload.NoTurn, 0)
			}
			return s
		}, []string{"rank 0: the workload ends", "ranks 1 to 3: all ranks wait for one another (line 2)"}},
		"turns": {func(rank int) *steps {
			before, after := rank-1, rank+1
			if rank == 3 {
				after = workload.NoRank
			}
			return newSteps().turn(workload.AwaitTurn, before).turn(workload.PassTurn, after)
		}, nil},
		"a turn that nobody passes on": {func(rank int) *steps {
			before, after := rank-1, rank+1
			if rank == 1 || rank == 3 {
				after = workload.NoRank
			}
			return newSteps().turn(workload.AwaitTurn, before).turn(workload.PassTurn, after)
		}, []string{"rank 1: steps are done in turns (line 2), after rank 0 and before no rank", "rank 2: steps are " +
			"done in turns (line 2), after rank 1"}},
		"turns in a circle": {func(rank int) *steps {
			return newSteps().turn(workload.AwaitTurn, (rank+3)%4).turn(workload.PassTurn, (rank+1)%4)
		}, []string{"rank 3: steps are done in turns (line 2), after rank 2 and before rank 0"}},
		"a turn less": {func(rank int) *steps {
			s := newSteps()
			if rank != 1 {
				s.turn(workload.AwaitTurn, workload.NoRank).turn(workload.PassTurn, workload.NoRank)
			}
			return s
		}, []string{"rank 1: the workload ends", "ranks 0, 2 to 3: steps are done in turns"}},
	} {
		errs := checked(4, c.of)
		for rank, err := range errs {
			switch {
			case c.want == nil && err != nil:
				t.Errorf("%s: rank %d: %v", name, rank, err)
			case c.want == nil:
			case err == nil || err.Error() != errs[0].Error():
				t.Errorf("%s: rank %d: %v, but rank 0: %v", name, rank, err, errs[0])
			case rank == 0:
				for _, want := range c.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s: %v, want %s", name, err, want)
					}
				}
			}
		}
	}
}

// Comparing programs of random steps always ends, and all processes get the same result.
func TestAnyProgramsAreCompared(t *testing.T) {
	for seed := range uint64(60) {
		errs := checked(3, func(rank int) *steps {
			s := newSteps()
			draw := rand.New(rand.NewPCG(seed, 0))
			for i := range 12 {
				if i == 7 && seed%2 > 0 && rank == 2 {
					draw = rand.New(rand.NewPCG(seed, 1))
				}
				switch n := draw.Uint64N(8); draw.IntN(5) {
				case 0:
					s.file(workload.FileOpen, int(n%3)).file(workload.FileClose, int(n%3))
				case 1:
					s.file(workload.FileOpen, 0).object(workload.Create, 0, n, 2).object(workload.ObjectClose, 0, n, 2).
						file(workload.FileClose, 0)
				case 2:
					s.turn(workload.NoTurn, 0)
				case 3:
					s.turn(workload.AwaitTurn, int(n)-1).turn(workload.PassTurn, int(n)-1)
				case 4:
					s.file(workload.FileOpen, 1).object(workload.Create, 2, 0, n+1)
					s.object(workload.ObjectClose, 2, 0, n+1).file(workload.FileClose, 1)
				}
			}
			return s
		})
		for rank, err := range errs {
			if (err == nil) != (errs[0] == nil) || err != nil && err.Error() != errs[0].Error() {
				t.Errorf("%d: rank %d: %v, but rank 0: %v", seed, rank, err, errs[0])
			}
		}
	}
}

// Reads of data that another process has written are allowed; reads of data that no process has written are not.
func TestReadsOfWhatOthersHaveWritten(t *testing.T) {
	reads := func(write func(s *steps, rank int), read func(s *steps, rank int)) func(rank int) *steps {
		return func(rank int) *steps {
			s := newSteps().file(workload.FileOpen, 0).object(workload.Create, 0, 0, 10)
			write(s, rank)
			s.object(workload.ObjectClose, 0, 0, 10).file(workload.FileClose, 0).reading()
			s.file(workload.FileOpen, 0).object(workload.Open, 0, 0, 10)
			read(s, rank)
			return s.object(workload.ObjectClose, 0, 0, 10).file(workload.FileClose, 0)
		}
	}
	everything := func(s *steps, _ int) { s.move(independent, 0, 10) }
	for name, c := range map[string]struct {
		write func(s *steps, rank int)
		want  string
	}{
		"all": {everything, ""},
		"one": {func(s *steps, rank int) {
			if rank == 2 {
				everything(s, rank)
			}
		}, ""},
		"each its own": {func(s *steps, rank int) {
			for i := range 10 {
				if i%3 == rank {
					s.move(independent, uint64(i), 1)
				}
			}
		}, ""},
		"none": {func(*steps, int) {}, "line 8: dataset f:/d0 is read, but no step has written to it: write it " +
			"first, or leave the read out"},
		"nothing": {func(s *steps, _ int) { s.move(nothing, 0, 10) }, "line 10: dataset f:/d0 is read"},
		"all but one": {func(s *steps, rank int) {
			if rank == 1 {
				s.move(independent, 0, 4).move(independent, 5, 5)
			}
		}, "line 8: dataset f:/d4 is read"},
	} {
		for rank, err := range checked(3, reads(c.write, everything)) {
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("%s: rank %d: %v, want %s", name, rank, err, c.want)
			}
		}
	}
	errs := checked(3, reads(func(*steps, int) {}, func(s *steps, rank int) {
		if rank == 2 {
			s.move(independent, 3, 2)
		}
	}))
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "f:/d3") {
			t.Errorf("a read by rank 2: rank %d: %v", rank, err)
		}
	}
}
