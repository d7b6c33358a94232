package option

// SerialOptions are the options of the serial tool for the file driver.
type SerialOptions struct {
	Driver Driver `name:"file-driver" short:"v" type:"word" placeholder:"NAME" group:"api" brief:"HDF5 file driver (default sec2)." help:"HDF5 file driver: sec2 (default), stdio, core, split, multi, family or direct."`
	SerialSettings
}

// ApplyDriver returns s with the file driver of the options and its settings.
func (o SerialOptions) ApplyDriver(s HDF5) HDF5 {
	return s.withDriver(o.Driver, DriverSettings{SerialSettings: o.SerialSettings})
}

// ParallelOptions are the options of the parallel tool for the file driver.
type ParallelOptions struct {
	MPIPosix bool   `name:"mpi-posix" short:"m" type:"flag" group:"api" help:"Let phdf5 use the POSIX driver on each process, as the former MPI-POSIX driver of HDF5 did. Not with collective transfers."`
	Driver   Driver `type:"word" placeholder:"mpio|mpiposix|subfiling" group:"api" help:"HDF5 file driver of phdf5 (default mpio). mpiposix is the same as -m. subfiling splits each HDF5 file into several subfiles. Some of the processes write and read the subfiles for all processes, with extra threads. subfiling does not work with collective transfers. It needs an HDF5 that was built with subfiling, and an MPI with MPI_THREAD_MULTIPLE."`
	SubfilingSettings
}

// ApplyDriver returns s with the file driver of the options. It ignores o.MPIPosix, which HDF5RunFacts.MPIPosix passes
// to Complete.
func (o ParallelOptions) ApplyDriver(s HDF5) HDF5 {
	return s.withDriver(o.Driver, DriverSettings{SubfilingSettings: o.SubfilingSettings})
}

func (s HDF5) withDriver(driver Driver, own DriverSettings) HDF5 {
	s.Driver = driver
	if own != (DriverSettings{}) {
		s.DriverSettings = &own
	}
	return s
}
