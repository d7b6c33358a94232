package hdf5conf

import (
	"slices"
	"strings"
)

// Driver is an HDF5 file driver.
type Driver string

// MPIPosix is sec2 in every process, as HDF5's former MPI-POSIX driver was.
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

// ParallelDrivers lists the file drivers of the parallel tool.
func ParallelDrivers() []Driver { return []Driver{MPIO, MPIPosix, Subfiling} }

// SerialDrivers lists the file drivers of the serial tool.
func SerialDrivers() []Driver { return []Driver{Sec2, Stdio, Core, Split, Multi, Family, Direct} }

// Values lists all file drivers.
func (Driver) Values() []string { return words(slices.Concat(ParallelDrivers(), SerialDrivers())) }

// Parallel reports whether several processes can write a file through the driver.
func (d Driver) Parallel() bool { return slices.Contains(ParallelDrivers(), d) }

// Threads reports whether HDF5 calls MPI in threads of its own: MPI must know before it starts. The settings need not
// be complete.
func (s Settings) Threads() bool { return strings.EqualFold(string(s.Driver), string(Subfiling)) }

// InMemory reports whether there are no files.
func (s Settings) InMemory() bool {
	return s.Driver == Core && s.DriverSettings != nil && s.DriverSettings.CoreBackingStore != nil &&
		!*s.DriverSettings.CoreBackingStore
}

// RawApart reports whether raw data have a file of their own, of which HDF5 takes the end for zeros where it is
// missing.
func (s Settings) RawApart() bool { return s.Driver == Split || s.Driver == Multi }

// OtherNames reports whether a file is made of files that have other names.
func (s Settings) OtherNames() bool { return s.RawApart() || s.Driver == Family }

// multiFiles is how many files the driver multi makes at most, one for each kind of data.
const multiFiles = 6

// FileCount is how many files a file with so many bytes of data is made of, at most.
func (s Settings) FileCount(data uint64, processes int) uint64 {
	switch s.Driver {
	case Core:
		if s.InMemory() {
			return 0
		}
	case Split:
		return 2
	case Multi:
		return multiFiles
	case Subfiling: // the stub, the list, and at most this many
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

// Fills reports whether HDF5 fills the storage of datasets when it creates them.
func (s Settings) Fills(chunked bool) bool {
	return s.FillTime == FillAlloc || chunked && s.FillTime != FillNever && s.Driver != MPIPosix
}
