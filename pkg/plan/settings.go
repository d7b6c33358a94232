package plan

import (
	"h5perf/pkg/engine/hdf5/hdf5conf"
)

// settings fills in what the engines of the parallel tool are told; the APIs are known.
func (p *Plan) settings(o Options) error {
	var notes []string
	var err error
	if p.Parameters.MPIIOSettings, notes, err = o.MPIIO.Complete(o.MPIInfo); err != nil {
		return err
	}
	p.Notes = append(p.Notes, notes...)
	return p.hdf5(o.HDF5, hdf5conf.Run{
		MPIPosix: o.MPIPosix, Measured: p.Parameters.UsesHDF5(), Hints: p.Parameters.HintsSet,
		Collective: o.Collective, Chunked: o.Chunked, WriteOnly: o.WriteOnly,
	})
}

// hdf5 fills in what HDF5 is told.
func (p *Plan) hdf5(given hdf5conf.Settings, run hdf5conf.Run) error {
	complete, notes, err := given.Complete(run)
	p.Parameters.HDF5Settings, p.Notes = complete, append(p.Notes, notes...)
	return err
}
