// Package engine defines what an engine must do, and holds the C code that engines share. An engine moves bytes through
// one API.
//
// Engine.Prepare sets hints, checks what the API can do and allocates memory for the program of a process (package
// workload). It is never timed. Session.Do then executes the batches of the program one after another. The harness
// times the batches by class. Engines do not know clocks, sweeps or reports, and compute no geometry. The conformance
// suite in package enginetest states the contract as tests.
//
// All methods of an engine are called from one locked thread, as MPI and HDF5 require.
package engine

import (
	"os"
	"time"
	"unsafe"

	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// Env is the environment in which a process executes a program.
type Env struct {
	// Comm contains the processes that take part. They open the files of group All together; a process opens the files
	// of any other group alone. Engines communicate only through the API that they measure.
	Comm           mpi.Comm
	Stop           *StopFlag
	DataMayBeZeros bool // the data in the files may be zeros
	// the harness compares the data read with the data written, so the engine need not check them
	HarnessComparesReads bool
	// Latency receives the time of each data call. NewLatencyHistogram makes it. nil: calls are not timed.
	Latency *fill.Histogram

	Dir string // directory of the files
	// DirHandle is Dir, kept open. Files that Go code opens or removes are found through it, even if the path Dir no
	// longer leads to the same directory. nil: files are found by their paths.
	DirHandle  *os.File
	UseODirect bool // POSIX: open files with O_DIRECT

	HDF5  option.HDF5  // complete, or zero: the driver mpio and the library's defaults
	MPIIO option.MPIIO // applies also to HDF5 through MPI-IO
}

// Engine executes programs through one API.
type Engine interface {
	// Prepare checks that the API can do what the program requires, and makes the resources that all batches share. If
	// the API cannot, it returns an error with the library's reason; no file exists yet. All processes of env.Comm call
	// it.
	Prepare(env Env, program workload.Program) (Session, error)
}

// LibraryTester is an engine that must test its library with a small file, because the library does not report which
// writes it cannot do.
type LibraryTester interface {
	// TestWrites returns an error if the API cannot do the writes of the program. It may create a file at path, in
	// env.Dir; it removes the file. Process 0 calls it before all cases. It does not communicate with other processes.
	TestWrites(env Env, program workload.Program, path string) error
}

// FilterTimer is an engine whose filters change the data of datasets, which takes processor time.
type FilterTimer interface {
	// TimeFilters measures the filters of each kind of dataset that the program writes, on this process alone. It may
	// create a file at path, in env.Dir; it removes the file.
	TimeFilters(env Env, program workload.Program, path string) ([]FilterTime, error)
}

// FilterTime is the processor time that writes and reads of a dataset take in memory. Its arrays are by workload.Op.
type FilterTime struct {
	Dataset       string
	Filters       []string
	Bytes         uint64 // size of the dataset, before the filters
	With, Without [2]time.Duration
}

// MemoryConverter is a session that has data in memory in another form than that of a plain file, such as sequences of
// variable length, which are pointers. The harness calls both methods for each batch of transfers while no clock
// measures: FillMemory before it, after it has filled the buffers of the moves, and ReadMemory after it, before it
// compares the buffers.
type MemoryConverter interface {
	// FillMemory makes the memory of writes from the buffers, and prepares the memory of reads.
	FillMemory(b *workload.Batch) error
	// ReadMemory copies what was read to the buffers, and frees what the API has allocated for it. It returns an error
	// if the API has returned success, but read nothing.
	ReadMemory(b *workload.Batch) error
}

// Session is an engine that has been prepared to execute one program.
type Session interface {
	// Do executes a batch. All processes of the file's group execute the same batches, even if the API does not require
	// it. Only the number of independent transfers may differ. If a batch fails on one process, the engine does not
	// make the others wait; the API itself may. Do returns ErrStopped if the stop flag is set during transfers, or a
	// *CallError. A batch for objects that the API does not have, such as datasets in POSIX, does nothing.
	Do(b *workload.Batch) error
	// Progress counts what the transfers of a move have done since they began, also after an error. If one batch begins
	// transfers in several datasets, it counts them together. It may be called from other goroutines.
	Progress(move int) Progress
	// CloseAfterError closes the objects and files that are open. It is called after an error, and ignores further
	// errors.
	CloseAfterError()
	// FileBytes returns the minimum size of a file of a family after all its datasets are written completely. exact
	// reports whether the file has exactly this size.
	FileBytes(file int) (bytes uint64, exact bool)
	// FileNames returns the base names, in order, of the files that make up the data file at path. All are in its
	// directory. If the API creates more files as the data file grows, the result has those that exist, and at least
	// the first.
	FileNames(path string) []string
	// CallName returns the name of the function that moves data, such as pwrite. Env.Latency holds the times of its
	// calls.
	CallName(op workload.Op) string
	// APIReport returns what the API really did until now.
	Report() APIReport
	// CollectiveSync reports whether syncing a file is a collective call of the API.
	CollectiveSync() bool
	// Close releases all resources that Prepare made.
	Close() error
}

// Progress counts what the transfers of a process have done in one dataset, or in all datasets of a batch.
type Progress struct {
	Transfers uint64 // complete transfers
	Bytes     uint64 // bytes moved, also by a transfer that failed
	Calls     uint64 // calls of the function that moves data
	SetViews  uint64 // calls of MPI_File_set_view
}

// APIReport describes what an API really did, as far as the API reports it, such as the hints and settings in use. A
// field is zero if the API has no such thing.
type APIReport struct {
	Hints      []units.KeyValue    // result of MPI_File_get_info for one file
	Collective [2]*CollectiveModes // HDF5 in collective mode, by operation
	SetViews   uint64              // calls of MPI_File_set_view by this process, for all closed datasets
	Calls      uint64              // calls that move data, by this process, for all closed datasets
	Driver     string              // HDF5 file driver
	Settings   []units.KeyValue    // the requested HDF5 settings, by option name, with the values that a file has
	Extensions uint64              // calls of H5Dset_extent by this process, for all datasets
}

// CollectiveModes holds what HDF5 reports about collective transfers (H5Pget_mpio_actual_io_mode,
// H5Pget_mpio_actual_chunk_opt_mode and H5Pget_mpio_no_collective_cause), summed over all transfers of the process in
// one direction. It does not count transfers without data.
type CollectiveModes struct {
	Collective         uint64   // transfers that were fully collective
	Mixed              uint64   // transfers that were partly collective
	Independent        uint64   // transfers that were not collective
	ChunkOptimizations []string // chunk optimization modes that occurred, as the library names them
	LocalCauses        []string // causes on this process for transfers that were not collective
	GlobalCauses       []string // causes on any process
}

// CallCounter counts calls of functions in this process. It stands before these functions, and counts also the calls
// that libraries make.
type CallCounter interface {
	// Start sets all counts to 0, and starts counting calls for files in a directory.
	Start(dir string)
	// Stop ends counting, and returns all functions, always in the same order.
	Stop() []FunctionCalls
}

// FunctionCalls holds the calls of a function.
type FunctionCalls struct {
	Function string // such as pwrite or MPI_File_write_at
	Kind     CallKind
	Calls    uint64
	Bytes    uint64 // that the calls moved
}

// CallKind is what a function does with data.
type CallKind int

// The kinds of functions. OtherCall moves no data.
const (
	OtherCall CallKind = iota
	WriteCall
	ReadCall
)

// StopFlag is a flag that C loops can poll. NewStopFlag makes one.
type StopFlag struct {
	flag *int32
}

// Pointer returns the address of the flag, an int32, for C.
func (s *StopFlag) Pointer() unsafe.Pointer { return unsafe.Pointer(s.flag) }
