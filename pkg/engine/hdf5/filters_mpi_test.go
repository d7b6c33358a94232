//go:build cgo && !nompi

package hdf5_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// filtered prepares the engine for a dataset with a filter, and calls body with the session or the error of Prepare.
func filtered(
	t *testing.T, world mpi.Comm, a access, op workload.Op, body func(*enginetest.Session, enginetest.Spec, error),
) {
	t.Helper()
	spec := newSpec(t, world, small, a.set)
	spec.DataMayBeZeros = true
	program := spec.Program()
	program.Objects[0].Filters = []workload.Filter{{Name: "deflate", Level: 1}}
	program.Parts = [2]workload.ProgramPart{}
	program.Parts[op].Begin = []workload.Epoch{{Steps: []workload.Step{
		{Batch: workload.Batch{Class: workload.Transfer, Op: op, Count: 1}},
	}}}
	session, err := hdf5.New().Prepare(spec.Env, program)
	body(&enginetest.Session{Session: session}, spec, err)
	if err == nil {
		must(t, session.Close())
	}
	must(t, engine.UnmapMemory(spec.Buffer.Pool))
}

// Parallel HDF5 writes datasets with filters only collectively. It reads them collectively or independently.
func testIndependentWritesWithFiltersAreRefused(t *testing.T, world mpi.Comm) {
	for _, c := range []struct {
		collective bool
		op         workload.Op
		taken      bool
	}{{true, workload.Write, true}, {false, workload.Write, false}, {false, workload.Read, true}} {
		a := access{chunk: 512, collective: c.collective}
		filtered(t, world, a, c.op, func(_ *enginetest.Session, _ enginetest.Spec, err error) {
			if (err == nil) != c.taken || err != nil &&
				(!errors.Is(err, engine.ErrUnsupported) ||
					!strings.Contains(err.Error(), "Dataset_1 with the filter deflate")) {
				t.Errorf("%+v: %v", c, err)
			}
		})
	}
}

// Parallel HDF5 does not write what has a variable length to a file that processes have opened together. It reads it,
// and a process that has opened a file by itself writes it.
func testSharedWritesOfVariableLengthAreRefused(t *testing.T, world mpi.Comm) {
	for _, c := range []struct {
		op    workload.Op
		group workload.RankGroup
		taken bool
	}{
		{workload.Write, workload.All, false},
		{workload.Read, workload.All, true},
		{workload.Write, workload.Root, true},
	} {
		spec := newSpec(t, world, small, access{}.set)
		program := spec.Program()
		program.Objects[0].Type, program.Objects[0].Dims = variableText, []uint64{2}
		program.Files[0].Group = c.group
		all, err := pattern.SelectEverything(program.Objects[0].Dims, variableText.Bytes())
		must(t, err)
		program.Moves[0] = workload.Move{
			Listed: true, Selection: all, PlainSelection: all,
			Buffer: workload.Buffer{Pool: spec.Buffer.Pool, Slots: 1, SlotBytes: all.Bytes(), Grain: 4},
		}
		program.Parts = [2]workload.ProgramPart{}
		program.Parts[c.op].Begin = []workload.Epoch{{Steps: []workload.Step{
			{Batch: workload.Batch{Class: workload.Transfer, Op: c.op, Count: 1}},
		}}}
		session, err := hdf5.New().Prepare(spec.Env, program)
		if c.taken {
			must(t, err)
			must(t, session.Close())
		} else if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "variable length; let one") {
			t.Errorf("%v by %v: %v", c.op, c.group, err)
		}
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}

// HDF5 1.10 decodes small chunks that it has stored unfiltered. It may then read a size of gigabytes from their data.
func testSmallChunksAreTriedOutInAMoment(t *testing.T, world mpi.Comm) {
	for _, filters := range [][]workload.Filter{
		{{Name: "szip", Level: 4}}, {{Name: "shuffle"}, {Name: "szip", Level: 4}},
	} {
		spec := newSpec(t, world, small, access{chunk: 20, collective: true}.set)
		program := spec.Program()
		o := &program.Objects[0]
		o.Type, o.Filters = workload.Type{Class: workload.Signed, Size: 4}, filters
		o.Dims, o.Chunk = []uint64{40}, []uint64{5}
		program.Moves[0].Collective = true
		program.Parts = [2]workload.ProgramPart{}
		program.Parts[workload.Write].Begin = []workload.Epoch{{Steps: []workload.Step{
			{Batch: workload.Batch{Class: workload.Transfer, Op: workload.Write, Count: 1}},
		}}}
		spec.Dir = t.TempDir()
		begin := time.Now()
		err := hdf5.New().(engine.LibraryTester).TestWrites(spec.Env, program, filepath.Join(spec.Dir, "tried"))
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%v: %v, error %v", filters, took, err)
		}
		if err != nil && !strings.Contains(err.Error(), "cannot read back what it wrote") {
			t.Errorf("%v: %v", filters, err)
		}
		begin = time.Now()
		times, err := hdf5.New().(engine.FilterTimer).TimeFilters(spec.Env, program, filepath.Join(spec.Dir, "timed"))
		took := time.Since(begin)
		if err != nil || len(times) != 1 || times[0].Bytes != 256*20 || took > 20*time.Second {
			t.Errorf("%v: times %+v after %v, error %v", filters, times, took, err)
		}
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}

