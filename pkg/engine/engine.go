// Package engine is the contract between the harness and an API that moves bytes.
//
// An engine is prepared for a case: hints, capability checks, memory. This is never timed. Then it opens files, opens
// or creates datasets in them, transfers, syncs and closes; the harness times each of these with a clock of its own.
// Engines know nothing of clocks, sweeps or reports, and compute no geometry. The conformance suite in package
// enginetest states the contract as tests.
//
// All methods of an engine are called from one locked thread, as MPI and HDF5 require.
package engine

import (
	"os"
	"unsafe"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/hist"
	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// Op is the direction of transfers.
type Op int

// Write creates the file, Read opens it.
const (
	Write Op = iota
	Read
)

// String returns "write" or "read".
func (o Op) String() string {
	if o == Write {
		return "write"
	}
	return "read"
}

// Spec describes a case to an engine, as one process takes part in it.
type Spec struct {
	// Comm holds the processes that take part. Engines communicate only through the API that they measure.
	Comm     mpi.Comm
	Sequence pattern.Sequence // transfers of this process, as a hyperslab that moves through the dataset
	Nest     pattern.Nest     // the same as runs of a plain file; for HDF5: runs in row-major order, that of the buffer
	Buffer   Buffer
	Stop     *Stop
	Zeros    bool            // the data in the files may be zeros
	Compared bool            // what is read is compared with what was written, so reads need not look at it
	Latency  *hist.Histogram // receives the time of each data call; made by NewLatency; nil: calls are not timed

	Dir string // directory of the files
	// The same, held open: what this program opens itself it opens through At, whatever becomes of the path Dir. nil:
	// files are opened by their paths.
	At     *os.File
	Direct bool // POSIX: open files with O_DIRECT

	Datasets     int    // per file
	DatasetBytes uint64 // size of one dataset, parts of all processes together

	Collective bool
	Region     bool     // the part of each process is one run of the file: 1D, contiguous pattern
	Chunk      []uint64 // HDF5: extent of a chunk in elements, by dimension; nil: contiguous storage
	// HDF5, chunked: a dataset has the extent of a transfer buffer at first, and grows with transfers
	Extendible bool

	HDF5  hdf5conf.Settings  // complete, or zero: the driver mpio and the library's defaults
	MPIIO mpiioconf.Settings // also apply to HDF5 through MPI-IO
}

// Ordinal returns the number of transfer t of dataset k among all transfers of its file. All three count from 0. It
// selects the buffer: see Buffer.
func (s *Spec) Ordinal(k int, t uint64) uint64 { return uint64(k)*s.Sequence.Transfers() + t }

// Buffer is the memory of a process's transfers: Slots transfer buffers in Pool, one after another. The transfer with
// ordinal n (Spec.Ordinal) uses slot n mod Slots; with OneForReads, all reads use slot 0.
type Buffer struct {
	Pool        []byte // from Map
	Slots       uint64
	OneForReads bool
	SlotBytes   uint64 // size of a transfer buffer
	Grain       uint64 // bytes between two stamps of a run; see package fill
}

// SlotsOf returns the number of slots that an operation uses.
func (b Buffer) SlotsOf(op Op) uint64 {
	if b.OneForReads && op == Read {
		return 1
	}
	return b.Slots
}

// At returns the offset in the pool, in bytes, of the slot of an ordinal.
func (b Buffer) At(ordinal uint64) uint64 { return ordinal % b.Slots * b.SlotBytes }

// Slot returns the slot of an ordinal.
func (b Buffer) Slot(ordinal uint64) []byte {
	at := b.At(ordinal)
	return b.Pool[at : at+b.SlotBytes : at+b.SlotBytes]
}

// Engine transfers data through one API.
type Engine interface {
	// Prepare checks that the API can do what spec asks, and makes what all files of the case share. It returns an
	// error with the library's reason if the API cannot: no file exists yet. Called on all processes of spec.Comm.
	Prepare(spec Spec) (Session, error)
}

// Session is an engine prepared for one case.
type Session interface {
	// Open creates (Write) or opens (Read) a file. All processes call it, also where the API does not require that. If
	// it fails on one process, the others wait no longer than the API itself makes them.
	Open(path string, op Op) (File, error)
	// FileBytes returns the least size of a file with all its datasets, and reports whether the size is exactly that.
	FileBytes() (bytes uint64, exact bool)
	// Names returns the base names of the files that the data file at path consists of, in their order. All are in its
	// directory. Where the API makes more of them as the data file grows, these are those that exist, and at least the
	// first.
	Names(path string) []string
	// Call returns the name of the function that moves data, such as pwrite. Spec.Latency holds the times of its calls.
	Call(op Op) string
	// Effective returns what the API really did so far.
	Effective() Effective
	// CollectiveSync reports whether File.Sync is a collective call of the API.
	CollectiveSync() bool
	// Close releases everything that Prepare made.
	Close() error
}

// File is an open file.
type File interface {
	// Dataset creates (Write) or opens (Read) dataset k, counted from 0. With stamping, transfers write stamps with
	// this tag into the buffers before they write these; otherwise buffers are written as they are. Reads may take
	// stamping to mean that the data have these stamps.
	Dataset(k int, tag uint64, stamping bool) (Dataset, error)
	// Sync makes durable what was written.
	Sync() error
	// Close closes the file, also after an error.
	Close() error
}

// Dataset is an open dataset, positioned at its first transfer.
type Dataset interface {
	// Transfer does the next n transfers in one batch. It returns ErrStopped if the stop flag is set, or an *Error.
	Transfer(n uint64) error
	// Progress returns what was done since the dataset was opened, also after an error.
	Progress() Progress
	// Close closes the dataset, also after an error.
	Close() error
}

// Progress counts what this process did with a dataset.
type Progress struct {
	Transfers uint64 // complete ones
	Bytes     uint64 // moved, also by a transfer that failed
	Calls     uint64 // of the function that moves data
	SetViews  uint64 // calls of MPI_File_set_view
}

// Effective is what an API really did, as far as it can be found out. A field that does not apply to the API is zero.
type Effective struct {
	Hints      []kv.KeyValue   // result of MPI_File_get_info, for one of the files
	Collective *CollectiveUsed // HDF5 in collective mode
	SetViews   uint64          // calls of MPI_File_set_view by this process, for all closed datasets
	Calls      uint64          // calls that move data, by this process, for all closed datasets
	Driver     string          // HDF5 file driver
	Extensions uint64          // calls of H5Dset_extent by this process, for all datasets
}

// CollectiveUsed is HDF5's own account of collective transfers (H5Pget_mpio_actual_io_mode,
// H5Pget_mpio_actual_chunk_opt_mode and H5Pget_mpio_no_collective_cause), summed over all transfers of the process.
type CollectiveUsed struct {
	Collective  uint64   // transfers that were fully collective
	Mixed       uint64   // transfers that were collective in part
	Independent uint64   // transfers that were not collective
	Optimize    []string // chunk optimization modes that occurred, as the library names them
	LocalCause  []string // causes on this process why transfers were not collective
	GlobalCause []string // causes on any process
}

// Stop is a flag that C loops can poll. NewStop makes one.
type Stop struct {
	flag *int32
}

// Pointer returns the address of the flag, an int32, for C.
func (s *Stop) Pointer() unsafe.Pointer { return unsafe.Pointer(s.flag) }
