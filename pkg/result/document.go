// Package result is the document of a run: the one truth from which reports, metrics and comparisons are made.
//
// Names carry units: _seconds, _bytes, _bytes_per_second. Times are RFC 3339 in UTC.
package result

import (
	"time"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/kv"
)

// Version is the version of the document's schema. Version 2 adds the conditions of the run and what was seen of them,
// latencies, the identity, and the links between documents; of version 1 is read what it has, and the rest is filled in as
// the runs of then were.
const Version = 2

// Document is one run.
type Document struct {
	SchemaVersion int        `json:"schema_version"`
	RunID         string     `json:"run_id"` // unique; also in the name of the directory of the data files
	State         State      `json:"state" without:"skipped"`
	ExitStatus    *int       `json:"exit_status,omitempty"` // absent while running
	Started       time.Time  `json:"started"`
	Finished      *time.Time `json:"finished,omitempty"`
	Kind          Kind       `json:"kind"` // parallel or serial
	Command       []string   `json:"command"`
	Identity      Identity   `json:"identity" since:"2"`
	Pair          *Pair      `json:"pair,omitempty" since:"2"`     // one of two configurations measured in turns
	RerunOf       string     `json:"rerun_of,omitempty" since:"2"` // run_id of the run that this one repeats
	Given         []Given    `json:"parameters_given"`
	Parameters    Parameters `json:"parameters"`      // after defaults and adjustments
	Notes         []string   `json:"notes,omitempty"` // what was adjusted, skipped or is not as it seems
	Software      Software   `json:"software"`
	Machine       Machine    `json:"machine"`
	Target        Target     `json:"target"`
	Job           Job        `json:"job"`
	Cases         []Case     `json:"cases"`
	Errors        []Error    `json:"errors,omitempty"`
}

// Given is a parameter as the user wrote it.
type Given struct {
	Name  string `json:"name"`            // long name of the option, or name of the environment variable
	Value string `json:"value,omitempty"` // empty for a flag
}

// Pair ties the documents of two configurations that one run measured in turns: sample i of a point in one and sample i of
// it in the other were taken right after one another, in random order.
type Pair struct {
	Arm     Arm    `json:"arm"` // A or B
	Partner string `json:"partner_run_id"`
	Seed    uint64 `json:"seed"` // of the order
}

// The settings that engines understand, which are among the parameters.
type (
	HDF5Settings  = hdf5conf.Settings
	MPIIOSettings = mpiioconf.Settings
)

// Parameters are the settings of a run, as used. A serial run is one step of one process and one transfer size, and has
// none of what is empty in a parallel run, nor the reverse.
type Parameters struct {
	APIs             []string `json:"apis"`
	MinProcesses     int      `json:"min_processes"`
	MaxProcesses     int      `json:"max_processes"`
	BytesPerProcess  uint64   `json:"bytes_per_process,omitempty"` // per dataset; of a side in 2D
	BlockBytes       uint64   `json:"block_bytes,omitempty"`       // of a side in 2D
	MinTransferBytes uint64   `json:"min_transfer_bytes"`
	MaxTransferBytes uint64   `json:"max_transfer_bytes"`
	Iterations       int      `json:"iterations"`
	Files            int      `json:"files"`
	Datasets         int      `json:"datasets"`
	Geometry         Geometry `json:"geometry,omitempty"`    // 1D or 2D
	Pattern          Pattern  `json:"pattern,omitempty"`     // contiguous or interleaved
	Mode             Mode     `json:"mode,omitempty"`        // independent or collective
	Layout           Layout   `json:"layout"`                // contiguous or chunked
	ChunkBytes       []uint64 `json:"chunk_bytes,omitempty"` // extent of an HDF5 chunk, when chunked
	WriteOnly        bool     `json:"write_only"`
	HDF5Settings
	MPIIOSettings
	Verify     bool       `json:"verify"`
	KeepFiles  bool       `json:"keep_files"`
	Conditions Conditions `json:"conditions" since:"2"`

	DatasetExtent  []uint64 `json:"dataset_extent,omitempty"`  // bytes in each dimension; what follows has as many entries
	BufferExtent   []uint64 `json:"buffer_extent,omitempty"`   // of a transfer
	DimensionOrder []int    `json:"dimension_order,omitempty"` // from 1; the dimension that the walk goes along first in front
	Extendible     bool     `json:"extendible,omitempty"`
}

