package plan

import (
	"slices"
	"strings"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/result"
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
	Verify          bool
	HDF5            hdf5conf.Settings
	MPIPosix        bool // -m, the file driver mpiposix
	MPIIO           mpiioconf.Settings
	MPIInfo         *string // HDF5_MPI_INFO: hints, overridden by those of MPIIO
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
	if err := p.settings(o); err != nil {
		return err
	}
	s.Geometry = either(o.TwoD, result.Geometry2D, result.Geometry1D)
	s.Pattern = either(o.Interleaved, result.PatternInterleaved, result.PatternContiguous)
	s.Mode = either(o.Collective, result.ModeCollective, result.ModeIndependent)
	s.Layout = either(o.Chunked, result.LayoutChunked, result.LayoutContiguous)
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
