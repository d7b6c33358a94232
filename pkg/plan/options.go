package plan

import (
	"slices"
	"strings"

	"h5perf/pkg/engine"
)

// Options are the options of the parallel tool as parsed; nil means not given.
type Options struct {
	APIs            []string // of APIs, in any case and order; empty is all
	BytesPerProcess *uint64  // 0 means default, as in the C tool
	Block           *uint64
	MinTransfer     *uint64
	MaxTransfer     *uint64
	MinProcesses    *int
	MaxProcesses    *int
	Iterations      *int
	Files           *int
	Datasets        *int
	TwoD            bool
	Interleaved     bool
	Collective      bool
	Chunked         bool
	ChunkSize       []uint64 // extent of an HDF5 chunk: one value (a side, in 2D of a square) or one per dimension
	WriteOnly       bool
	Align           *uint64
	Threshold       *uint64
	MPIPosix        bool
	View            string // auto or transfer; empty is auto
	Verify          bool
	Hints           []engine.Hint // of ParseHint
	MPIInfo         *string       // HDF5_MPI_INFO: hints, overridden by Hints
	IOComponent     string        // ompio or romio; empty is the MPI library's choice
	KeepFiles       bool
}

// access fills in how data are accessed.
func (p *Plan) access(o Options) error {
	s := &p.Parameters
	for _, api := range o.APIs {
		if !slices.Contains(APIs(), strings.ToLower(api)) {
			return refuse("-A %q: not an API; the APIs are %s", api, strings.Join(APIs(), ", "))
		}
	}
	for _, api := range APIs() {
		if len(o.APIs) == 0 || slices.ContainsFunc(o.APIs, func(given string) bool { return strings.EqualFold(given, api) }) {
			s.APIs = append(s.APIs, api)
		}
	}
	if o.MPIPosix && o.Collective {
		return refuse("-m with -C: the MPI-POSIX driver has no collective mode; leave one of them out")
	}
	s.View = either(o.View != "", o.View, viewAuto)
	if s.View != viewAuto && s.View != viewTransfer {
		return refuse("--view %q: not a view; the views are %s, %s", o.View, viewAuto, viewTransfer)
	}
	if components := []string{"", "ompio", "romio"}; !slices.Contains(components, o.IOComponent) {
		return refuse("--io-component %q: not an MPI-IO component; they are %s", o.IOComponent, strings.Join(components[1:], ", "))
	}
	s.Geometry = either(o.TwoD, geometry2D, geometry1D)
	s.Pattern = either(o.Interleaved, patternInterleaved, patternContiguous)
	s.Mode = either(o.Collective, modeCollective, modeIndependent)
	s.Layout = either(o.Chunked, layoutChunked, layoutContiguous)
	s.Driver = either(o.MPIPosix, driverMPIPosix, driverMPIO)
	s.IOComponent = o.IOComponent
	s.WriteOnly, s.Verify, s.KeepFiles = o.WriteOnly, o.Verify, o.KeepFiles
	return nil
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
