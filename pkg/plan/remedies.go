package plan

import (
	"cmp"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// sizeOption is an option of the parallel tool that gives a size.
type sizeOption struct {
	name  string
	given bool
	used  uint64
	other []uint64 // values that may fit better
	set   func(*Options, uint64)
}

// remedies returns the changes of sizes that may help a plan of the parallel tool, by option: those that are given come
// first. The plan was refused.
func remedies(o Options, p Plan) [][]remedy[Options] {
	s := p.Parameters
	options := []sizeOption{
		{
			"-x", o.MinTransfer != nil, s.MinTransferBytes, otherTransfers(o, p),
			func(o *Options, n uint64) { o.MinTransfer = &n },
		},
		{
			"-X", o.MaxTransfer != nil, s.MaxTransferBytes, p.Steps[0].Transfers,
			func(o *Options, n uint64) { o.MaxTransfer = &n },
		},
		{
			"-B", o.Block != nil, s.BlockBytes, divisors(commonDivisor(s.MinTransferBytes, s.BytesPerProcess)),
			func(o *Options, n uint64) { o.Block = &n },
		},
		{
			"-e", o.BytesPerProcess != nil, s.BytesPerProcess, otherBytes(o, s),
			func(o *Options, n uint64) { o.BytesPerProcess = &n },
		},
	}
	if o.Chunked {
		options = append(options, sizeOption{
			"--chunk-size", o.ChunkSize != nil, cmp.Or(slices.Max(s.ChunkBytes), s.BlockBytes),
			append(doubling(1, maxChunk), s.BlockBytes, s.BytesPerProcess),
			func(o *Options, n uint64) { o.ChunkSize = []uint64{n} },
		})
	}
	slices.SortStableFunc(options, func(a, b sizeOption) int {
		return either(a.given, 0, 1) - either(b.given, 0, 1)
	})
	var all [][]remedy[Options]
	for _, option := range options {
		var of []remedy[Options]
		for _, n := range nearest(option.used, option.other) {
			changed := o
			option.set(&changed, n)
			of = append(of, remedy[Options]{option.name + " " + units.FormatSize(n), changed})
		}
		all = append(all, of)
	}
	return all
}

// otherTransfers returns transfer sizes that fit the bytes per process and, if one is given, the block.
func otherTransfers(o Options, p Plan) []uint64 {
	s := p.Parameters
	whole := s.BytesPerProcess
	if s.Geometry == result.Geometry2D {
		whole = 0
		for _, step := range p.Steps {
			if step.Skip == "" {
				whole = commonDivisor(whole, times(s.BytesPerProcess, uint64(step.Processes)))
			}
		}
	}
	unit := max(1, value(o.Block))
	if whole%unit != 0 {
		return nil
	}
	sizes := divisors(whole / unit)
	for i := range sizes {
		sizes[i] *= unit
	}
	return sizes
}

// otherBytes returns bytes per process that may fit transfers and blocks, or the room that there is. They lower no
// transfer size and no block that are given.
func otherBytes(o Options, s result.Parameters) []uint64 {
	e := s.BytesPerProcess
	sizes := multiples(e, 1)
	for _, unit := range []uint64{s.MinTransferBytes, s.MaxTransferBytes, s.BlockBytes, e} {
		sizes = slices.Concat(sizes, multiples(e, unit), multiples(e, times(unit, 2)))
	}
	for ; e > 0; e /= 2 {
		sizes = append(sizes, e)
	}
	least := max(value(o.Block), either(o.TwoD, 0, value(o.MinTransfer)))
	return slices.DeleteFunc(sizes, func(n uint64) bool { return n < least })
}

// remediesSerial returns the changes of sizes that may help a plan of the serial tool, by option.
func remediesSerial(o SerialOptions) [][]remedy[SerialOptions] {
	if o.Dataset == nil {
		o.Dataset = []uint64{defaultDataset}
	}
	list := func(name string, lists [][]uint64, set func(*SerialOptions, []uint64)) (all []remedy[SerialOptions]) {
		for _, extent := range lists {
			changed := o
			set(&changed, extent)
			all = append(all, remedy[SerialOptions]{name + " " + sizeList(extent), changed})
		}
		return all
	}
	dataset, buffer := slices.Clone(o.Dataset), o.Buffer
	for d := range dataset {
		dataset[d] = max(1, dataset[d])
	}
	if buffer == nil {
		buffer = bufferFor(dataset)
	}
	if len(buffer) != len(dataset) || o.Chunk != nil && len(o.Chunk) != len(dataset) {
		return nil
	}
	return [][]remedy[SerialOptions]{
		list("-x", otherBuffers(buffer, dataset), func(o *SerialOptions, b []uint64) { o.Buffer = b }),
		list("-c", otherChunks(o.Chunk, dataset), func(o *SerialOptions, c []uint64) { o.Chunk = c }),
		list("-e", otherDatasets(dataset, buffer), func(o *SerialOptions, e []uint64) { o.Dataset = e }),
	}
}

// otherBuffers returns transfer buffers that fit a dataset.
func otherBuffers(buffer, dataset []uint64) [][]uint64 {
	fitting := slices.Clone(buffer)
	for d, extent := range dataset {
		if buffer[d] == 0 || extent%buffer[d] != 0 {
			fitting[d] = append(nearest(buffer[d], divisors(extent)), 1)[0]
		}
	}
	all := [][]uint64{fitting, bufferFor(dataset)}
	last := len(dataset) - 1
	for _, n := range nearest(fitting[last], divisors(dataset[last])) {
		other := slices.Clone(fitting)
		other[last] = n
		all = append(all, other)
	}
	return all
}

// otherChunks returns chunks that are at most as large as a dataset and as HDF5 allows; none without chunks.
func otherChunks(chunk, dataset []uint64) [][]uint64 {
	if chunk == nil {
		return nil
	}
	fitting := slices.Clone(chunk)
	for d, extent := range dataset {
		fitting[d] = max(1, min(chunk[d], extent))
	}
	for !fits(maxChunk, fitting...) {
		largest := slices.Index(fitting, slices.Max(fitting))
		fitting[largest] /= 2
	}
	return [][]uint64{fitting}
}

// otherDatasets returns datasets that fit a transfer buffer, or the room that there is.
func otherDatasets(dataset, buffer []uint64) [][]uint64 {
	up, down := make([]uint64, len(dataset)), make([]uint64, len(dataset))
	for d := range dataset {
		unit := max(1, buffer[d])
		down[d] = max(unit, dataset[d]/unit*unit)
		if up[d] = down[d]; up[d] < dataset[d] {
			up[d] += unit
		}
	}
	all := [][]uint64{up, down}
	for _, n := range nearest(up[0], multiples(up[0], max(1, buffer[0]))) {
		other := slices.Clone(up)
		other[0] = n
		all = append(all, other)
	}
	return all
}
