package plan

import (
	"slices"
	"strings"

	"h5perf/pkg/kv"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
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
	Driver          string // of ParallelDrivers, in any case; empty is mpio, or with MPIPosix mpiposix
	Subfiling       Subfiling
	View            string // auto or transfer; empty is auto
	Verify          bool
	Hints           []kv.KeyValue // of ParseHint
	MPIInfo         *string       // HDF5_MPI_INFO: hints, overridden by Hints
	IOComponent     string        // ompio or romio; empty is the MPI library's choice
	FillTime        string        // never, ifset or alloc; empty is HDF5's default
	SieveBuffer     *uint64
	ChunkCache      *uint64
	KeepFiles       bool
	Conditions      Conditions
}

// apis fills in the APIs, in the order of all.
func (p *Plan) apis(given, all []string) error {
	for _, api := range given {
		if !slices.Contains(all, strings.ToLower(api)) {
			return usage.Errorf("-A %q: not an API; the APIs are %s", api, strings.Join(all, ", "))
		}
	}
	for _, api := range all {
		if len(given) == 0 || slices.ContainsFunc(given, func(g string) bool { return strings.EqualFold(g, api) }) {
			p.Parameters.APIs = append(p.Parameters.APIs, api)
		}
	}
	return nil
}

// access fills in how data are accessed.
func (p *Plan) access(o Options) error {
	s := &p.Parameters
	if err := p.apis(o.APIs, APIs()); err != nil {
		return err
	}
	if err := p.parallelDriver(o); err != nil {
		return err
	}
	if s.Driver == driverMPIPosix && o.FillTime != "" {
		return usage.Errorf("-m with --fill-time: the MPI-POSIX driver fills no datasets; leave it out")
	}
	if err := p.fillTime(o.FillTime); err != nil {
		return err
	}
	if o.SieveBuffer != nil && s.Driver != driverMPIPosix {
		p.note("--sieve-buffer %s is without effect: HDF5 has no sieve buffer with the file driver %s", units.FormatSize(*o.SieveBuffer), s.Driver)
	}
	s.View = either(o.View != "", o.View, viewAuto)
	if s.View != viewAuto && s.View != viewTransfer {
		return usage.Errorf("--view %q: not a view; the views are %s, %s", o.View, viewAuto, viewTransfer)
	}
	if components := []string{"", "ompio", "romio"}; !slices.Contains(components, o.IOComponent) {
		return usage.Errorf("--io-component %q: not an MPI-IO component; they are %s", o.IOComponent, strings.Join(components[1:], ", "))
	}
	s.Geometry = either(o.TwoD, result.Geometry2D, result.Geometry1D)
	s.Pattern = either(o.Interleaved, result.PatternInterleaved, result.PatternContiguous)
	s.Mode = either(o.Collective, result.ModeCollective, result.ModeIndependent)
	s.Layout = either(o.Chunked, result.LayoutChunked, result.LayoutContiguous)
	s.IOComponent = o.IOComponent
	s.WriteOnly, s.Verify, s.KeepFiles = o.WriteOnly, o.Verify, o.KeepFiles
	return nil
}

func positive(size *uint64) bool { return size != nil && *size > 0 }

func either[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