// Conditions are what a run does beyond the C tools to make its figures say what they measured. In the zero-option run Sync
// is none, Order given, Data position and SpaceCheck true.
type Conditions struct {
	Sync          Sync    `json:"sync"`                         // when written data are made durable: none, close (of a file), phase (the transfers of a dataset), each (transfer)
	Direct        bool    `json:"direct"`                       // POSIX files are opened with O_DIRECT
	Cold          bool    `json:"cold"`                         // before a read, each node syncs the files and drops them from its page cache
	Shift         int     `json:"shift"`                        // rank r reads what rank r+shift wrote
	Warmup        int     `json:"warmup_iterations"`            // of each case, before those that count
	RepeatUntil   float64 `json:"repeat_until_ratio,omitempty"` // iterate until the interval of the median is at most this part of the median wide
	MinSeconds    float64 `json:"min_case_seconds,omitempty"`   // iterate until a case was measured this long in each direction
	MaxIterations int     `json:"max_iterations,omitempty"`     // cap for both
	Order         Order   `json:"order"`                        // of cases: given, or random, anew in every iteration
	Seed          uint64  `json:"seed,omitempty"`               // of that order
	TimeLimit     float64 `json:"time_limit_seconds,omitempty"` // of a transfer phase: see Limit
	Latency       bool    `json:"latency"`                      // each data call is timed
	Data          Data    `json:"data"`                         // position, random, zero or compress
	CompressRatio float64 `json:"compress_ratio,omitempty"`     // bytes before : after compression, with compress
	ReadOnly      string  `json:"read_only_file,omitempty"`     // reads this file, written by another run, and writes none
	Profile       Profile `json:"profile,omitempty"`            // quick, standard or strict
	MemoryFactor  float64 `json:"memory_factor,omitempty"`      // a file is at least this many times the memory of the nodes
	Timeout       float64 `json:"timeout_seconds,omitempty"`    // a call that lasts longer is taken for hanging; 0 is never
	SpaceCheck    bool    `json:"space_check"`                  // a run that needs more than what is free is refused
}

// KeyValue is a named string.
type KeyValue = kv.KeyValue

// Software is what ran.
type Software struct {
	Version     string      `json:"h5perf_version"`
	Revision    string      `json:"h5perf_revision,omitempty"`
	Flavour     string      `json:"flavour,omitempty"`
	Go          string      `json:"go_version"`
	MPI         string      `json:"mpi_library,omitempty"` // MPI_Get_library_version, first line
	MPIStandard string      `json:"mpi_standard,omitempty"`
	IOComponent string      `json:"mpi_io_component,omitempty"`           // the implementation of MPI-IO, as far as it can be told
	ThreadLevel ThreadLevel `json:"mpi_thread_level,omitempty" since:"2"` // that MPI gave
	HDF5        string      `json:"hdf5_version,omitempty"`
	HDF5Library string      `json:"hdf5_library,omitempty"` // path of the shared object in use
	HDF5Config  []KeyValue  `json:"hdf5_configuration,omitempty"`
}

// Machine is where rank 0 ran.
type Machine struct {
	Host        string `json:"host"`
	Kernel      string `json:"kernel"`
	Arch        string `json:"architecture"`
	CPU         string `json:"cpu_model,omitempty"`
	CPUs        int    `json:"cpus"` // online logical processors
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	// MemoryCopy is what the processors of the node can copy at most: the speed of one alone, measured at the end of the run, times their number.
	MemoryCopy float64 `json:"memory_copy_bytes_per_second,omitempty" since:"2"`
	OS         string  `json:"operating_system,omitempty"`
	Container  string  `json:"container,omitempty"`
	Image      *Image  `json:"image,omitempty" since:"2"`
}

// Image is the container image that the program is of, as far as that is told.
type Image struct {
	Build  string `json:"build_id,omitempty"` // baked in: the commit, and a hash of the lock file
	Digest string `json:"digest,omitempty"`   // by H5PERF_IMAGE_DIGEST, or the SIF's label h5perf.image.digest
}

// Target is the file system that was measured.
type Target struct {
	Directory  string  `json:"directory"` // where the private directory of the run was made
	MountPoint string  `json:"mount_point,omitempty"`
	Source     string  `json:"mount_source,omitempty"`
	Type       string  `json:"file_system_type,omitempty"`
	Options    string  `json:"mount_options,omitempty"`
	SizeBytes  uint64  `json:"size_bytes,omitempty"`
	FreeBytes  uint64  `json:"free_bytes,omitempty"` // for this user, before the run
	FreeInodes uint64  `json:"free_inodes,omitempty"`
	Stripe     *Stripe `json:"stripe,omitempty" since:"2"` // absent where the file system has none that is known
}

