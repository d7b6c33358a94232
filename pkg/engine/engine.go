// Package engine defines what an engine must do, and holds the C code that engines share. An engine moves bytes through
// one API.
//
// An engine is prepared for the program of a process (package workload): hints, capability checks, memory. This is
// never timed. Then it does batches of the program one after another; the harness times them by their classes. Engines
// know nothing of clocks, sweeps or reports, and compute no geometry. The conformance suite in package enginetest
// states the contract as tests.
//
// All methods of an engine are called from one locked thread, as MPI and HDF5 require.
package engine

import (
	"os"
	"unsafe"

	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// Env is where and how a process executes a program.
type Env struct {
	// Comm holds the processes that take part. They open the files of group All together; a process opens those of any
	// other group alone. Engines communicate only through the API that they measure.
	Comm     mpi.Comm
	Stop     *StopFlag
	Zeros    bool // the data in the files may be zeros
	Compared bool // what is read is compared with what was written, so reads need not look at it
	// receives the time of each data call; made by NewLatencyHistogram; nil: calls are not timed
	Latency *fill.Histogram

	Dir string // directory of the files
	// The same, held open: what this program opens itself it opens through DirHandle, whatever becomes of the path Dir.
	// nil: files are opened by their paths.
	DirHandle *os.File
	Direct    bool // POSIX: open files with O_DIRECT

	HDF5  option.HDF5  // complete, or zero: the driver mpio and the library's defaults
	MPIIO option.MPIIO // also apply to HDF5 through MPI-IO
}

// Engine executes programs through one API.
type Engine interface {
	// Prepare checks that the API can do what the program asks, and makes what all its batches share. It returns an
	// error with the library's reason if the API cannot: no file exists yet. Called on all processes of env.Comm.
	Prepare(env Env, program workload.Program) (Session, error)
}

// Trier is an engine whose library must be tried out, since it does not say what it cannot do.
type Trier interface {
	// TryOut returns an error if the API cannot do what the program writes. It may make a file at path, in env.Dir, and
	// removes it. Process 0 calls it before all cases, and it does not communicate with others.
	TryOut(env Env, program workload.Program, path string) error
}

// Session is an engine prepared for a program.
type Session interface {
	// Do does a batch. All processes of the file's group do the same batches, also where the API does not require that,
	// except that they need not transfer the same number of times where transfers are independent. If a batch fails on
	// one process, the others wait no longer than the API itself makes them. Do returns ErrStopped if the stop flag is
	// set during transfers, or an *Error. What an API does not have, such as datasets of POSIX, is no error.
	Do(b *workload.Batch) error
	// Progress returns what the transfers of a move have done since they began, also after an error. Transfers that
	// begin with a batch with several datasets count together. It may be called from other goroutines.
	Progress(move int) Progress
	// Abandon closes the objects and files that are open. It is for use after an error, and ignores errors.
	Abandon()
	// FileBytes returns the least size of a file of a family with all its datasets, when all of them is written, and
	// reports whether the size is exactly that.
	FileBytes(file int) (bytes uint64, exact bool)
	// FileNames returns the base names of the files that the data file at path consists of, in their order. All are in
	// its directory. Where the API makes more of them as the data file grows, these are those that exist, and at least
	// the first.
	FileNames(path string) []string
	// CallName returns the name of the function that moves data, such as pwrite. Env.Latency holds the times of its
	// calls.
	CallName(op workload.Op) string
	// Effective returns what the API really did so far.
	Effective() Effective
	// CollectiveSync reports whether syncing a file is a collective call of the API.
	CollectiveSync() bool
	// Close releases everything that Prepare made.
	Close() error
}

// Progress counts what the transfers of a process have done with a dataset, or with those of a batch.
type Progress struct {
	Transfers uint64 // complete ones
	Bytes     uint64 // moved, also by a transfer that failed
	Calls     uint64 // of the function that moves data
	SetViews  uint64 // calls of MPI_File_set_view
}

// Effective is what an API really did, as far as it can be found out. A field that does not apply to the API is zero.
type Effective struct {
	Hints      []units.KeyValue // result of MPI_File_get_info, for one of the files
	Collective *CollectiveUsed  // HDF5 in collective mode
	SetViews   uint64           // calls of MPI_File_set_view by this process, for all closed datasets
	Calls      uint64           // calls that move data, by this process, for all closed datasets
	Driver     string           // HDF5 file driver
	Settings   []units.KeyValue // of HDF5, by options: those that were asked for, as a file has them
	Extensions uint64           // calls of H5Dset_extent by this process, for all datasets
}

// CollectiveUsed is HDF5's own account of collective transfers (H5Pget_mpio_actual_io_mode,
// H5Pget_mpio_actual_chunk_opt_mode and H5Pget_mpio_no_collective_cause), summed over all transfers of the process.
// Those that had nothing to transfer do not count.
type CollectiveUsed struct {
	Collective  uint64   // transfers that were fully collective
	Mixed       uint64   // transfers that were collective in part
	Independent uint64   // transfers that were not collective
	Optimize    []string // chunk optimization modes that occurred, as the library names them
	LocalCause  []string // causes on this process why transfers were not collective
	GlobalCause []string // causes on any process
}

// StopFlag is a flag that C loops can poll. NewStopFlag makes one.
type StopFlag struct {
	flag *int32
}

// Pointer returns the address of the flag, an int32, for C.
func (s *StopFlag) Pointer() unsafe.Pointer { return unsafe.Pointer(s.flag) }
