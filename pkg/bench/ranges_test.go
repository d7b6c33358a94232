package bench

import (
	"slices"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// bytesOf returns the offsets of the bytes of a file that ranks read, in order. It goes through each of their runs. If
// written is nil, all transfers count.
func bytesOf(p plan.Case, ranks []int, written []uint64) []uint64 {
	var all []uint64
	for k := range p.Parameters.Datasets {
		for _, rank := range ranks {
			s := p.FileSequence(uint64(rank))
			nest, n := s.LoopNest(), s.NumTransfers()
			if written != nil {
				n = written[k]
			}
			for t := range n {
				for r := range nest.RunsPerTransfer() {
					at := uint64(k)*p.DatasetBytes() + nest.RunOffset(t, r)
					for i := range nest.RunBytes {
						all = append(all, at+i)
					}
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

func TestRangesOfANode(t *testing.T) {
	contiguous := result.Parameters{
		Geometry: result.Geometry1D, Pattern: result.PatternContiguous, BytesPerProcess: 16, BlockSize: 2, Datasets: 3,
	}
	interleaved, square, columns := contiguous, contiguous, contiguous
	interleaved.Pattern = result.PatternInterleaved
	square.Geometry, columns.Geometry, columns.Pattern = result.Geometry2D, result.Geometry2D, result.PatternInterleaved
	square.BytesPerProcess, columns.BytesPerProcess = 4, 4
	chunks := square
	chunks.Layout = result.LayoutChunked
	box := result.Parameters{
		DatasetExtent: []uint64{4, 8}, BufferExtent: []uint64{2, 4}, DimensionOrder: []int{1, 2}, Datasets: 2,
	}
	for _, row := range []struct {
		name    string
		p       result.Parameters
		ranks   []int
		written []uint64
		count   uint64 // number of ranges
	}{
		{"all ranks", contiguous, []int{0, 1, 2, 3}, nil, 1},
		{"all ranks, interleaved", interleaved, []int{0, 1, 2, 3}, nil, 1},
		{"all ranks, 2D", square, []int{0, 1, 2, 3}, nil, 1},
		{"all ranks, 2D, interleaved", columns, []int{0, 1, 2, 3}, nil, 1},
		{"all ranks, chunks", chunks, []int{0, 1, 2, 3}, nil, 1},
		{"serial", box, []int{0}, nil, 1},
		{"a node", contiguous, []int{2, 3}, nil, 3},
		{"all ranks, shifted", contiguous, []int{3, 0, 1, 2}, nil, 1},
		{"a node, shifted", contiguous, []int{3, 0}, nil, 6},
		{"every other rank", contiguous, []int{1, 3}, nil, 6},
		{"no order", contiguous, []int{0, 1, 3}, nil, 9},
		{"interleaved", interleaved, []int{1, 2}, nil, 3 * 8},
		{"2D", square, []int{1, 2}, nil, 3},
		{"2D, interleaved", columns, []int{1, 2}, nil, 3 * 16 * 2},
		{"chunks", chunks, []int{1, 2}, nil, 3},
		{"a time limit", contiguous, []int{2, 3}, []uint64{4, 2, 0}, 1 + 2},
		{"a time limit, alike", contiguous, []int{2, 3}, []uint64{2, 2, 2}, 6},
		{"a time limit, interleaved", interleaved, []int{1, 2}, []uint64{1, 3, 3}, 7 * 2},
		{"a time limit, all ranks", interleaved, []int{0, 1, 2, 3}, []uint64{4, 3, 0}, 2},
		{"a time limit, 2D", square, []int{1}, []uint64{4, 8, 4}, 3},
		{"a time limit in a row, 2D", square, []int{1}, []uint64{1, 2, 3}, 3 * 2},
	} {
		p := plan.Case{Parameters: row.p, Processes: 4, TransferSize: 4, API: result.POSIX}
		parts := rangesOfRuns(runsOfRanks(p, row.ranks, row.written))
		var got []uint64
		for i := range parts.Count {
			r := parts.RangeAt(i)
			for b := range r.Bytes {
				got = append(got, r.Offset+b)
			}
		}
		slices.Sort(got)
		if want := bytesOf(p, row.ranks, row.written); !slices.Equal(got, want) || parts.Bytes != uint64(len(want)) {
			t.Errorf("%s: bytes %v (%d), want %v", row.name, got, parts.Bytes, want)
		}
		if parts.Count != row.count {
			t.Errorf("%s: %d ranges, want %d", row.name, parts.Count, row.count)
		}
	}
}

func TestARowThatATimeLimitCutsIsLeftOut(t *testing.T) {
	p := plan.Case{Processes: 4, TransferSize: 4, API: result.POSIX, Parameters: result.Parameters{
		Geometry: result.Geometry2D, Pattern: result.PatternContiguous, BytesPerProcess: 4, BlockSize: 2, Datasets: 1,
	}}
	all := bytesOf(p, []int{2}, []uint64{7})
	parts := rangesOfRuns(runsOfRanks(p, []int{2}, []uint64{7})) // a row has 4 transfers
	if r := parts.RangeAt(0); parts.Count != 1 || parts.Bytes != 32 || r.Offset != all[0] || r.Bytes != 32 {
		t.Errorf("%d bytes, %+v", parts.Bytes, r)
	}
}

func TestWhereThePlacesAreNotKnownTheWholeFileCounts(t *testing.T) {
	const size = 1 << 20 // bytes of each process
	for _, row := range []struct {
		name   string
		change func(*caseRun)
		files  []uint64
		at     uint64 // offset of the part; 0: the whole file
	}{
		{"plain", func(*caseRun) {}, []uint64{4 * size}, 2 * size},
		{"shifted", func(c *caseRun) { c.plan.Parameters.Conditions.Shift = new(-1) }, []uint64{4 * size}, size},
		{
			"collective", func(c *caseRun) { c.plan.Parameters.Mode = result.ModeCollective },
			[]uint64{4 * size},
			2 * size,
		},
		{"collective, interleaved", func(c *caseRun) {
			c.plan.Parameters.Mode, c.plan.Parameters.Pattern = result.ModeCollective, result.PatternInterleaved
		}, []uint64{4 * size}, 0},
		{
			"interleaved", func(c *caseRun) { c.plan.Parameters.Pattern = result.PatternInterleaved },
			[]uint64{4 * size},
			2 << 10,
		},
		{"little metadata", func(c *caseRun) { c.plan.API = result.PHDF5 }, []uint64{4*size + 2048}, 2 * size},
		{"much metadata", func(c *caseRun) { c.plan.API = result.PHDF5 }, []uint64{5 * size}, 0},
		{"metadata as large as runs", func(c *caseRun) {
			c.plan.API, c.plan.Parameters.Pattern = result.PHDF5, result.PatternInterleaved
		}, []uint64{4*size + 2048}, 0},
		{"chunks", func(c *caseRun) {
			c.plan.API, c.plan.Parameters.ChunkSize = result.PHDF5, []uint64{1 << 10}
		}, []uint64{4*size + 2048}, 0},
		{"too short", func(c *caseRun) { c.plan.API = result.PHDF5 }, []uint64{size}, 0},
		{"two files", func(c *caseRun) { c.plan.API = result.PHDF5 }, []uint64{4 * size, 2048}, 0},
	} {
		c := &caseRun{
			caseGroup: &caseGroup{work: mpi.MemoryWorld(4)[2], ranks: []int{2, 3}},
			plan: plan.Case{Processes: 4, TransferSize: 1 << 10, API: result.POSIX, Parameters: result.Parameters{
				Geometry: result.Geometry1D, Pattern: result.PatternContiguous, BytesPerProcess: size,
				BlockSize: 1 << 10, Datasets: 1,
			}},
		}
		row.change(c)
		session, err := null.New(null.Options{}).Prepare(engine.Env{}, c.plan.Sweep(0).Program())
		if err != nil {
			t.Fatal(err)
		}
		c.roles[workload.Read] = &ioRole{session: session}
		var files []engine.FileSize
		for _, bytes := range row.files {
			files = append(files, engine.FileSize{Bytes: bytes})
		}
		parts := c.rangesReadByNode(files)
		switch {
		case row.at == 0 && parts.RangeAt != nil:
			t.Errorf("%s: %+v, want the whole file", row.name, parts.RangeAt(0))
		case row.at > 0 && (parts.Bytes != 2*size || parts.RangeAt(0).Offset != row.at):
			t.Errorf("%s: %d bytes from %d, want %d", row.name, parts.Bytes, parts.RangeAt(0).Offset, row.at)
		}
	}
}

func TestRangesCostTheSameForAnyNumberOfRanks(t *testing.T) {
	const processes = 1 << 20
	ranks := make([]int, 128)
	for i := range ranks {
		ranks[i] = 5000 + i
	}
	p := plan.Case{Processes: processes, TransferSize: 1 << 20, API: result.POSIX, Parameters: result.Parameters{
		Geometry: result.Geometry1D, Pattern: result.PatternInterleaved, BytesPerProcess: 1 << 30, BlockSize: 1 << 10,
		Datasets: 100,
	}}
	parts := rangesOfRuns(runsOfRanks(p, ranks, nil))
	last := parts.RangeAt(parts.Count - 1)
	if want := uint64(100) << 37; parts.Bytes != want || last.Bytes != 128<<10 ||
		last.Offset != 100<<50-(processes-5000)<<10 {
		t.Errorf("%d ranges of %d bytes, the last %+v; want %d bytes", parts.Count, parts.Bytes, last, want)
	}
	allocated := testing.AllocsPerRun(1, func() { rangesOfRuns(runsOfRanks(p, ranks, nil)) })
	if allocated > 3000 {
		t.Errorf("%v allocations for 128 ranks", allocated)
	}
}
