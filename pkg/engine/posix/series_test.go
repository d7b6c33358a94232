//go:build cgo

package posix_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// seriesProgram returns a program with three listed moves of 8 bytes in one dataset of 24 bytes. Each has its slot of
// the pool.
func seriesProgram(t *testing.T, pool []byte) workload.Program {
	t.Helper()
	p := workload.Program{
		Files:   []workload.File{{Name: "data"}},
		Objects: []workload.Object{{Count: 1, PerGroup: 1}},
	}
	for i := range uint64(3) {
		s, err := pattern.SelectHyperslab([]uint64{24}, 1, pattern.Hyperslab{
			Start: []uint64{8 * i}, Stride: []uint64{1}, Count: []uint64{1}, Block: []uint64{8},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Moves = append(p.Moves, workload.Move{
			Listed: true, Selection: s, PlainSelection: s,
			Buffer: workload.Buffer{Pool: pool[8*i : 8*i+8], Slots: 1, SlotBytes: 8, Grain: 4096},
		})
	}
	return p
}

// A series is what its transfers are, one after another: if one fails, those before it have been done, and the error is
// about that one.
func TestASeriesEndsWithTheTransferThatFails(t *testing.T) {
	pool, err := engine.MapMemory(24)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.UnmapMemory(pool) }()
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	for i := range pool {
		pool[i] = byte(i + 1)
	}
	written := slices.Clone(pool)
	dir := t.TempDir()
	session, err := posix.New().Prepare(engine.Env{Comm: mpi.Self{}, Stop: stop, Dir: dir}, seriesProgram(t, pool))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	do := func(class workload.StepClass, op workload.Op, move, series int) error {
		return session.Do(&workload.Batch{
			Class: class, Op: op, Path: filepath.Join(dir, "series"), Count: 1, Move: move, NumTransfers: 1,
			BeginsAndEnds: true, SeriesMoves: series,
		})
	}
	for _, step := range []struct {
		class  workload.StepClass
		op     workload.Op
		series int
	}{
		{workload.FileOpen, workload.Write, 0},
		{workload.Transfer, workload.Write, 2},
		{workload.FileClose, workload.Write, 0},
	} {
		if err := do(step.class, step.op, 0, step.series); err != nil {
			t.Fatal(err)
		}
	}
	clear(pool)
	if err := do(workload.FileOpen, workload.Read, 0, 0); err != nil {
		t.Fatal(err)
	}
	err = do(workload.Transfer, workload.Read, 0, 3)
	if e, is := errors.AsType[*engine.CallError](err); !is || e.Offset != 16 || e.Moved != 0 {
		t.Errorf("a read of three parts, of which two are in the file: %v", err)
	}
	if !slices.Equal(pool[:16], written[:16]) {
		t.Errorf("read %v, want %v", pool[:16], written[:16])
	}
	if p := session.Report(); p.Calls != 4 {
		t.Errorf("%d calls, want 2 writes and 2 reads", p.Calls)
	}
	stop.Set()
	if err := do(workload.Transfer, workload.Read, 0, 2); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("a series after the signal to stop: %v", err)
	}
	if err := do(workload.FileClose, workload.Read, 0, 0); err != nil {
		t.Error(err)
	}
}
