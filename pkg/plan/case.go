package plan

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
)

// Case is one number of processes, transfer size and API. All its methods cost the same for every rank of every job.
type Case struct {
	Parameters result.Parameters
	Processes  int
	Transfer   uint64
	API        string
}

// Pattern is the access pattern of the case.
func (c Case) Pattern() pattern.Parallel {
	return pattern.Parallel{
		Processes: uint64(c.Processes), Bytes: c.Parameters.BytesPerProcess, Transfer: c.Transfer,
		Block: c.Parameters.BlockBytes, TwoD: c.Parameters.Geometry == geometry2D,
		Interleaved: c.Parameters.Pattern == patternInterleaved,
	}
}

// FileSequence is the transfers of a rank in one dataset: for HDF5 as selections of the dataset, for POSIX and MPI-IO as the
// plain file is laid out, which with chunked layout is a sequence of chunks.
func (c Case) FileSequence(rank uint64) pattern.Sequence {
	if c.Parameters.Layout == layoutChunked && c.API != PHDF5 {
		return c.Pattern().ChunkSequence(rank)
	}
	return c.Pattern().Sequence(rank)
}

// View is the MPI-IO view that the case needs.
func (c Case) View() engine.View {
	if c.API != MPIIO || c.Parameters.Mode != modeCollective {
		return engine.NoView
	}
	if c.Parameters.View == viewTransfer {
		// The C tool sets a view in all patterns but this one, also where a transfer is a single run.
		if c.Parameters.Geometry == geometry1D && c.Parameters.Pattern == patternContiguous {
			return engine.NoView
		}
		return engine.ViewTransfer
	}
	nest := c.FileSequence(0).Nest() // of the same shape on all ranks
	switch {
	case nest.RunsPerTransfer() == 1:
		return engine.NoView
	case nest.Monotonic():
		return engine.ViewDataset
	}
	return engine.ViewTransfer
}

// Chunk is the extent of an HDF5 chunk; nil is contiguous layout.
func (c Case) Chunk() []uint64 {
	if c.API != PHDF5 {
		return nil
	}
	return c.Parameters.ChunkBytes
}

// DatasetBytes is the size of a dataset, all ranks together.
func (c Case) DatasetBytes() uint64 {
	p := c.Pattern()
	if p.TwoD {
		return p.Side() * p.Side()
	}
	return p.Side()
}

// FileDataBytes is the data in a file.
func (c Case) FileDataBytes() uint64 {
	return uint64(c.Parameters.Datasets) * c.DatasetBytes()
}

// Bytes is what an iteration moves one way, all files, datasets and ranks together.
func (c Case) Bytes() uint64 {
	return uint64(c.Parameters.Files) * c.FileDataBytes()
}

// BufferBytes is the size of the transfer buffer of a rank.
func (c Case) BufferBytes() uint64 {
	p := c.Pattern()
	if p.TwoD {
		return p.Transfer * p.Block
	}
	return p.Transfer
}

// MPIPosix tells whether HDF5 is to use the sec2 driver in every process.
func (c Case) MPIPosix() bool { return c.Parameters.Driver == driverMPIPosix }
