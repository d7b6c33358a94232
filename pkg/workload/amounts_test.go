package workload_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// rows returns the program of a rank that writes count rows of a shared dataset, and a file that the rank has alone.
// The dataset has 10 rows for each rank.
func rows(t *testing.T, rank, ranks, count uint64) workload.Program {
	t.Helper()
	dims := []uint64{10 * ranks, 8}
	s, err := pattern.SelectBoxes(dims, 1, []uint64{10 * rank, 0}, []uint64{count, 8})
	if err != nil {
		t.Fatal(err)
	}
	step := func(class workload.StepClass, file, object int) workload.Step {
		return workload.Step{Batch: workload.Batch{
			Class: class, File: file, Object: object, Count: 1, NumTransfers: 1, Move: workload.NoMove,
		}}
	}
	transfer := step(workload.Transfer, 0, 0)
	transfer.Move = 0
	return workload.Program{
		Files: []workload.File{{Name: "all"}, {Name: "own", Group: workload.Self}},
		Objects: []workload.Object{
			{
				Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: "d",
				Type: workload.Byte, Dims: dims, Chunk: []uint64{7, 8},
				Filters: []workload.Filter{{Name: "deflate"}}, CompressionRatio: 2,
			},
			{Kind: workload.GroupObject, File: 1, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: "g"},
		},
		Attributes: []workload.Attributes{{Name: "a%d", Count: 3, Type: workload.Byte, Dims: []uint64{5}}},
		Moves: []workload.Move{{
			Listed: true, Selection: s, PlainSelection: s, Buffer: workload.Buffer{Slots: 1, SlotBytes: s.Bytes()},
		}},
		Parts: [2]workload.ProgramPart{{Dumps: []workload.Dump{{Epochs: []workload.Epoch{{Steps: []workload.Step{
			step(workload.FileOpen, 0, 0), step(workload.Create, 0, 0), transfer, step(workload.FileOpen, 1, 0),
			step(workload.Create, 1, 1), step(workload.Attribute, 1, 1),
			{Batch: workload.Batch{Class: workload.Compute}, Duration: time.Second},
		}}}}}}},
	}
}

func TestAmountsOfAllRanks(t *testing.T) {
	all, err := workload.AmountsOf(3, func(rank uint64) (workload.Program, error) {
		return rows(t, rank, 3, rank+1), nil
	})
	want := workload.Amounts{
		Ops: [2]workload.Amount{{
			Dumps: 1, Bytes: 8 + 16 + 24, MaxRankBytes: 24, Calls: 1, AllCalls: 3, Runs: 3, Files: 1 + 3, Groups: 3,
			Datasets: 1, NewDatasets: 1, Steps: 7, Compute: time.Second,
			Objects: [workload.NumClasses]uint64{workload.Create: 1 + 3, workload.Attribute: 9},
		}},
		Memory: 4096, DiskBytes: 5*7*8 + 3*3*5, Files: 1 + 3,
		Filtered: workload.FilteredBytes{Bytes: 5 * 7 * 8, AfterFilters: 5 * 7 * 4},
	}
	if d := cmp.Diff(want, all); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}

func TestObjectsThatAreFilesAreCounted(t *testing.T) {
	all, err := workload.AmountsOf(3, func(rank uint64) (workload.Program, error) {
		p := rows(t, rank, 3, rank+1)
		p.Files[1].ObjectFiles = true // each rank creates a group in a file of its own
		return p, nil
	})
	want := [workload.NumClasses]uint64{workload.Create: 3}
	if got := all.Ops[workload.Write].FileObjects; got != want || err != nil {
		t.Errorf("objects that are files %v, want %v; %v", got, want, err)
	}
}

