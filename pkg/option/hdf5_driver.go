package option

import (
	"slices"
	"strings"

	"h5perf/pkg/usage"
)

// Driver is an HDF5 file driver.
type Driver string

// The file drivers: those of the parallel tool, then those of the serial tool. MPIPosix is sec2 in every process, as
// HDF5's former MPI-POSIX driver was.
const (
	MPIO      Driver = "mpio"
	MPIPosix  Driver = "mpiposix"
	Subfiling Driver = "subfiling"

	Sec2   Driver = "sec2"
	Stdio  Driver = "stdio"
	Core   Driver = "core"
	Split  Driver = "split"
	Multi  Driver = "multi"
	Family Driver = "family"
	Direct Driver = "direct"
)

// ParallelDrivers returns the file drivers of the parallel tool.
func ParallelDrivers() []Driver { return []Driver{MPIO, MPIPosix, Subfiling} }

// SerialDrivers returns the file drivers of the serial tool.
func SerialDrivers() []Driver { return []Driver{Sec2, Stdio, Core, Split, Multi, Family, Direct} }

// Values returns the names of all file drivers.
func (Driver) Values() []string {
	return usage.Strings(slices.Concat(ParallelDrivers(), SerialDrivers()))
}

// unknownDriver returns the error of a file driver that a tool does not have. other is the option for the drivers of
// the other tool.
func unknownDriver(option string, given Driver, valid []Driver, other string) error {
	err := usage.NotOneOf(option, string(given), usage.Strings(valid))
	if slices.Contains(given.Values(), string(given)) {
		return usage.Errorf("%v; %s is a value of %s", err, given, other)
	}
	return err
}

// IsParallel reports whether several processes can write to one file through the driver.
func (d Driver) IsParallel() bool { return slices.Contains(ParallelDrivers(), d) }

// UsesThreads reports whether HDF5 calls MPI from threads of its own; MPI must then be initialised for that. The
// settings need not be complete.
func (s HDF5) UsesThreads() bool { return strings.EqualFold(string(s.Driver), string(Subfiling)) }

// InMemory reports whether the data stay in memory: no files are written.
func (s HDF5) InMemory() bool {
	return s.Driver == Core && s.DriverSettings != nil && s.DriverSettings.CoreBackingStore != nil &&
		!*s.DriverSettings.CoreBackingStore
}

// SplitsRawData reports whether raw data are in a file of their own. If such a file is too short, HDF5 reads zeros for
// the missing bytes.
func (s HDF5) SplitsRawData() bool { return s.Driver == Split || s.Driver == Multi }

// HasOtherFileNames reports whether a data file consists of files whose names differ from its path.
func (s HDF5) HasOtherFileNames() bool { return s.SplitsRawData() || s.Driver == Family }

// maxMultiFiles is the largest number of files of the driver multi: one for each kind of data.
const maxMultiFiles = 6

// MaxFileCount returns the largest number of files that a data file with data bytes of raw data can consist of.
func (s HDF5) MaxFileCount(data uint64, processes int) uint64 {
	switch s.Driver {
	case Core:
		if s.InMemory() {
			return 0
		}
	case Split:
		return 2
	case Multi:
		return maxMultiFiles
	case Subfiling: // the stub, the configuration file, and the subfiles
		subfiles := processes
		if n := s.DriverSettings.SubfilingFiles; n != nil {
			subfiles = max(subfiles, *n)
		}
		return 2 + uint64(subfiles)
	case Family:
		return data / *s.DriverSettings.FamilyMemberBytes + 1
	}
	return 1
}

// WritesFillValues reports whether HDF5 writes fill values to the storage of a dataset when it allocates it.
func (s HDF5) WritesFillValues(chunked bool) bool {
	return s.FillTime == FillAlloc || chunked && s.FillTime != FillNever && s.Driver != MPIPosix
}