// Stripe is how a file that is made in the directory is spread over the targets of the file system's servers, as its own tool
// tells. Where there are components (progressive layouts of Lustre) they tell it, each for a part of the file.
type Stripe struct {
	System     StripeSystem      `json:"system,omitempty"`      // lustre or beegfs
	Count      int               `json:"count,omitempty"`       // targets; -1 is all
	SizeBytes  uint64            `json:"size_bytes,omitempty"`  // on a target before the next comes
	Pattern    string            `json:"pattern,omitempty"`     // raid0, mdt, RAID0, Buddy Mirror, ...
	StartIndex *int              `json:"start_index,omitempty"` // the first target; -1 is chosen by the file system
	Pool       string            `json:"pool,omitempty"`
	Components []StripeComponent `json:"components,omitempty"`
	Error      string            `json:"error,omitempty"` // why it is not known
}

// StripeComponent is the striping of a part of a file. What is named as in Stripe means the same.
type StripeComponent struct {
	StartBytes uint64 `json:"start_bytes"`
	EndBytes   uint64 `json:"end_bytes,omitempty"` // exclusive; absent: to the end of the file
	Count      int    `json:"count,omitempty"`
	SizeBytes  uint64 `json:"size_bytes,omitempty"`
	Pattern    string `json:"pattern,omitempty"`
	StartIndex *int   `json:"start_index,omitempty"`
	Pool       string `json:"pool,omitempty"`
}

// Job is how the run was launched.
type Job struct {
	Processes    int        `json:"processes"`
	Nodes        int        `json:"nodes"`
	Placement    []Host     `json:"placement"` // rank to host map, compressed
	Binding      []Binding  `json:"cpu_binding,omitempty"`
	Launcher     string     `json:"launcher,omitempty"`
	Slurm        []KeyValue `json:"slurm,omitempty"`         // SLURM_ variables that describe the job
	MPIVariables []KeyValue `json:"mpi_variables,omitempty"` // OMPI_MCA_, MPICH_, ROMIO_, UCX_, HDF5_, H5FD_ variables that change I/O
	TimeoutGrace float64    `json:"failure_grace_seconds"`
}

// Host is a node and its ranks of MPI_COMM_WORLD, as ranges such as "0-3,8" or "0-30:2" (with step).
type Host struct {
	Host  string `json:"host"`
	Ranks string `json:"ranks"`
	Count int    `json:"count"`
}

// Binding is a set of processors and the number of ranks that may run on just these, per host.
type Binding struct {
	Host  string `json:"host"`
	CPUs  string `json:"cpus"` // a list such as "0-1"
	Ranks int    `json:"ranks"`
}

// Case is one number of processes, transfer size and API.
type Case struct {
	Processes     int        `json:"processes"`
	Nodes         int        `json:"nodes"`
	TransferBytes uint64     `json:"transfer_bytes"` // -x; in 2D one side of the buffer
	BufferBytes   uint64     `json:"buffer_bytes"`   // the whole transfer buffer
	API           string     `json:"api"`
	DatasetBytes  uint64     `json:"dataset_bytes"`
	Bytes         uint64     `json:"bytes"` // one way, one iteration: all files and datasets
	State         State      `json:"state"`
	Reason        string     `json:"reason,omitempty"` // why it was skipped
	Error         *Error     `json:"error,omitempty"`
	Verified      bool       `json:"verified"` // every byte read was compared
	Samples       []Sample   `json:"samples"`
	Warmup        []Sample   `json:"warmup_samples,omitempty" since:"2"` // count for nothing
	EndedBy       EndedBy    `json:"ended_by,omitempty" since:"2"`       // why there are no more iterations, where that was open: width, seconds or cap
	Latencies     []Latency  `json:"latencies,omitempty" since:"2"`      // with Conditions.Latency, one for each operation, over all samples
	Effective     *Effective `json:"effective,omitempty"`
}

// Sample is one measured iteration of a case in one direction. It covers all files and datasets of the iteration.
type Sample struct {
	Operation Operation `json:"operation"` // write or read
	Iteration int       `json:"iteration"` // from 1
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Bytes     uint64    `json:"bytes"`
	Transfer  Interval  `json:"transfer"`                            // the transfer loops alone ("Raw Data")
	Access    Interval  `json:"access"`                              // datasets created or opened, transferred, closed ("Write", "Read")
	OpenClose Interval  `json:"open_close"`                          // from file open to file close ("Open-Close")
	Open      Interval  `json:"open"`                                // file open
	Close     Interval  `json:"close"`                               // file close
	Create    *Interval `json:"dataset_create,omitempty" since:"2"`  // within Access: writes of HDF5 create their datasets, and fill them then
	Sync      *Interval `json:"sync,omitempty" since:"2"`            // making data durable, outside of all other intervals; absent where nothing is synced
	Durable   *Interval `json:"access_and_sync,omitempty" since:"2"` // Access and Sync of each process together
	Cache     *Cache    `json:"page_cache,omitempty" since:"2"`      // before a read
	Limit     *Limit    `json:"limit,omitempty" since:"2"`           // with a time limit that was met
	Marks     []Mark    `json:"marks,omitempty" since:"2"`           // why not to trust it
}

