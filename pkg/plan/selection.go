package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

var slabMethods = map[option.SelectionMethod]workload.SlabMethod{
	option.SelectionOr: workload.SlabBlocks, option.SelectionPoints: workload.SlabPoints,
}

// chosenSelection returns how HDF5 selects the blocks of a transfer; "" means as one hyperslab.
func chosenSelection(o Options) (option.SelectionMethod, error) {
	used, err := chosenValue("--selection", o.Selection)
	if err != nil || used == option.SelectionHyperslab {
		return "", err
	}
	return used, nil
}

// The largest selections. HDF5 compares each block of a union with those before, and keeps each point by itself.
const (
	maxUnionBlocks = 1 << 14
	maxPoints      = 1 << 20
)

// checkSelection refuses a method of selection if no API selects, or if a transfer has too many parts to select.
func checkSelection(p Plan) error {
	s := p.Parameters
	if s.Selection != "" && !s.UsesHDF5() {
		return usage.Errorf("--selection %s: only HDF5 selects; add phdf5 to -A, or leave it out", s.Selection)
	}
	blocks, bytes := s.MaxTransferSize/s.BlockSize, s.MaxTransferSize
	if s.Geometry == result.Geometry2D {
		bytes *= s.BlockSize
	}
	switch {
	case s.Selection == option.SelectionOr && blocks > maxUnionBlocks:
		return usage.Errorf("--selection or: a transfer of %s has %d blocks, and HDF5 takes very long to unite more "+
			"than %d; give a larger -B or a smaller -X", units.FormatSize(s.MaxTransferSize), blocks, maxUnionBlocks)
	case s.Selection == option.SelectionPoints && bytes > maxPoints:
		return usage.Errorf("--selection points: a transfer has %d bytes, and HDF5 needs much memory for more than %d "+
			"points; give a smaller -X or -e", bytes, maxPoints)
	}
	return nil
}
