// Package result is the document of a run: the one truth from which reports, metrics and comparisons are made.
//
// Names carry units: _seconds, _bytes, _bytes_per_second. Times are RFC 3339 in UTC.
package result

import "time"

// Version is the version of the document's schema.
const Version = 1

// State is how far a run, or a case of it, came.
type State string

// A run is Running until it ends in one of the others. A case is Complete, Failed, Interrupted or Skipped.
const (
	Running     State = "running"
	Complete    State = "complete"
	Failed      State = "failed"
	Interrupted State = "interrupted"
	Skipped     State = "skipped"
)

// Document is one run.
type Document struct {
	SchemaVersion int        `json:"schema_version"`
	RunID         string     `json:"run_id"` // unique; also in the name of the directory of the data files
	State         State      `json:"state"`
	ExitStatus    *int       `json:"exit_status,omitempty"` // absent while running
	Started       time.Time  `json:"started"`
	Finished      *time.Time `json:"finished,omitempty"`
	Kind          string     `json:"kind"` // parallel or serial
	Command       []string   `json:"command"`
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

// Parameters are the settings of a run, as used. A serial run is one step of one process and one transfer size, and has
// none of what is empty in a parallel run, nor the reverse.
type Parameters struct {
	APIs             []string   `json:"apis"`
	MinProcesses     int        `json:"min_processes"`
	MaxProcesses     int        `json:"max_processes"`
	BytesPerProcess  uint64     `json:"bytes_per_process,omitempty"` // per dataset; of a side in 2D
	BlockBytes       uint64     `json:"block_bytes,omitempty"`       // of a side in 2D
	MinTransferBytes uint64     `json:"min_transfer_bytes"`
	MaxTransferBytes uint64     `json:"max_transfer_bytes"`
	Iterations       int        `json:"iterations"`
	Files            int        `json:"files"`
	Datasets         int        `json:"datasets"`
	Geometry         string     `json:"geometry,omitempty"`    // 1D or 2D
	Pattern          string     `json:"pattern,omitempty"`     // contiguous or interleaved
	Mode             string     `json:"mode,omitempty"`        // independent or collective
	Layout           string     `json:"layout"`                // contiguous or chunked
	ChunkBytes       []uint64   `json:"chunk_bytes,omitempty"` // extent of an HDF5 chunk, when chunked
	WriteOnly        bool       `json:"write_only"`
	AlignmentBytes   uint64     `json:"alignment_bytes"`
	ThresholdBytes   uint64     `json:"threshold_bytes"`
	Driver           string     `json:"hdf5_driver"`    // parallel: mpio or mpiposix; serial: sec2, stdio, core, split, multi, family or direct
	View             string     `json:"view,omitempty"` // auto or transfer
	Verify           bool       `json:"verify"`
	Hints            []KeyValue `json:"hints_asked,omitempty"`
	HintsSet         bool       `json:"hints_set"`              // an MPI info object is passed, though perhaps without keys
	IOComponent      string     `json:"io_component,omitempty"` // asked of Open MPI
	KeepFiles        bool       `json:"keep_files"`

	DatasetExtent    []uint64        `json:"dataset_extent,omitempty"`  // bytes in each dimension; what follows has as many entries
	BufferExtent     []uint64        `json:"buffer_extent,omitempty"`   // of a transfer
	DimensionOrder   []int           `json:"dimension_order,omitempty"` // from 1; the dimension that the walk goes along first in front
	Extendible       bool            `json:"extendible,omitempty"`
	DriverSettings   *DriverSettings `json:"hdf5_driver_settings,omitempty"`
	SieveBufferBytes *uint64         `json:"sieve_buffer_bytes,omitempty"` // absent: HDF5's default
	ChunkCacheBytes  *uint64         `json:"chunk_cache_bytes,omitempty"`  // absent: HDF5's default
}

// KeyValue is a named string.
type KeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Software is what ran.
type Software struct {
	Version     string     `json:"h5perf_version"`
	Revision    string     `json:"h5perf_revision,omitempty"`
	Flavour     string     `json:"flavour,omitempty"`
	Go          string     `json:"go_version"`
	MPI         string     `json:"mpi_library,omitempty"` // MPI_Get_library_version, first line
	MPIStandard string     `json:"mpi_standard,omitempty"`
	IOComponent string     `json:"mpi_io_component,omitempty"` // the implementation of MPI-IO, as far as it can be told
	HDF5        string     `json:"hdf5_version,omitempty"`
	HDF5Library string     `json:"hdf5_library,omitempty"` // path of the shared object in use
	HDF5Config  []KeyValue `json:"hdf5_configuration,omitempty"`
}

// Machine is where rank 0 ran.
type Machine struct {
	Host        string `json:"host"`
	Kernel      string `json:"kernel"`
	Arch        string `json:"architecture"`
	CPU         string `json:"cpu_model,omitempty"`
	CPUs        int    `json:"cpus"` // online logical processors
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	OS          string `json:"operating_system,omitempty"`
	Container   string `json:"container,omitempty"`
}

// Target is the file system that was measured.
type Target struct {
	Directory  string `json:"directory"` // where the private directory of the run was made
	MountPoint string `json:"mount_point,omitempty"`
	Source     string `json:"mount_source,omitempty"`
	Type       string `json:"file_system_type,omitempty"`
	Options    string `json:"mount_options,omitempty"`
	SizeBytes  uint64 `json:"size_bytes,omitempty"`
	FreeBytes  uint64 `json:"free_bytes,omitempty"` // for this user, before the run
	FreeInodes uint64 `json:"free_inodes,omitempty"`
}

// Job is how the run was launched.
type Job struct {
	Processes    int        `json:"processes"`
	Nodes        int        `json:"nodes"`
	Placement    []Host     `json:"placement"` // rank to host map, compressed
	Binding      []Binding  `json:"cpu_binding,omitempty"`
	Launcher     string     `json:"launcher,omitempty"`
	Slurm        []KeyValue `json:"slurm,omitempty"`         // SLURM_ variables that describe the job
	MPIVariables []KeyValue `json:"mpi_variables,omitempty"` // OMPI_MCA_, MPICH_, ROMIO_, UCX_, HDF5_ variables that change I/O
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
	Effective     *Effective `json:"effective,omitempty"`
}

// Sample is one measured iteration of a case in one direction. It covers all files and datasets of the iteration.
type Sample struct {
	Operation string    `json:"operation"` // write or read
	Iteration int       `json:"iteration"` // from 1
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Bytes     uint64    `json:"bytes"`
	Transfer  Interval  `json:"transfer"`   // the transfer loops alone ("Raw Data")
	Access    Interval  `json:"access"`     // datasets created or opened, transferred, closed ("Write", "Read")
	OpenClose Interval  `json:"open_close"` // from file open to file close ("Open-Close")
	Open      Interval  `json:"open"`       // file open
	Close     Interval  `json:"close"`      // file close
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
	Phase     string    `json:"phase"`               // prepare, open, dataset, transfer, verify, sync, close, check, remove, signal, ...
	Operation string    `json:"operation,omitempty"` // write or read
	Iteration int       `json:"iteration,omitempty"`
	File      int       `json:"file,omitempty"` // from 1
	Rank      int       `json:"rank"`           // of MPI_COMM_WORLD; the first that failed
	Host      string    `json:"host,omitempty"`
	Ranks     int       `json:"failed_ranks,omitempty"` // how many failed
	Message   string    `json:"message"`
}

func (e *Error) Error() string { return e.Message }
