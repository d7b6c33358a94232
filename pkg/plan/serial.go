package plan

import (
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// SerialAPIs lists the APIs of the serial tool in the order in which they are measured.
func SerialAPIs() []string { return result.APINames(func(a result.API) bool { return a.Serial }) }

// SerialOptions are the options of the serial tool as parsed; nil means not given.
type SerialOptions struct {
	APIs       []string // of SerialAPIs, in any case and order; empty is all
	Dataset    []uint64 // extent in each dimension
	Buffer     []uint64
	Chunk      []uint64
	Order      []int // dimensions from 1, the one that the walk goes along first in front
	Extendible bool
	Iterations *int
	WriteOnly  bool
	HDF5       hdf5conf.Settings
	Verify     bool
	KeepFiles  bool
	Conditions Conditions
}

// NewSerial makes the plan of a serial run: one step of one process and one transfer size. Of the job only memory and target
// count. What cannot be measured is refused with a *usage.Error.
func NewSerial(o SerialOptions, job Job) (Plan, error) {
	o, err := o.profiled(job)
	if err != nil {
		return Plan{}, err
	}
	p := &Plan{}
	s := &p.Parameters
	s.MinProcesses, s.MaxProcesses, s.Files, s.Datasets = 1, 1, 1, 1
	s.Extendible, s.WriteOnly, s.Verify, s.KeepFiles = o.Extendible, o.WriteOnly, o.Verify, o.KeepFiles
	s.Layout, s.ChunkBytes = either(o.Chunk != nil, result.LayoutChunked, result.LayoutContiguous), o.Chunk
	if o.Extendible && o.Chunk == nil {
		return Plan{}, usage.Errorf("-t needs -c: HDF5 extends datasets of chunked layout only")
	}
	for _, step := range []func() error{
		func() error { return p.apis(o.APIs, SerialAPIs()) },
		func() error {
			return count("-i", "iterations", o.Iterations, &s.Iterations, leastIterations(o.Conditions))
		},
		func() error { return p.conditions(o.Conditions, job) },
		func() error {
			return p.hdf5(o.HDF5, hdf5conf.Run{Serial: true, Chunked: o.Chunk != nil, WriteOnly: o.WriteOnly})
		},
		func() error { return p.dataset(o.Dataset) },
		func() error { return p.boxes(o) },
		p.checkBoxes, p.checkOrder, p.checkBoxChunk,
	} {
		if err := step(); err != nil {
			return Plan{}, err
		}
	}
	x := s.Box().Sequence().TransferBytes()
	s.MinTransferBytes, s.MaxTransferBytes = x, x
	p.Steps = []Step{{Processes: 1, Transfers: []uint64{x}}}
	return p.checked(job)
}

// The extents when no list is given, as in the design note of h5perf_serial.
const (
	defaultDataset = 16 << 20
	defaultBuffer  = 256 << 10
)

// dataset fills in the extent of the dataset.
func (p *Plan) dataset(given []uint64) error {
	if given == nil {
		given = []uint64{defaultDataset}
	}
	if len(given) > pattern.MaxDims {
		return usage.Errorf("-e has %d dimensions; there can be at most %d", len(given), pattern.MaxDims)
	}
	for i, extent := range given {
		if extent == 0 {
			return usage.Errorf("-e %s: dimension %d must have at least 1 byte", sizes(given), i+1)
		}
	}
	if !fits(maxBytes, given...) {
		return usage.Errorf("-e %s: the dataset is larger than %d bytes", sizes(given), uint64(maxBytes))
	}
	p.Parameters.DatasetExtent = given
	return nil
}
