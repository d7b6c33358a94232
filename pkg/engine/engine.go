// Package engine is the contract between the harness and an API that moves bytes.
//
// An engine is prepared for a case (hints, capability checks, memory: never timed), and then opens files, opens or
// creates datasets in them, transfers, syncs and closes; the harness times each of these by its own clock. Engines know
// nothing of clocks, sweeps or reports, and compute no geometry. The conformance suite in enginetest states the contract
// as tests.
//
// All methods of an engine are called from one locked thread (MPI and HDF5 want that).
package engine

import (
	"unsafe"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/hist"
	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// Op is what a phase does with a file.
type Op int

// A file is created by Write and opened by Read.
const (
	Write Op = iota
	Read
)

func (o Op) String() string {
	if o == Write {
		return "write"
	}
	return "read"
}

// Spec is all an engine is told of a case.
type Spec struct {
	Comm     mpi.Comm         // the processes that take part; engines make no communication of their own besides the API's
	Sequence pattern.Sequence // this process's transfers, as a hyperslab of the dataset
	Nest     pattern.Nest     // the same as runs of a plain file (for hdf5: the row-major order, which is that of the buffer)
	Buffer   Buffer
	Stop     *Stop
	Latency  *hist.Histogram // takes the time of each data call, from NewLatency; nil: calls are not timed

	Dir    string // where the files will be, for what depends on the file system
	Direct bool   // POSIX: files are opened with O_DIRECT

	Datasets     int
	DatasetBytes uint64 // of one dataset, all processes together

	Collective bool
	Region     bool     // each process's part of a dataset is one run of the file: 1D, contiguous pattern
	Chunk      []uint64 // HDF5: extent of a chunk; nil is contiguous storage
	Extendible bool     // HDF5, chunked: a dataset begins as large as a transfer buffer, and grows before each transfer

	HDF5  hdf5conf.Settings  // complete, or none: through MPI-IO, with the library's defaults
	MPIIO mpiioconf.Settings // also those of HDF5 through MPI-IO
}

// Turn is the number of transfer t of dataset k among those of its file, from 0: the transfers take turns through the
// buffers.
func (s *Spec) Turn(k int, t uint64) uint64 { return uint64(k)*s.Sequence.Transfers() + t }

// Buffer is the memory of a process's transfers: Slots transfer buffers of SlotBytes each in Pool; turn n uses slot
// n mod Slots (Spec.Turn), but with OneForReads all reads go into the first. Every Grain bytes of a run carry a stamp (pkg/fill).
type Buffer struct {
	Pool        []byte
	Slots       uint64
	OneForReads bool
	SlotBytes   uint64
	Grain       uint64
}

// SlotsOf is how many slots an operation takes turns in.
func (b Buffer) SlotsOf(op Op) uint64 {
	if b.OneForReads && op == Read {
		return 1
	}
	return b.Slots
}

// At is the byte of the pool at which the buffer of a turn begins.
func (b Buffer) At(turn uint64) uint64 { return turn % b.Slots * b.SlotBytes }

// Slot is the buffer of a turn.
func (b Buffer) Slot(turn uint64) []byte {
	at := b.At(turn)
	return b.Pool[at : at+b.SlotBytes : at+b.SlotBytes]
}

// Engine is one API.
type Engine interface {
	// Prepare checks that the API can do what spec asks, and makes what all files of the case share. What it cannot do is
	// refused here, before any file exists, with the library's reason. Called on all processes of spec.Comm.
	Prepare(spec Spec) (Session, error)
}

// Session is an engine prepared for one case.
type Session interface {
	// Open creates (Write) or opens (Read) a file. Collective over the communicator, also where the API is not: an error on
	// one process must not keep the others waiting inside this call for more than the API itself does.
	Open(path string, op Op) (File, error)
	// FileBytes is the size that a file with all its datasets must have at least, and whether it must be exactly that.
	FileBytes() (bytes uint64, exact bool)
	// Files are the files that the file written at path consists of, all in its directory.
	Files(path string) ([]FileSize, error)
	// Call is the function of the API that moves data, such as pwrite: the one that Spec.Latency times.
	Call(op Op) string
	// Effective is what the API really did so far.
	Effective() Effective
	// CollectiveSync reports whether File.Sync is a collective call of the API.
	CollectiveSync() bool
	// Close releases all that Prepare made.
	Close() error
}

// File is an open file.
type File interface {
	// Dataset creates (Write) or opens (Read) dataset k, counted from 0. tag goes into the stamps of what is written; with
	// stamping false the buffers are written as they are.
	Dataset(k int, tag uint64, stamping bool) (Dataset, error)
	// Sync makes what was written durable.
	Sync() error
	// Close closes the file, also after an error.
	Close() error
}

// Dataset is an open dataset, positioned at its first transfer.
type Dataset interface {
	// Transfer does the next n transfers in one batch. It returns ErrStopped when the stop flag was set, or an *Error.
	Transfer(n uint64) error
	// Progress is what was done since the dataset was opened, also after an error.
	Progress() Progress
	// Close closes the dataset, also after an error.
	Close() error
}

// Progress counts what was done to a dataset by this process.
type Progress struct {
	Transfers uint64
	Bytes     uint64
	Calls     uint64 // data calls of the API
	SetViews  uint64 // MPI_File_set_view
}

// Effective is what an API really did, as far as it tells. Zero values mean that it does not apply.
type Effective struct {
	Hints      []kv.KeyValue   // MPI_File_get_info of the last file
	Collective *CollectiveUsed // HDF5 in collective mode
	SetViews   uint64          // of this process, all datasets
	Calls      uint64
	Driver     string // HDF5 file driver
	Extensions uint64 // H5Dset_extent, all datasets
}

// CollectiveUsed is HDF5's own account of a collective transfer (H5Pget_mpio_actual_io_mode and
// H5Pget_mpio_no_collective_cause), over all transfers of the process.
type CollectiveUsed struct {
	Collective  uint64   // transfers that were fully collective
	Mixed       uint64   // partly
	Independent uint64   // not at all
	Optimize    []string // chunk optimization modes met, in the library's words
	LocalCause  []string // why not, on this process
	GlobalCause []string // why not, on any process
}

// Stop is a flag in memory that C loops can poll.
type Stop struct {
	flag *int32
}

// Pointer is the flag, for C.
func (s *Stop) Pointer() unsafe.Pointer { return unsafe.Pointer(s.flag) }
