package plan

import (
	"slices"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// counts fills in the numbers of iterations, files and datasets.
func (p *Plan) counts(o Options) error {
	for _, c := range []struct {
		option, what string
		given        *int
		value        *int
		fallback     int
	}{
		{"-i", "iterations", o.Iterations, &p.Parameters.Iterations, leastIterations(o.Conditions)},
		{"-F", "files", o.Files, &p.Parameters.Files, 1},
		{"-d", "datasets per file", o.Datasets, &p.Parameters.Datasets, 1},
	} {
		if err := count(c.option, c.what, c.given, c.value, c.fallback); err != nil {
			return err
		}
	}
	return nil
}

// leastIterations is the number of iterations where none is given.
func leastIterations(c Conditions) int {
	if c.open() {
		return defaultOpen
	}
	return 1
}

// count fills in a number of what, or fallback.
func count(option, what string, given, value *int, fallback int) error {
	if given == nil {
		given = &fallback
	}
	*value = *given
	return usage.Positive(option, what, *given)
}

// sizes fills in defaults and caps sizes as the C tool does, which never says so.
func (p *Plan) sizes(o Options) {
	s := &p.Parameters
	e := uint64(256 << 10)
	if o.TwoD {
		e = 8 << 10
	}
	e = p.size("-e", o.BytesPerProcess, e)
	s.BytesPerProcess = e
	s.MaxTransferBytes = p.size("-X", o.MaxTransfer, e)
	s.MinTransferBytes = p.size("-x", o.MinTransfer, e/2)
	s.BlockBytes = p.size("-B", o.Block, e/2)
	if !o.TwoD {
		p.lower("-x", &s.MinTransferBytes, e, "the bytes per process (-e)")
		p.lower("-X", &s.MaxTransferBytes, e, "the bytes per process (-e)")
	}
	p.lower("-x", &s.MinTransferBytes, s.MaxTransferBytes, "the maximum transfer size (-X)")
	p.lower("-B", &s.BlockBytes, e, "the bytes per process (-e)")
}

// size is the given size; 0 means the fallback, as in the C tool.
func (p *Plan) size(option string, given *uint64, fallback uint64) uint64 {
	if given == nil {
		return fallback
	}
	if *given == 0 {
		p.note("%s 0 means the default, %s", option, units.FormatSize(fallback))
		return fallback
	}
	return *given
}

// lower caps a size.
func (p *Plan) lower(option string, size *uint64, limit uint64, what string) {
	if *size > limit {
		p.note("%s lowered from %s to %s, %s", option, units.FormatSize(*size), units.FormatSize(limit), what)
		*size = limit
	}
}

// chunk fills in the extent of HDF5 chunks: a block, unless asked otherwise.
func (p *Plan) chunk(o Options) error {
	s := &p.Parameters
	if len(o.ChunkSize) > 0 && !o.Chunked {
		return usage.Errorf("--chunk-size needs -c: without it datasets have contiguous layout")
	}
	if !o.Chunked {
		return nil
	}
	dims := 1
	if o.TwoD {
		dims = 2
	}
	switch len(o.ChunkSize) {
	case 0:
		s.ChunkBytes = slices.Repeat([]uint64{s.BlockBytes}, dims)
	case 1:
		s.ChunkBytes = slices.Repeat(o.ChunkSize, dims)
	case dims:
		s.ChunkBytes = o.ChunkSize
	default:
		return usage.Errorf("--chunk-size: %d sizes for a dataset of %s: give one, or one per dimension", len(o.ChunkSize), s.Geometry)
	}
	if s.UsesHDF5() && len(s.APIs) > 1 && s.HDF5Settings.Fills(o.Chunked) {
		p.note("-c: HDF5 fills every chunk when it creates a dataset, within Write but not within Raw Data Write: what it writes twice the plain files of the other APIs write once; --fill-time never spares that")
	}
	return nil
}
