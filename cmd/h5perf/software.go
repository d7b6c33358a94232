//go:build cgo

package main

import (
	"runtime"

	"h5perf/pkg/doctor"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// describeSoftware describes this program and its libraries. parallel says whether MPI is initialised.
func describeSoftware(parallel bool) result.Software {
	version, revision, flavour := node.BuildInfo()
	s := result.Software{
		Version: version, Revision: revision, Flavour: flavour, Go: runtime.Version(),
		HDF5: h5.Version(), HDF5Library: h5.Library(), HDF5Config: h5.Configuration(),
	}
	if parallel {
		s.MPI, s.MPIStandard, s.IOComponent = mpi.LibraryVersion(), mpi.StandardVersion(), mpiio.ImplementationName()
		s.ThreadLevel = result.ThreadLevel(mpi.ThreadLevel())
	}
	return s
}

// describeBuild reads how the HDF5 library was built, for a later call of describeSoftware. It may be called from any
// thread.
func describeBuild() { h5.Configuration() }

// hdf5Library returns the features of the HDF5 library in this program.
func hdf5Library() option.HDF5Library { return hdf5.Library() }

// hdf5Facts describes the HDF5 library in this program.
func hdf5Facts() *doctor.HDF5 {
	h := &doctor.HDF5{
		Version: h5.Version(), Library: h5.Library(), Drivers: h5.Drivers(),
		Parallel: h5.Parallel(), Threadsafe: h5.Threadsafe(),
	}
	if err := h5.CheckVersion(); err != nil {
		h.Error = err.Error()
	}
	return h
}

// closeHDF5 closes the HDF5 library. The program must call closeHDF5 before MPI ends.
func closeHDF5() error { return h5.Close() }