func TestSomeRanksStandForAll(t *testing.T) {
	const ranks = 1_000_000
	seen := map[uint64]int{}
	all, err := workload.AmountsOf(ranks, func(rank uint64) (workload.Program, error) {
		seen[rank]++
		return rows(t, rank, ranks, 10), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o := all.Ops[workload.Write]
	if all.Sampled != uint64(len(seen)) || len(seen) < 1000 || len(seen) > 5000 {
		t.Errorf("%d of %d programs were made", all.Sampled, len(seen))
	}
	for _, rank := range []uint64{0, 1, ranks - 2, ranks - 1} {
		if seen[rank] != 1 {
			t.Errorf("the program of rank %d was made %d times", rank, seen[rank])
		}
	}
	if o.Bytes != 80*ranks || o.MaxRankBytes != 80 || o.Files != 1+ranks || o.Datasets != 1 ||
		o.Objects[workload.Attribute] != 3*ranks ||
		all.Files != 1+ranks {
		t.Errorf("%+v", all)
	}
}

// If all ranks divide a dataset by a rule, their bytes are exact, whatever else a rank does.
func TestBytesOfADividedDatasetAreExact(t *testing.T) {
	const rowBytes = 8
	divided := func(rank, ranks uint64, rule workload.Rule, among uint64, more uint64) workload.Program {
		p := rows(t, rank, ranks, 10+more)
		dims := p.Objects[0].Dims
		part, err := rule.Selection(dims, 1, rank%among, among)
		if err != nil {
			t.Fatal(err)
		}
		p.Moves = append(p.Moves, workload.Move{Listed: true, Rule: rule, Selection: part, PlainSelection: part})
		steps := &p.Parts[workload.Write].Dumps[0].Epochs[0].Steps
		second := (*steps)[2]
		second.Move = 1
		*steps = append(*steps, second)
		return p
	}
	block := workload.Rule{Name: workload.BlockRule}
	for _, ranks := range []uint64{16384, 65536, 1_000_000} {
		for name, c := range map[string]struct {
			program   func(rank uint64) workload.Program
			want      uint64
			estimated bool
		}{
			"all alike": {
				func(rank uint64) workload.Program { return divided(rank, ranks, block, ranks, 0) },
				2 * 10 * rowBytes * ranks, false,
			},
			"rank 0 has more besides": {
				func(rank uint64) workload.Program {
					return divided(rank, ranks, block, ranks, 1-min(rank, 1))
				},
				2*10*rowBytes*ranks + rowBytes, false,
			},
			"one half does other steps": {
				func(rank uint64) workload.Program {
					if rank%2 == 0 {
						return rows(t, rank, ranks, 10)
					}
					return divided(rank, ranks, block, ranks, 0)
				},
				0, true,
			},
			"each has a dataset of its own, alone": {
				func(rank uint64) workload.Program { return divided(rank, ranks, block, 1, 0) },
				(10*rowBytes + 10*rowBytes*ranks) * ranks, false,
			},
		} {
			all, err := workload.AmountsOf(ranks, func(rank uint64) (workload.Program, error) {
				return c.program(rank), nil
			})
			o := all.Ops[workload.Write]
			if err != nil || all.Sampled == 0 || o.Estimated != c.estimated || c.want > 0 && o.Bytes != c.want {
				t.Errorf("%s, %d ranks: %d bytes, want %d; estimated %v, %v", name, ranks, o.Bytes, c.want, o.Estimated,
					err)
			}
		}
	}
}

// Files that each rank has alone count once for each rank.
func TestBytesInOwnFilesAreThoseOfAllRanks(t *testing.T) {
	const ranks = 100_000
	all, err := workload.AmountsOf(ranks, func(rank uint64) (workload.Program, error) {
		p := rows(t, rank, ranks, 10)
		p.Moves[0].AllBytes = p.Moves[0].TransferBytes()
		p.Parts[workload.Write].Dumps[0].Epochs[0].Steps[2].File = 1
		return p, nil
	})
	if o := all.Ops[workload.Write]; err != nil || o.Bytes != 80*ranks || o.Estimated {
		t.Errorf("%d bytes, estimated %v, %v", o.Bytes, o.Estimated, err)
	}
}

// HDF5 was seen to store so much, in blocks of the file system. In a file that all ranks create, it allocates each
// dataset at once, and stores fill values unless a filter compresses them, or it is told not to.
func TestWhatIsNotWrittenTakesNoSpaceUnlessItIsFilled(t *testing.T) {
	dims := []uint64{4096, 4096}
	const chunkBytes, all = 64 * 64, 4096 * 4096
	plain := func(o *workload.Object) { o.Filters, o.CompressionRatio = nil, 0 }
	never := func(o *workload.Object) { plain(o); o.Fill.Time = "never" }
	for name, c := range map[string]struct {
		change func(o *workload.Object)
		others uint64 // rows of 64 columns that each rank but 0 writes
		want   uint64
	}{
		"rank 0 writes":           {func(*workload.Object) {}, 0, 4 * chunkBytes},
		"others write a chunk":    {func(*workload.Object) {}, 10, (4 + 999) * chunkBytes},
		"others write all":        {func(*workload.Object) {}, 4096, all},
		"no filters":              {plain, 0, all},
		"allocated when created":  {func(o *workload.Object) { o.Fill.Allocate = "early" }, 0, 4 * chunkBytes},
		"a filter that is no zip": {func(o *workload.Object) { o.Filters[0].Name = "shuffle" }, 0, all},
		"no fill values":          {never, 0, 4 * chunkBytes},
		"no chunks":               {func(o *workload.Object) { plain(o); o.Chunk = nil }, 0, 128 * 128},
		"no chunks, but a value": {func(o *workload.Object) {
			plain(o)
			o.Chunk, o.Fill.Value = nil, []byte{1}
		}, 0, all},
		"no chunks, but filled": {func(o *workload.Object) { plain(o); o.Chunk, o.Fill.Time = nil, "alloc" }, 0, all},
	} {
		got, err := workload.AmountsOf(1000, func(rank uint64) (workload.Program, error) {
			p := rows(t, 0, 1000, 1)
			p.Attributes[0].Count = 0
			o := &p.Objects[0]
			o.Dims, o.Chunk = dims, []uint64{64, 64}
			c.change(o)
			start, extent := []uint64{0, 0}, []uint64{128, 128}
			if rank > 0 {
				extent = []uint64{c.others, 64}
			}
			if extent[0] == 0 {
				start, extent = nil, nil
			}
			s, err := pattern.SelectBoxes(dims, 1, start, extent)
			p.Moves[0].Selection, p.Moves[0].PlainSelection = s, s
			return p, err
		})
		if err != nil || got.DiskBytes != c.want {
			t.Errorf("%s: %d bytes on disk, want %d; %v", name, got.DiskBytes, c.want, err)
		}
	}
}

// In files that a rank has alone, HDF5 allocates datasets later.
func TestWhatIsNotWrittenInOwnFilesTakesNoSpace(t *testing.T) {
	const ranks, chunkBytes, chunks, all = 1000, 7 * 8, 1429 * 7 * 8, 10_000 * 8
	for name, c := range map[string]struct {
		change func(o *workload.Object)
		writes bool
		want   uint64 // of each rank
	}{
		"with a filter": {func(*workload.Object) {}, true, chunkBytes},
		"chunks":        {func(o *workload.Object) { o.Filters = nil }, true, chunkBytes},
		"chunks, allocated when created": {func(o *workload.Object) {
			o.Filters, o.Fill.Allocate = nil, "early"
		}, true, chunks},
		"chunks, allocated at once": {func(o *workload.Object) {
			o.Filters, o.Fill.Allocate = nil, "late"
		}, true, chunks},
		"chunks, not written": {func(o *workload.Object) { o.Filters, o.Fill.Allocate = nil, "late" }, false, 0},
		"no chunks":           {func(o *workload.Object) { o.Filters, o.Chunk = nil, nil }, true, chunkBytes},
		"no chunks, filled": {func(o *workload.Object) {
			o.Filters, o.Chunk, o.Fill.Time = nil, nil, "alloc"
		}, true, all},
		"no chunks, not written": {func(o *workload.Object) {
			o.Filters, o.Chunk, o.Fill.Time = nil, nil, "alloc"
		}, false, 0},
	} {
		got, err := workload.AmountsOf(ranks, func(uint64) (workload.Program, error) {
			p := rows(t, 0, ranks, 7)
			p.Attributes[0].Count = 0
			p.Files[0].Group = workload.Self
			c.change(&p.Objects[0])
			if !c.writes {
				p.Moves[0].Selection, _ = pattern.SelectNothing(p.Objects[0].Dims, 8)
				p.Moves[0].PlainSelection = p.Moves[0].Selection
			}
			return p, nil
		})
		if err != nil || got.DiskBytes != c.want*ranks {
			t.Errorf("%s: %d bytes on disk, want %d; %v", name, got.DiskBytes, c.want*ranks, err)
		}
	}
}

// A rank creates a dataset alone, and all write it together afterwards.
func TestWhatOthersWriteTakesSpace(t *testing.T) {
	got, err := workload.AmountsOf(3, func(uint64) (workload.Program, error) {
		p := rows(t, 0, 3, 7)
		p.Attributes[0].Count = 0
		p.Files[1].Name = p.Files[0].Name
		steps := p.Parts[workload.Write].Dumps[0].Epochs[0].Steps
		steps[1].File = 1
		return p, nil
	})
	if want := uint64(3 * 5 * 7 * 8); err != nil || got.DiskBytes != want {
		t.Errorf("%d bytes on disk, want %d; %v", got.DiskBytes, want, err)
	}
}

// The work of rank 0 alone counts once, however few ranks were examined.
func TestRankZeroStandsForItself(t *testing.T) {
	const ranks = 1_000_000
	all, err := workload.AmountsOf(ranks, func(rank uint64) (workload.Program, error) {
		p := rows(t, rank, ranks, 10)
		if rank == 0 {
			epoch := &p.Parts[workload.Write].Dumps[0].Epochs[0]
			epoch.Steps = append(epoch.Steps, epoch.Steps[3]) // one file more
		}
		return p, nil
	})
	if err != nil || all.Sampled == 0 || all.Files != 1+1+ranks {
		t.Errorf("%d of ranks were looked at, %d files, %v", all.Sampled, all.Files, err)
	}
}

// If programs are long, the sample is small: rank 0 and a few others.
func TestFewLongProgramsStandForAll(t *testing.T) {
	for _, c := range []struct{ ranks, steps, programs uint64 }{
		{1_000_000, 10_000, 13}, {1_000_000, 50_000, 2}, {1_000_000, 300_000, 2}, {17, 300_000, 2}, {16, 300_000, 0},
	} {
		all, err := workload.AmountsOf(c.ranks, func(rank uint64) (workload.Program, error) {
			p := rows(t, rank, 1_000_000, 10)
			p.Parts[workload.Read].Dumps = []workload.Dump{{Epochs: []workload.Epoch{{
				Steps: make([]workload.Step, c.steps-7),
			}}}}
			return p, nil
		})
		if err != nil || all.Sampled != c.programs {
			t.Errorf("%d programs of %d steps were looked at, want %d; %v", all.Sampled, c.steps, c.programs, err)
		}
	}
}

func TestAmountsThatCannotBeCounted(t *testing.T) {
	wrong := errors.New("wrong")
	if _, err := workload.AmountsOf(5, func(rank uint64) (p workload.Program, err error) {
		if rank == 3 {
			err = wrong
		}
		return p, err
	}); !errors.Is(err, wrong) {
		t.Errorf("the error of a program: %v", err)
	}
	_, err := workload.AmountsOf(2, func(rank uint64) (workload.Program, error) {
		p := rows(t, rank, 2, 1)
		p.Parts[0].Dumps[0].Epochs[0].Steps[5].Count = 1 << 63
		return p, nil
	})
	if err == nil {
		t.Error("2^64 attributes are accepted")
	}
}
