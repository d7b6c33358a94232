package result

import "h5perf/pkg/pattern"

// AccessPattern returns the access pattern of a case of a parallel run, for a number of processes and -x in bytes.
func (p Parameters) AccessPattern(processes int, transfer uint64) pattern.Parallel {
	return pattern.Parallel{
		Processes: uint64(processes), Bytes: p.BytesPerProcess, Transfer: transfer, Block: p.BlockBytes,
		TwoD: p.Geometry == Geometry2D, Interleaved: p.Pattern == PatternInterleaved,
	}
}
