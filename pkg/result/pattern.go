package result

import "h5perf/pkg/pattern"

// AccessPattern returns the access pattern of a parallel run: which parts of a file each process transfers. transfer is
// the transfer size (-x) in bytes. With FilesPerProcess, it is the pattern of a single process in its own file.
func (p Parameters) AccessPattern(processes int, transfer uint64) pattern.ParallelPattern {
	if p.FilesPerProcess {
		processes = 1
	}
	return pattern.ParallelPattern{
		Processes: uint64(processes), BytesPerProcess: p.BytesPerProcess, TransferSize: transfer,
		BlockSize: p.BlockSize,
		TwoD:      p.Geometry == Geometry2D, Interleaved: p.Pattern == PatternInterleaved,
	}
}

// FilesAtOnce returns the number of data files that the processes access at the same time.
func (p Parameters) FilesAtOnce(processes int) int {
	if p.FilesPerProcess {
		return processes
	}
	return 1
}

// Kind returns the kind of the run, parallel, serial or workload, which follows from its parameters.
func (p Parameters) Kind() Kind {
	switch {
	case p.Workload != nil:
		return KindWorkload
	case p.IsSerial():
		return KindSerial
	}
	return KindParallel
}

// IsSerial reports whether the parameters belong to a serial run.
func (p Parameters) IsSerial() bool { return len(p.DatasetExtent) > 0 }

// SerialPattern returns the access pattern of a serial run with these parameters.
func (p Parameters) SerialPattern() pattern.BoxPattern {
	b := pattern.BoxPattern{Dims: p.DatasetExtent, Buffer: p.BufferExtent}
	for _, d := range p.DimensionOrder {
		b.Order = append(b.Order, d-1)
	}
	return b
}