// A collective read of chunks that do not exist transfers nothing. HDF5 1.10 reports it as collective, HDF5 1.14
// reports no mode.
func testNothingToTransferIsNotIndependent(t *testing.T, world mpi.Comm) {
	path := filepath.Join(mpitest.Dir(t, world), "x.h5")
	a := access{chunk: 512, collective: true}
	filtered(t, world, a, workload.Write, func(s *enginetest.Session, spec enginetest.Spec, err error) {
		must(t, err)
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			f, err := s.Open(path, op)
			must(t, err)
			set, err := f.Dataset(0, 0, false)
			must(t, err)
			if op == workload.Read {
				must(t, set.Transfer(spec.Sequence.NumTransfers()))
			}
			must(t, set.Close())
			must(t, f.Close())
		}
		if u := s.Report().Collective[workload.Read]; u == nil || u.Mixed+u.Independent > 0 ||
			u.LocalCauses != nil || u.GlobalCauses != nil {
			t.Errorf("collective reads of nothing: %+v", u)
		}
	})
}

// HDF5, up to 2.1 at least, does not update the mark for unfiltered chunks if a chunk is written again with the same
// size.
func testChunksThatAreWrittenInPartsAreTriedOut(t *testing.T, world mpi.Comm) {
	szip, deflate := workload.Filter{Name: "szip", Level: 2}, workload.Filter{Name: "deflate", Level: 1}
	dims, chunk := []uint64{4, 3, 5}, []uint64{2, 1, 4}
	rows := func(start, count uint64) pattern.Selection {
		s, err := pattern.SelectHyperslab(dims, 2, pattern.Hyperslab{
			Start: []uint64{start, 0, 0}, Stride: dims, Count: []uint64{1, 1, 1}, Block: []uint64{count, 3, 5},
		})
		must(t, err)
		return s
	}
	everything, err := pattern.SelectEverything(dims, 2)
	must(t, err)
	for name, c := range map[string]struct {
		filter  workload.Filter
		group   workload.RankGroup
		parts   []pattern.Selection // written one after another, with a sync between them
		refused bool
	}{
		"a part in turns":          {szip, workload.TurnGroup, []pattern.Selection{rows(0, 1)}, true},
		"the whole in turns":       {szip, workload.TurnGroup, []pattern.Selection{everything}, true},
		"whole chunks in turns":    {szip, workload.TurnGroup, []pattern.Selection{rows(0, 2)}, false},
		"with deflate":             {deflate, workload.TurnGroup, []pattern.Selection{rows(0, 1)}, false},
		"parts by one rank":        {szip, workload.Self, []pattern.Selection{rows(0, 1), rows(1, 3)}, true},
		"one part by one rank":     {szip, workload.Self, []pattern.Selection{rows(0, 1)}, false},
		"whole chunks by one rank": {szip, workload.Self, []pattern.Selection{rows(0, 2), rows(2, 2)}, false},
	} {
		spec := newSpec(t, world, small, access{chunk: 20, collective: true}.set)
		program := spec.Program()
		program.Files[0].Group = c.group
		o := &program.Objects[0]
		o.Type, o.Filters = workload.Type{Class: workload.BitField, Size: 2}, []workload.Filter{c.filter}
		o.Dims, o.Chunk = dims, chunk
		var steps []workload.Step
		program.Moves = nil
		for i, part := range c.parts {
			program.Moves = append(program.Moves, workload.Move{
				Listed: true, Selection: part, PlainSelection: part, Collective: true, Buffer: spec.Buffer,
			})
			steps = append(steps,
				workload.Step{Batch: workload.Batch{Class: workload.Transfer, Count: 1, Move: i}},
				workload.Step{Batch: workload.Batch{Class: workload.Sync}})
		}
		program.Parts = [2]workload.ProgramPart{{Begin: []workload.Epoch{{Steps: steps}}}}
		spec.Dir = t.TempDir()
		err := hdf5.New().(engine.LibraryTester).TestWrites(spec.Env, program, filepath.Join(spec.Dir, "tried"))
		refused := c.refused && strings.HasPrefix(h5.Version(), "1.") // HDF5 2 may have fixed it
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "in a file opened again") {
			t.Errorf("%s: %v", name, err)
		}
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}