// Cache is how much of the files was in the page cache of the clients right before they were read. Caches of servers are
// not seen.
type Cache struct {
	Method  CacheMethod `json:"method"`             // cachestat, mincore, or none with the reason
	Highest float64     `json:"max_resident_ratio"` // of the bytes of all files of the iteration, on the node that held most
	Mean    float64     `json:"mean_resident_ratio"`
	Reason  string      `json:"reason,omitempty"` // why it is not known
}

// Limit is a transfer phase that met its time limit: there the processes agreed on the largest number of transfers that any
// of them had done, and all went on to it (as the stonewall of IO500 with wear-out). Sample.Bytes is what was moved in the
// end.
type Limit struct {
	PlannedBytes uint64   `json:"planned_bytes"`
	LimitBytes   uint64   `json:"bytes_at_limit"` // of all processes
	AtLimit      Interval `json:"transfer_at_limit"`
	Transfers    uint64   `json:"transfers_per_process"` // agreed on, in all datasets and files
}

// Latency is the distribution of the times of data calls in one direction of a case, over all processes and samples.
type Latency struct {
	Operation  Operation    `json:"operation"` // write or read
	Call       string       `json:"call"`      // pwrite, pread, MPI_File_write_at, ...
	Count      uint64       `json:"count"`
	Min        float64      `json:"min_seconds"`
	Max        float64      `json:"max_seconds"`
	Mean       float64      `json:"mean_seconds"`
	Quantiles  []Quantile   `json:"quantiles"`     // 0.5, 0.9, 0.99, 0.999, 0.9999; each within 0.4 % of the exact one
	Histogram  []Bucket     `json:"histogram"`     // ascending, empty ones left out
	Slowest    []SlowerRank `json:"slowest_ranks"` // by mean, at most 8
	SlowestMax []SlowerRank `json:"longest_calls"` // by their longest call, at most 8
}

// Quantile is the time that this part of the calls did not exceed.
type Quantile struct {
	Probability float64 `json:"probability"`
	Seconds     float64 `json:"seconds"`
}

// Bucket counts the calls that took from From, inclusive, to To, exclusive.
type Bucket struct {
	From  float64 `json:"from_seconds"`
	To    float64 `json:"to_seconds"`
	Count uint64  `json:"count"`
}

// SlowerRank is a rank that stands out.
type SlowerRank struct {
	Rank int     `json:"rank"`
	Host string  `json:"host"`
	Mean float64 `json:"mean_seconds"`
	Max  float64 `json:"max_seconds"`
}

// Interval is a time that each process measured, over the processes.
type Interval struct {
	Max     float64 `json:"max_seconds"` // the slowest process: what throughput is made of
	Min     float64 `json:"min_seconds"`
	Mean    float64 `json:"mean_seconds"`
	MaxRank int     `json:"slowest_rank"`
}

// Effective is what the API really did in a case.
type Effective struct {
	Hints      []KeyValue  `json:"hints,omitempty"` // MPI_File_get_info
	Driver     string      `json:"hdf5_driver,omitempty"`
	Calls      uint64      `json:"data_calls"` // of all processes
	SetViews   uint64      `json:"set_views"`  // MPI_File_set_view, of all processes
	Collective *Collective `json:"hdf5_collective,omitempty"`
	Files      []FileSize  `json:"files,omitempty"`              // what the last file that was written consists of
	Extensions uint64      `json:"dataset_extensions,omitempty"` // H5Dset_extent
}

// FileSize is a file by its base name.
type FileSize struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
}

// Collective is HDF5's account of transfers asked to be collective, summed over processes.
type Collective struct {
	Collective   uint64   `json:"collective_transfers"`
	Mixed        uint64   `json:"mixed_transfers"`
	Independent  uint64   `json:"independent_transfers"`
	Optimization []string `json:"chunk_optimization,omitempty"`
	LocalCauses  []string `json:"no_collective_local_causes,omitempty"`
	GlobalCauses []string `json:"no_collective_global_causes,omitempty"`
}

// Error is a failure.
type Error struct {
	Time      time.Time `json:"time"`
	Phase     Phase     `json:"phase"`               // prepare, open, dataset, transfer, verify, sync, close, check, remove, signal, ...
	Operation Operation `json:"operation,omitempty"` // write or read
	Iteration int       `json:"iteration,omitempty"`
	File      int       `json:"file,omitempty"` // from 1
	Rank      int       `json:"rank"`           // of MPI_COMM_WORLD; the first that failed
	Host      string    `json:"host,omitempty"`
	Ranks     int       `json:"failed_ranks,omitempty"` // how many failed
	Message   string    `json:"message"`
}

func (e *Error) Error() string { return e.Message }
