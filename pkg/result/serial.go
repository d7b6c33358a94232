package result

import "h5perf/pkg/pattern"

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
