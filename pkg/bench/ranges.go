package bench

import (
	"cmp"
	"slices"
	"sort"

	"h5perf/pkg/engine"
	"h5perf/pkg/node"
	"h5perf/pkg/pattern"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// rangesReadByNode returns the parts of the current data file that the processes of this node will read; files lists
// the files on disk that make up the data file. If the parts are not known, it returns the zero value, which means the
// whole file. That is so with collective MPI-IO, where a process may read data for others, with HDF5 chunks, which may
// be anywhere in the file, and with data in several files. Without chunks, HDF5 stores the data in order: offsets are
// larger than in a plain file by at most the size of the metadata, which must be small compared with a run.
func (c *caseRun) rangesReadByNode(files []engine.FileSize) node.FileRanges {
	var whole node.FileRanges
	if !c.plan.HasRegularTransfers() || c.plan.Parameters.FilesPerProcess {
		return whole
	}
	together := c.plan.Parameters.Mode == result.ModeCollective && !c.plan.HasContiguousParts()
	planned, _ := c.firstRole().session.FileBytes(0)
	if together || c.plan.ChunkExtent() != nil || len(files) != 1 || files[0].Bytes < planned {
		return whole
	}
	var written []uint64
	if c.writesFiles() {
		written = c.transfersWritten
	}
	sources := make([]int, len(c.ranks))
	for i, rank := range c.ranks {
		sources[i] = c.sourceRankOf(rank)
	}
	runs := runsOfRanks(c.plan, sources, written)
	const little = 0.01
	for _, r := range runs {
		if float64(files[0].Bytes-planned) > little*float64(r.RunBytes) {
			return whole
		}
	}
	return rangesOfRuns(runs)
}

// runsOfRanks returns the runs that ranks read from a plain file. Runs at equal distances form one Nest, as its
// transfers. written holds the number of transfers that were done in each dataset; nil means all. If the last of them
// ends in the middle of a row of blocks, the result does not contain that row.
func runsOfRanks(p plan.Case, ranks []int, written []uint64) []pattern.LoopNest {
	file := p.FileSequence(0)
	var bases []uint64
	for _, rank := range ranks {
		bases = append(bases, p.FileSequence(uint64(rank)).LoopNest().Base)
	}
	slices.Sort(bases)
	var regular []pattern.NestLevel
	if step, ok := commonStride(bases); ok {
		regular, bases = []pattern.NestLevel{{Count: uint64(len(bases)), Stride: step}}, bases[:1]
	}
	if written == nil {
		written = slices.Repeat([]uint64{file.NumTransfers()}, p.Parameters.Datasets)
	}
	nest := file.LoopNest()
	var runs []pattern.LoopNest
	for k := 0; k < len(written); {
		alike := 1 // number of consecutive datasets with as many transfers
		for k+alike < len(written) && written[k+alike] == written[k] {
			alike++
		}
		levels := slices.Concat(firstTransfers(nest.Transfers, written[k]), nest.Runs, regular,
			[]pattern.NestLevel{{Count: uint64(alike), Stride: p.DatasetBytes()}})
		for _, base := range bases {
			if written[k] > 0 {
				runs = append(runs, joinLevels(base+uint64(k)*p.DatasetBytes(), nest.RunBytes, levels))
			}
		}
		k += alike
	}
	return runs
}

// commonStride returns the difference between neighbours in a list of ascending numbers, and reports whether it is the
// same for all neighbours.
func commonStride(numbers []uint64) (step uint64, same bool) {
	for i := 1; i < len(numbers); i++ {
		d := numbers[i] - numbers[i-1]
		if i > 1 && d != step {
			return 0, false
		}
		step = d
	}
	return step, len(numbers) > 0
}

// firstTransfers returns nested loops that do only the first n transfers of the loops in levels. It rounds n down to
// whole iterations of the outermost loop that can do at least one iteration.
func firstTransfers(levels []pattern.NestLevel, n uint64) []pattern.NestLevel {
	out := slices.Clone(levels)
	inner := numIterations(levels)
	for i := range out {
		inner /= max(1, out[i].Count)
		if out[i].Count = min(out[i].Count, n/max(1, inner)); out[i].Count > 0 {
			break
		}
		out[i].Count = 1
	}
	return out
}

// joinLevels returns one nest that contains the runs of all levels, in ascending order of offsets. It joins runs that
// follow each other without a gap.
func joinLevels(base, bytes uint64, levels []pattern.NestLevel) pattern.LoopNest {
	levels = slices.SortedFunc(slices.Values(levels), func(a, b pattern.NestLevel) int {
		return cmp.Compare(a.Stride, b.Stride)
	})
	levels = slices.DeleteFunc(levels, func(l pattern.NestLevel) bool { return l.Count == 1 })
	for len(levels) > 0 && levels[0].Stride == bytes {
		bytes *= levels[0].Count
		levels = levels[1:]
	}
	slices.Reverse(levels)
	return pattern.LoopNest{Base: base, Transfers: levels, RunBytes: bytes}
}

// numIterations returns the number of iterations of nested levels.
func numIterations(levels []pattern.NestLevel) uint64 {
	n := uint64(1)
	for _, l := range levels {
		n *= l.Count
	}
	return n
}

// rangesOfRuns returns the file ranges that the transfers of some nests cover.
func rangesOfRuns(runs []pattern.LoopNest) node.FileRanges {
	var p node.FileRanges
	ends := make([]uint64, len(runs)) // ends[i] is the number of ranges in nests 0 to i
	for i, r := range runs {
		n := numIterations(r.Transfers)
		p.Count += n
		p.Bytes += n * r.RunBytes
		ends[i] = p.Count
	}
	p.RangeAt = func(i uint64) node.FileRange {
		k := sort.Search(len(ends), func(k int) bool { return ends[k] > i })
		r := runs[k]
		return node.FileRange{Offset: r.RunOffset(i-(ends[k]-numIterations(r.Transfers)), 0), Bytes: r.RunBytes}
	}
	return p
}
