package plan

import (
	"h5perf/pkg/fill"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Case is a combination of number of processes, transfer size and API. The cost of its methods does not depend on the
// number of processes.
type Case struct {
	Parameters   result.Parameters
	Processes    int
	TransferSize uint64
	API          string
	Workload     Workload          // nil: a sweep
	Values       []result.KeyValue // of --sweep
	SameAs       []result.KeyValue // see Part.SameAs
}

// Sweep returns the transfers of a rank in one file, without memory for their buffers.
func (c Case) Sweep(rank uint64) workload.Sweep {
	p, sequence := c.Parameters, c.FileSequence(rank)
	return workload.Sweep{
		Sequence: sequence, Nest: sequence.LoopNest(),
		Buffer: workload.Buffer{
			Slots: c.NumBuffers(), OneForReads: !p.Verify, SlotBytes: sequence.TransferBytes(), Grain: c.StampSpacing(),
		},
		Datasets: p.Datasets, DatasetBytes: c.DatasetBytes(), Chunk: c.ChunkExtent(), Extendible: p.Extendible,
		Collective: p.Mode == result.ModeCollective, ContiguousPart: c.HasContiguousParts(),
		FilePerProcess: p.FilesPerProcess, Slab: slabMethods[p.Selection],
		RootCreates:  p.Create == option.CreateFirst,
		SyncDatasets: p.Conditions.Sync == option.SyncPhase, SyncFile: p.Conditions.Sync == option.SyncClose,
	}
}

// HasContiguousParts reports whether each process accesses one contiguous range of each dataset in the file.
func (c Case) HasContiguousParts() bool {
	return c.Parameters.Geometry == result.Geometry1D && c.Parameters.Pattern == result.PatternContiguous
}

// ChunkExtent returns the extent of an HDF5 chunk in bytes, or nil for contiguous layout.
func (c Case) ChunkExtent() []uint64 {
	if !result.APIOf(c.API).HDF5 {
		return nil
	}
	return c.Parameters.ChunkSize
}

// FilesAtOnce returns the number of files that the processes access at the same time: one, or one per process.
func (c Case) FilesAtOnce() int { return c.Parameters.FilesAtOnce(c.Processes) }

// DatasetBytes returns the size of a dataset in a file, for all ranks that access the file.
func (c Case) DatasetBytes() uint64 {
	return c.FileSequence(0).DatasetBytes()
}

// FileDataBytes returns the size of the data in a file.
func (c Case) FileDataBytes() uint64 {
	return uint64(c.Parameters.Datasets) * c.DatasetBytes()
}

// IterationBytes returns the number of bytes that an iteration moves in one direction, for all files, datasets and
// ranks together.
func (c Case) IterationBytes() uint64 {
	return uint64(c.Parameters.Files) * uint64(c.FilesAtOnce()) * c.FileDataBytes()
}

// BufferBytes returns the size of the transfer buffer of a rank.
func (c Case) BufferBytes() uint64 {
	return c.FileSequence(0).TransferBytes()
}

// The minimum memory for the transfer buffers of a rank, which it uses in turn. If all transfers of a file need less,
// the buffers are smaller. The written data repeat after these bytes: then only their stamps differ.
const (
	minPoolBytes       = 8 << 20
	minCachedPoolBytes = 256 << 10 // stays in the second cache of a processor
)

// NumBuffers returns the number of transfer buffers of a rank. The number is so small that the buffers stay in a cache
// of the processor, unless the run verifies data or the transfer loop does not stamp the written data. Data from few
// buffers repeat, but the stamps make every 4 KiB different.
func (c Case) NumBuffers() uint64 {
	if c.HasCachedBuffers() {
		return c.NumCachedBuffers()
	}
	return c.buffersForBytes(minPoolBytes)
}

// HasCachedBuffers reports whether the buffers stay in a cache of the processor.
func (c Case) HasCachedBuffers() bool { return !c.Parameters.Verify && c.stampsInTransferLoop() }

// stampsInTransferLoop reports whether the transfer loop stamps the written data.
func (c Case) stampsInTransferLoop() bool {
	return c.Parameters.Conditions.Data == option.DataPosition && fill.Position.StampsInLoop(c.StampSpacing())
}

// NumCachedBuffers returns the number of transfer buffers of a rank for the case that they stay in a cache of the
// processor.
func (c Case) NumCachedBuffers() uint64 { return c.buffersForBytes(minCachedPoolBytes) }

// buffersForBytes returns the number of transfer buffers that hold at least that many bytes, but at most one per
// transfer.
func (c Case) buffersForBytes(bytes uint64) uint64 {
	transfers := c.FileSequence(0).NumTransfers() * uint64(c.Parameters.Datasets)
	return max(1, min((bytes-1)/c.BufferBytes()+1, transfers))
}

// StampSpacing returns the distance between stamps in the data, in bytes (see pkg/fill): the block size in the parallel
// tool, the size of a contiguous run in the serial tool, but at most a page.
func (c Case) StampSpacing() uint64 {
	if c.Parameters.BlockSize == 0 {
		return fill.StampDistance(c.FileSequence(0).LoopNest().RunBytes)
	}
	return fill.StampDistance(c.Parameters.BlockSize)
}
