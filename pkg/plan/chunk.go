package plan

import (
	"math"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// maxChunkBytes is the maximum size of an HDF5 chunk in bytes (H5Pset_chunk).
const maxChunkBytes = math.MaxUint32

// chosenChunk returns the extent of HDF5 chunks in bytes: the extent that the user gave, or else the extent of a block.
// It returns nil for contiguous layout.
func chosenChunk(o Options, block uint64) ([]uint64, error) {
	if !o.Chunked {
		if len(o.ChunkSize) > 0 {
			return nil, usage.Errorf("--chunk-size needs -c: without -c, datasets have contiguous layout")
		}
		return nil, nil
	}
	dims := conditional(o.TwoD, 2, 1)
	switch len(o.ChunkSize) {
	case 0:
		return slices.Repeat([]uint64{block}, dims), nil
	case 1:
		return slices.Repeat(o.ChunkSize, dims), nil
	case dims:
		return o.ChunkSize, nil
	}
	return nil, usage.Errorf("--chunk-size: %d sizes for a dataset in %s; give one size, or one per dimension",
		len(o.ChunkSize), conditional(o.TwoD, result.Geometry2D, result.Geometry1D))
}

// fillNotes returns a note if HDF5 writes fill values to the chunks of a dataset, and the run also measures APIs that
// write no fill values.
func fillNotes(apis []string, settings option.HDF5, chunked bool) []string {
	if !chunked || len(apis) < 2 || !usesHDF5(apis) || !settings.WritesFillValues(chunked) {
		return nil
	}
	return []string{"With -c, HDF5 fills every chunk when it creates a dataset, within Write but not within Raw Data " +
		"Write. So HDF5 writes these data twice, and the other APIs write them once. To prevent this, use " +
		"--fill-time never."}
}

// checkChunk refuses chunk sizes that HDF5 would reject in a step with n processes.
func checkChunk(p Plan, n int) error {
	s := p.Parameters
	if !s.UsesHDF5() {
		return nil
	}
	for _, extent := range s.ChunkSize {
		side := s.BytesPerProcess * uint64(n)
		if extent == 0 || extent > side {
			return usage.Errorf("step of %s, chunk extent %s: for HDF5 it must be at least 1 "+
				"and at most the extent of the dataset, %s; give another --chunk-size",
				processesText(n), units.FormatSize(extent), units.FormatSize(side))
		}
	}
	if !fitsLimit(maxChunkBytes, s.ChunkSize...) {
		return usage.Errorf("chunk of %s: HDF5 allows at most %d bytes in a chunk; "+
			"give a smaller --chunk-size (default: the block size, -B)", sizesText(s.ChunkSize), uint64(maxChunkBytes))
	}
	return nil
}

// checkSerialChunk refuses chunk sizes that HDF5 would reject in a serial run.
func checkSerialChunk(p Plan) error {
	s := p.Parameters
	if s.ChunkSize == nil || !s.UsesHDF5() {
		return nil
	}
	for i, extent := range s.ChunkSize {
		if extent == 0 || !s.Extendible && extent > s.DatasetExtent[i] {
			return usage.Errorf("dimension %d: for HDF5 the chunk, -c %s, must have at least 1 byte "+
				"and, without -t, at most as many as the dataset, -e %s",
				i+1, units.FormatSize(extent), units.FormatSize(s.DatasetExtent[i]))
		}
	}
	if !fitsLimit(maxChunkBytes, s.ChunkSize...) {
		return usage.Errorf("-c %s: HDF5 allows at most %d bytes in a chunk", sizesText(s.ChunkSize),
			uint64(maxChunkBytes))
	}
	return nil
}
