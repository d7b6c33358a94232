//go:build cgo

package hdf5

import (
	"fmt"
	"math"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
)

// check refuses what the library cannot do, with what it would say.
func check(spec engine.Spec) error {
	if spec.Driver == "" && spec.Comm.Handle() == nil {
		return fmt.Errorf("parallel HDF5: %w: built without MPI", engine.ErrUnsupported)
	}
	if err := h5.Check(); err != nil {
		return err
	}
	for _, refused := range []struct {
		is           bool
		what, reason string
	}{
		{spec.MPIPosix && spec.Collective, "collective mode of MPI-POSIX", "that driver has none"},
		{
			spec.MPIPosix && (positive(spec.SieveBuffer) || positive(spec.ChunkCache)), "sieve buffer or chunk cache with MPI-POSIX",
			"they write back what other processes have changed since",
		},
		{spec.MPIPosix && spec.Driver != "", "file driver " + spec.Driver + " with MPI-POSIX", "that is the driver sec2"},
		{spec.Driver != "" && spec.Comm.Size() > 1, "file driver " + spec.Driver + " for several processes", "only mpio is made for that"},
		{spec.Driver != "" && spec.Collective, "collective mode of file driver " + spec.Driver, "that driver has none"},
		{spec.Extendible && spec.Driver == "", "extendible dataset of a parallel case", "each extension would be collective"},
		{spec.Extendible && spec.Chunk == nil, "extendible dataset of contiguous storage", "HDF5 extends chunked storage only"},
	} {
		if refused.is {
			return fmt.Errorf("%s: %w: %s", refused.what, engine.ErrUnsupported, refused.reason)
		}
	}
	for d, extent := range spec.Chunk {
		if extent > spec.Sequence.Dims[d] && !spec.Extendible {
			return fmt.Errorf("chunk extent %d of a dataset of extent %d: %w: HDF5 wants chunks no larger than a dataset of fixed size",
				extent, spec.Sequence.Dims[d], engine.ErrUnsupported)
		}
	}
	return checkStretch(spec)
}

func positive(bytes *uint64) bool { return bytes != nil && *bytes > 0 }

// checkStretch refuses independent transfers that the mpio driver of HDF5 before 1.14 fails at: it takes contiguous
// stretches of up to 2 GiB - 1 bytes.
func checkStretch(spec engine.Spec) error {
	if spec.MPIPosix || spec.Driver != "" || spec.Collective || h5.AtLeast(1, 14, 0) {
		return nil
	}
	stretch := spec.Nest.RunBytes
	for i := len(spec.Nest.Runs) - 1; i >= 0 && spec.Nest.Runs[i].Stride == stretch; i-- {
		stretch *= spec.Nest.Runs[i].Count
	}
	if spec.Chunk != nil { // all that a transfer selects of a chunk may be contiguous in it
		stretch = min(chunkBytes(spec), spec.Sequence.TransferBytes())
	}
	if stretch <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("%d contiguous bytes in an independent transfer: %w: HDF5 %s moves at most %d bytes with one MPI-IO call; HDF5 1.14 and collective mode have no such limit",
		stretch, engine.ErrUnsupported, h5.Version(), math.MaxInt32)
}
