package option

import (
	"slices"
	"strings"

	"h5perf/pkg/usage"
)

// Driver is an HDF5 file driver.
type Driver string

// The first group are the file drivers of the parallel tool, the second group those of the serial tool. With
// DriverMPIPosix, every process uses sec2, like HDF5's former MPI-POSIX driver.
const (
	DriverMPIO     Driver = "mpio"
	DriverMPIPosix Driver = "mpiposix"
	Subfiling      Driver = "subfiling"

	DriverSec2   Driver = "sec2"
	DriverStdio  Driver = "stdio"
	DriverCore   Driver = "core"
	DriverSplit  Driver = "split"
	DriverMulti  Driver = "multi"
	DriverFamily Driver = "family"
	DriverDirect Driver = "direct"
)

// ParallelDrivers returns the file drivers of the parallel tool.
func ParallelDrivers() []Driver { return []Driver{DriverMPIO, DriverMPIPosix, Subfiling} }

// SerialDrivers returns the file drivers of the serial tool.
func SerialDrivers() []Driver {
	return []Driver{DriverSec2, DriverStdio, DriverCore, DriverSplit, DriverMulti, DriverFamily, DriverDirect}
}

// Values returns the names of all file drivers.
func (Driver) Values() []string {
	return usage.Strings(slices.Concat(ParallelDrivers(), SerialDrivers()))
}

// unknownDriver returns the error for a file driver that a tool does not support. other names the option with which the
// other tool (serial or parallel) selects its drivers.
func unknownDriver(option string, given Driver, valid []Driver, other string) error {
	err := usage.InvalidWordError(option, string(given), usage.Strings(valid))
	if slices.Contains(given.Values(), string(given)) {
		return usage.Errorf("%v; %s is a value of %s", err, given, other)
	}
	return err
}

// IsParallel reports whether several processes can write to one file through the driver.
func (d Driver) IsParallel() bool { return slices.Contains(ParallelDrivers(), d) }

// UsesThreads reports whether HDF5 calls MPI from its own threads; MPI must then be initialised with support for
// threads. The settings need not be completed by Complete before.
func (s HDF5) UsesThreads() bool { return strings.EqualFold(string(s.Driver), string(Subfiling)) }

// IsInMemory reports whether the data stay in memory, so that no files are written.
func (s HDF5) IsInMemory() bool {
	return s.Driver == DriverCore && s.DriverSettings != nil && s.DriverSettings.CoreBackingStore != nil &&
		!*s.DriverSettings.CoreBackingStore
}

// SplitsRawData reports whether raw data and metadata are in different files. If the file with raw data is too short,
// HDF5 reads zeros for the missing bytes.
func (s HDF5) SplitsRawData() bool { return s.Driver == DriverSplit || s.Driver == DriverMulti }

// HasOtherFileNames reports whether the driver stores a data file in files with other names than the path of the data
// file.
func (s HDF5) HasOtherFileNames() bool { return s.SplitsRawData() || s.Driver == DriverFamily }

// maxMultiFiles is the largest number of files of the driver multi: one for each kind of data.
const maxMultiFiles = 6

// MaxFileCount returns the largest number of files in which the driver can store one data file. data is the size of its
// raw data in bytes.
func (s HDF5) MaxFileCount(data uint64, processes int) uint64 {
	switch s.Driver {
	case DriverCore:
		if s.IsInMemory() {
			return 0
		}
	case DriverSplit:
		return 2
	case DriverMulti:
		return maxMultiFiles
	case Subfiling: // the stub, the configuration file, and the subfiles
		subfiles := processes
		if n := s.DriverSettings.SubfilingFiles; n != nil {
			subfiles = max(subfiles, *n)
		}
		return 2 + uint64(subfiles)
	case DriverFamily:
		return data / *s.DriverSettings.FamilyMemberBytes + 1
	}
	return 1
}

// WritesFillValues reports whether HDF5 writes fill values when it allocates the storage of a dataset.
func (s HDF5) WritesFillValues(chunked bool) bool {
	return s.FillTime == FillAlloc || chunked && s.FillTime != FillNever && s.Driver != DriverMPIPosix
}
