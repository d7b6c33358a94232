//go:build cgo

package engine_test

import (
	"errors"
	"slices"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/kerneltest"
	"h5perf/pkg/workload"
)

// listedSet makes the kernels of a listed move.
func listedSet(t *testing.T, s pattern.Selection, f pattern.MemoryArrangement, whole bool) (*engine.KernelSet, error) {
	t.Helper()
	slot, err := f.MemoryBytes(s)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := engine.MapMemory(slot)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	set, err := engine.NewKernelSet(&engine.Env{Stop: stop}, &workload.Program{
		Objects: []workload.Object{{Count: 1}},
		Moves: []workload.Move{{
			Listed: true, PlainSelection: s, Form: f, Collective: whole,
			Buffer: workload.Buffer{Pool: pool, Slots: 1, SlotBytes: slot, Grain: 4096},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		set.Free()
		if err := engine.UnmapMemory(pool); err != nil {
			t.Error(err)
		}
	})
	return set, set.BuildPlainLists(func(*engine.Kernel) bool { return whole })
}

func must(t *testing.T) func(pattern.Selection, error) pattern.Selection {
	t.Helper()
	return func(s pattern.Selection, err error) pattern.Selection {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// Any number of identical runs or pieces share one entry.
func TestEntriesOfListsAreFew(t *testing.T) {
	dims := []uint64{1000, 1000}
	column := pattern.Hyperslab{
		Start: []uint64{0, 5}, Stride: []uint64{1, 1}, Count: []uint64{1, 1}, Block: []uint64{1000, 3},
	}
	for _, c := range []struct {
		name         string
		selection    pattern.Selection
		form         pattern.MemoryArrangement
		runs, pieces int
	}{
		{"all, dense", must(t)(pattern.SelectEverything(dims, 8)), pattern.MemoryArrangement{}, 1, 0},
		{
			"all, a member", must(t)(pattern.SelectEverything(dims, 8)),
			pattern.MemoryArrangement{Kind: pattern.Member, StructBytes: 24},
			1,
			1,
		},
		{
			"all, with margins", must(t)(pattern.SelectEverything(dims, 8)),
			pattern.MemoryArrangement{Kind: pattern.Ghost, GhostCells: 1},
			1, 1,
		},
		{"columns, dense", must(t)(pattern.SelectHyperslab(dims, 8, column)), pattern.MemoryArrangement{}, 1, 0},
		{
			"columns, every third", must(t)(pattern.SelectHyperslab(dims, 8, column)),
			pattern.MemoryArrangement{Kind: pattern.Strided, StrideElements: 3},
			1, 1,
		},
	} {
		set, err := listedSet(t, c.selection, c.form, false)
		if err != nil {
			t.Fatal(err)
		}
		if runs, pieces := kerneltest.Entries(set.KernelOf(0)); runs != c.runs || pieces != c.pieces {
			t.Errorf("%s: %d entries for runs and %d for pieces, want %d and %d", c.name, runs, pieces, c.runs,
				c.pieces)
		}
	}
}

func TestPointsOfOneCallAreSorted(t *testing.T) {
	points := []uint64{7, 1, 2, 9}
	s := must(t)(pattern.SelectPoints([]uint64{10}, 8, points))
	for _, whole := range []bool{false, true} {
		set, err := listedSet(t, s, pattern.MemoryArrangement{}, whole)
		if err != nil {
			t.Fatal(err)
		}
		want := []uint64{56, 8, 72} // 1 and 2 are one run
		if whole {
			slices.Sort(want)
		}
		if got := kerneltest.Offsets(set.KernelOf(0)); !slices.Equal(got, want) {
			t.Errorf("in one call: %v: offsets %v, want %v", whole, got, want)
		}
	}
}

func TestACollectiveTransferTwiceOfAPointIsRefused(t *testing.T) {
	s := must(t)(pattern.SelectPoints([]uint64{10}, 8, []uint64{7, 1, 7}))
	if _, err := listedSet(t, s, pattern.MemoryArrangement{}, true); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("a point twice in one call: %v", err)
	}
	if _, err := listedSet(t, s, pattern.MemoryArrangement{}, false); err != nil {
		t.Errorf("a point twice, in calls of their own: %v", err)
	}
}

// Runs that were not read are found by their last word, or by their first and last stamps.
func TestRunsThatWereNotReadAreFound(t *testing.T) {
	const tag, size = 77, 4096
	s := must(t)(pattern.SelectPoints([]uint64{10}, size, []uint64{1, 3, 5}))
	set, err := listedSet(t, s, pattern.MemoryArrangement{}, true)
	if err != nil {
		t.Fatal(err)
	}
	k := set.KernelOf(0)
	packed := make([]byte, 3*size)
	for _, stamping := range []bool{false, true} {
		kerneltest.BeginDataset(k, workload.Read, 0, 0, tag, stamping)
		fresh := func() {
			for i := range packed {
				packed[i] = 1
			}
			for i, offset := range []uint64{size, 3 * size, 5 * size} {
				kerneltest.Stamp(packed[size*i:][:16], tag, offset)
			}
		}
		fresh()
		if n := kerneltest.WasRead(k, packed); n != 3*size {
			t.Errorf("stamping %v: %d bytes of what was read", stamping, n)
		}
		kerneltest.Guard(k, packed)
		if n := kerneltest.WasRead(k, packed); n != 0 {
			t.Errorf("stamping %v: %d bytes where nothing was read", stamping, n)
		}
		fresh()
		clear(packed[2*size:])
		if n := kerneltest.WasRead(k, packed); n != 2*size {
			t.Errorf("stamping %v: %d bytes before a run of zeros", stamping, n)
		}
		fresh()
		packed[size]++
		if n := kerneltest.WasRead(k, packed); stamping != (n == size) {
			t.Errorf("stamping %v: %d bytes before a run of another place", stamping, n)
		}
	}
}

// Guards of runs of a few bytes would take as long as the read: one in 4096 bytes has one, and the last.
func TestFewShortRunsAreGuarded(t *testing.T) {
	const runs, bytes = 1000, 16
	s := must(t)(pattern.SelectHyperslab([]uint64{runs, 4}, bytes, pattern.Hyperslab{
		Start: []uint64{0, 1}, Stride: []uint64{1, 1}, Count: []uint64{1, 1}, Block: []uint64{runs, 1},
	}))
	set, err := listedSet(t, s, pattern.MemoryArrangement{}, true)
	if err != nil {
		t.Fatal(err)
	}
	k := set.KernelOf(0)
	kerneltest.BeginDataset(k, workload.Read, 0, 0, 0, false)
	packed := slices.Repeat([]byte{1}, runs*bytes)
	kerneltest.Guard(k, packed)
	var guarded []int
	for i := range runs {
		if packed[i*bytes+bytes-1] != 1 {
			guarded = append(guarded, i)
		}
	}
	if want := []int{255, 511, 767, 999}; !slices.Equal(guarded, want) {
		t.Errorf("runs with guards: %v, want %v", guarded, want)
	}
	for i := range 512 * bytes { // so many runs are read, and no more
		packed[i] = 1
	}
	if n := kerneltest.WasRead(k, packed); n != 512*bytes {
		t.Errorf("%d bytes were read, want %d", n, 512*bytes)
	}
}

// Planes with margins need several entries of pieces per run.
func TestPackedBytesAreThoseOfThePieces(t *testing.T) {
	s, f := must(t)(pattern.SelectEverything([]uint64{3, 4, 5}, 8)),
		pattern.MemoryArrangement{Kind: pattern.Ghost, GhostCells: 1}
	set, err := listedSet(t, s, f, true)
	if err != nil {
		t.Fatal(err)
	}
	pool := set.KernelOf(0).Move().Buffer.Pool
	for i := range pool {
		pool[i] = byte(i % 251)
	}
	pieces, err := pattern.ContiguousPieces(s, f)
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for p := range pieces {
		want = append(want, pool[p.Memory:][:p.Bytes]...)
	}
	kept := slices.Clone(pool)
	if got := kerneltest.PackAll(set.KernelOf(0)); !slices.Equal(got, want) {
		t.Errorf("packed %v, want %v", got, want)
	}
	for p := range pieces {
		clear(pool[p.Memory:][:p.Bytes])
	}
	if kerneltest.UnpackAll(set.KernelOf(0)); !slices.Equal(pool, kept) {
		t.Error("what was packed is not unpacked to where it was")
	}
}
