// Package result defines the document of a run, from which all output about the run is made. It writes documents as
// JSON, and reads them.
//
// Names of fields in JSON carry their units: _seconds, _bytes, _bytes_per_second. Times are in UTC, as of RFC 3339.
package result

import (
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/placement"
	"h5perf/pkg/plain"
	"h5perf/pkg/units"
)

// Version is the version of the document's schema that this release writes and reads.
const Version = 1

// Document is the record of one run.
type Document struct {
	SchemaVersion int             `json:"schema_version"`
	RunID         string          `json:"run_id"` // unique; also in the name of the directory of the data files
	State         State           `json:"state" without:"skipped"`
	ExitStatus    *int            `json:"exit_status,omitempty"` // absent while running, or not known
	Started       time.Time       `json:"started"`
	Finished      *time.Time      `json:"finished,omitempty"`
	Kind          Kind            `json:"kind"` // parallel or serial
	Command       []string        `json:"command"`
	Identity      Identity        `json:"identity"`
	Pair          *Pair           `json:"pair,omitempty"`     // one of several configurations measured in turns
	RerunOf       string          `json:"rerun_of,omitempty"` // run_id of the run that this one repeats
	Given         []Given         `json:"parameters_given"`
	Parameters    Parameters      `json:"parameters"`         // after defaults and adjustments
	Cautions      []plain.Caution `json:"cautions,omitempty"` // what is to be known before the figures are believed
	Notes         []string        `json:"notes,omitempty"`    // what was adjusted or skipped, each in a sentence
	Software      Software        `json:"software"`
	Machine       Machine         `json:"machine"`
	Target        Target          `json:"target"`
	Job           Job             `json:"job"`
	// Number of cases that the run was to measure.
	PlannedCases int     `json:"planned_cases,omitempty"`
	Cases        []Case  `json:"cases"`
	Errors       []Error `json:"errors,omitempty"`
}

// Given is a parameter as the user wrote it.
type Given struct {
	Name  string `json:"name"`            // long name of the option, or name of the environment variable
	Value string `json:"value,omitempty"` // empty for a flag
}

// Pair links the documents of two or more configurations that one run measured in turns. Samples i of a point in all of
// their documents were taken one right after the other, in random order.
type Pair struct {
	Arm     Arm    `json:"arm"`            // A, B, ...
	Partner string `json:"partner_run_id"` // run of A; in its own document that of B
	Seed    uint64 `json:"seed"`           // of the random order
}

// FirstArmRunID returns the run of the first configuration that was measured in turns with this one, which may be
// itself. It returns "" if there was none.
func (d Document) FirstArmRunID() string {
	switch {
	case d.Pair == nil:
		return ""
	case d.Pair.Arm == ArmA:
		return d.RunID
	}
	return d.Pair.Partner
}

// HDF5Settings are the settings that only the engines with HDF5 understand. They are part of the parameters.
type HDF5Settings = option.HDF5

// MPIIOSettings are the settings that only the engines with MPI-IO understand. They are part of the parameters.
type MPIIOSettings = option.MPIIO

// Parameters are the settings of a run, with defaults filled in. DatasetExtent and the fields after it are for serial
// runs only, which have one process and one transfer size. Geometry, Pattern, Mode, BytesPerProcess and BlockSize
// are for parallel runs only.
type Parameters struct {
	APIs            []string `json:"apis"`
	MinProcesses    int      `json:"min_processes"`
	MaxProcesses    int      `json:"max_processes"`
	BytesPerProcess uint64   `json:"bytes_per_process,omitempty"` // per dataset; in 2D of one side of its square
	BlockSize       uint64   `json:"block_bytes,omitempty"`       // in 2D of one side of its square
	MinTransferSize uint64   `json:"min_transfer_bytes"`
	MaxTransferSize uint64   `json:"max_transfer_bytes"`
	Iterations      int      `json:"iterations"`
	Files           int      `json:"files"`
	// each process has so many files of its own, with its part of the datasets
	FilesPerProcess bool `json:"files_per_process,omitempty"`
	// which processes create a file and its datasets: all together (absent), or first, and all open them then
	Create    option.Create `json:"create,omitempty" without:"all"`
	Datasets  int           `json:"datasets"`
	Geometry  Geometry      `json:"geometry,omitempty"`    // 1D or 2D
	Pattern   Pattern       `json:"pattern,omitempty"`     // contiguous or interleaved
	Mode      Mode          `json:"mode,omitempty"`        // independent or collective
	Layout    Layout        `json:"layout"`                // contiguous or chunked
	ChunkSize []uint64      `json:"chunk_bytes,omitempty"` // extent of an HDF5 chunk, if the layout is chunked
	WriteOnly bool          `json:"write_only"`
	HDF5Settings
	MPIIOSettings
	Verify     bool              `json:"verify"`
	KeepFiles  bool              `json:"keep_files"`
	Conditions option.Conditions `json:"conditions"`

	// Bytes in each dimension. BufferExtent and DimensionOrder have as many elements.
	DatasetExtent []uint64 `json:"dataset_extent,omitempty"`
	BufferExtent  []uint64 `json:"buffer_extent,omitempty"` // bytes of the transfer buffer in each dimension
	// The dimensions, numbered from 1, in the order in which transfers go along them: the fastest first.
	DimensionOrder []int `json:"dimension_order,omitempty"`
	Extendible     bool  `json:"extendible,omitempty"` // the dataset has one transfer buffer at first, and is extended

	// Of runs of kind workload. The parameters of sweeps are absent or 0 then.
	Workload *Workload `json:"workload,omitempty"`
}

// Workload is a workload as it was run.
type Workload struct {
	Name   string     `json:"name"`
	Sizes  []KeyValue `json:"sizes,omitempty"`   // names and numbers, in the order of names
	Chosen []KeyValue `json:"choices,omitempty"` // choices and their words, in the order of names
	// What the user asked for: the name of the set of sizes, as size, and the sizes and choices with other values than
	// they have without --set.
	Asked []KeyValue `json:"asked,omitempty"`
	// Settings of HDF5 that the workload has by itself, by the names of their options. Options take precedence.
	Settings []KeyValue `json:"settings,omitempty"`
	// SHA-256 of Text, the values of sizes and choices, and Layout. Workloads with different hashes are different.
	Hash string `json:"sha256"`
	Text string `json:"script"` // of the workload file: with Asked, LeftOut and Layout, it makes the same run
	// Its steps make written data durable.
	Flushes bool `json:"flushes,omitempty"`
	// Settings, and "one call for several datasets", which the HDF5 library does not have.
	LeftOut []string `json:"left_out,omitempty"`
	// The layout in which the data are stored, if it is not that of Text: form, storage with the extent of chunks, and
	// mode, such as "both, chunked 64x7, collective".
	Layout string `json:"layout,omitempty"`
	// How the data are stored, in words, of a run that compares layouts.
	Variant string `json:"variant,omitempty"`
}

// KeyValue is a key and its value.
type KeyValue = units.KeyValue

// Software is the program and the libraries in use.
type Software struct {
	Version     string `json:"h5perf_version"`
	Revision    string `json:"h5perf_revision,omitempty"`
	Flavour     string `json:"flavour,omitempty"`
	Go          string `json:"go_version"`
	MPI         string `json:"mpi_library,omitempty"` // first line of MPI_Get_library_version
	MPIStandard string `json:"mpi_standard,omitempty"`
	// The implementation of MPI-IO, where it can be found out.
	IOComponent string      `json:"mpi_io_component,omitempty"`
	ThreadLevel ThreadLevel `json:"mpi_thread_level,omitempty"` // that MPI_Init_thread provided
	HDF5        string      `json:"hdf5_version,omitempty"`
	HDF5Library string      `json:"hdf5_library,omitempty"` // path of the shared object in use
	HDF5Config  []KeyValue  `json:"hdf5_configuration,omitempty"`
}

// Machine is the node of rank 0.
type Machine struct {
	Host   string `json:"host"`
	Kernel string `json:"kernel"`
	Arch   string `json:"architecture"`
	CPU    string `json:"cpu_model,omitempty"`
	CPUs   int    `json:"cpus"` // online logical processors
	// Processors of CPUs that the control groups of the job leave to it, by a list or a quota. Absent if not known.
	GrantedCPUs float64 `json:"granted_cpus,omitempty"`
	Cores       int     `json:"cores,omitempty"` // online cores, each of one or more logical processors
	MemoryBytes uint64  `json:"memory_bytes,omitempty"`
	// Upper bound of what all processors of the node can copy: the speed of one alone, measured at the end of the run,
	// times their number.
	MemoryCopy float64 `json:"memory_copy_bytes_per_second,omitempty"`
	OS         string  `json:"operating_system,omitempty"`
	Container  string  `json:"container,omitempty"`
	Image      *Image  `json:"image,omitempty"`
}

// Image is the container image that the program runs in. What is not known is empty.
type Image struct {
	Build  string `json:"build_id,omitempty"` // stored in the image: the commit, and a hash of the lock file
	Digest string `json:"digest,omitempty"`   // H5PERF_IMAGE_DIGEST, or the label h5perf.image.digest of a SIF
}

// Target is the file system that was measured.
type Target struct {
	Directory  string  `json:"directory"` // of the private directory of the run, or of the file of ReadOnly
	MountPoint string  `json:"mount_point,omitempty"`
	Source     string  `json:"mount_source,omitempty"`
	Type       string  `json:"file_system_type,omitempty"`
	Options    string  `json:"mount_options,omitempty"`
	SizeBytes  uint64  `json:"size_bytes,omitempty"`
	FreeBytes  uint64  `json:"free_bytes,omitempty"` // for this user, before the run
	FreeInodes uint64  `json:"free_inodes,omitempty"`
	Stripe     *Stripe `json:"stripe,omitempty"` // absent where no striping is known
}

// Stripe is how a new file in the directory is distributed over the storage targets of the file system, as the file
// system's own tool reports it. With a progressive file layout of Lustre, Components has one element for each part of
// the file, and the fields from Count to Pool are empty.
type Stripe struct {
	System StripeSystem `json:"system,omitempty"`          // lustre or beegfs
	Count  int          `json:"count,omitempty" signed:""` // number of targets; -1: all
	// stripe size: consecutive bytes on one target
	SizeBytes uint64 `json:"size_bytes,omitempty"`
	Pattern   string `json:"pattern,omitempty"` // raid0, mdt, RAID0, Buddy Mirror, ...
	// the first target; -1: chosen by the file system
	StartIndex *int              `json:"start_index,omitempty" signed:""`
	Pool       string            `json:"pool,omitempty"`
	Components []StripeComponent `json:"components,omitempty"`
	Error      string            `json:"error,omitempty"` // why the striping is not known
}

// StripeComponent is the striping of a part of a file. Fields that Stripe has, too, mean the same.
type StripeComponent struct {
	StartBytes uint64 `json:"start_bytes"`
	EndBytes   uint64 `json:"end_bytes,omitempty"` // exclusive; absent: the end of the file
	Count      int    `json:"count,omitempty" signed:""`
	SizeBytes  uint64 `json:"size_bytes,omitempty"`
	Pattern    string `json:"pattern,omitempty"`
	StartIndex *int   `json:"start_index,omitempty" signed:""`
	Pool       string `json:"pool,omitempty"`
}

// Job is how the run was launched.
type Job struct {
	Processes int        `json:"processes"`
	Nodes     int        `json:"nodes"`
	Placement []Host     `json:"placement"` // which ranks run on which host
	Launcher  string     `json:"launcher,omitempty"`
	Slurm     []KeyValue `json:"slurm,omitempty"` // SLURM_ variables that describe the job
	// Variables that change I/O, with names that begin with OMPI_MCA_, MPICH_, ROMIO_, UCX_, HDF5_ or H5FD_.
	MPIVariables []KeyValue `json:"mpi_variables,omitempty"`
	// How long a rank that failed waits for the others before it ends the job. It waits longer where opening, closing
	// and syncing files took long in the run; its error then says how long.
	TimeoutGrace float64 `json:"failure_grace_seconds"`
}

// Host is a node of a job, or several nodes of equal layout.
type Host = placement.Host

// Case is one combination of number of processes, transfer size and API.
type Case struct {
	Processes    int    `json:"processes"`
	Nodes        int    `json:"nodes"`
	TransferSize uint64 `json:"transfer_bytes"` // -x; in 2D one side of the transfer buffer
	BufferBytes  uint64 `json:"buffer_bytes"`   // the whole transfer buffer
	API          string `json:"api"`
	DatasetBytes uint64 `json:"dataset_bytes"`
	Bytes        uint64 `json:"bytes"` // moved in one direction in one iteration: all files and datasets
	State        State  `json:"state"`
	// why the case was skipped, or was interrupted while it was not at work
	Reason   string   `json:"reason,omitempty"`
	Error    *Error   `json:"error,omitempty"`
	Verified bool     `json:"verified"` // every byte that was read was compared
	Samples  []Sample `json:"samples"`
	Warmup   []Sample `json:"warmup_samples,omitempty"` // not part of any figure
	// What ended the iterations, if that was not their number: width, seconds, cap or deadline.
	EndedBy EndedBy `json:"ended_by,omitempty"`
	// How far apart in time, at most, the nodes left a barrier before this case. The windows of several nodes are known
	// to within this time for each of their epochs. Absent on one node, whose processes share a clock.
	BarrierSkew float64 `json:"barrier_skew_seconds,omitempty"`
	// With Conditions.Latency: one element for each operation, over all samples.
	Latencies []Latency  `json:"latencies,omitempty"`
	Effective *Effective `json:"effective,omitempty"`
	// Of workloads through HDF5 in which filters make data smaller.
	Filtered *Filtered `json:"filtered,omitempty"`
}

// Filtered is how much an iteration stores in datasets with filters that make data smaller, when all of them is
// written. What is really stored is in the sizes of files.
type Filtered struct {
	Bytes        uint64 `json:"bytes"`                         // before the filters
	AskedBytes   uint64 `json:"asked_bytes"`                   // after them, by the ratios that the workload gives
	NoRatioBytes uint64 `json:"without_ratio_bytes,omitempty"` // part of both: data for which it gives no ratio
	OtherBytes   uint64 `json:"other_bytes"`                   // of all other datasets, and of attributes
	Files        uint64 `json:"files"`                         // in which all of this is
}

// Sample is one measured iteration of a case in one direction, with all its files and datasets.
type Sample struct {
	Operation Operation `json:"operation"` // write or read
	Iteration int       `json:"iteration"` // from 1
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Bytes     uint64    `json:"bytes"`
	// Datasets are created or opened, transferred and closed ("Write", "Read"). Of a workload: all steps but computing,
	// which is the time that the application sees.
	Access Interval `json:"access"`
	// From file open to file close ("Open-Close"). Of a workload: all steps.
	OpenClose Interval `json:"open_close"`
	// Access, and that data are made durable, which is outside of the other two. Absent if nothing is synced, and of a
	// workload, whose own steps do that.
	Durable *Interval `json:"access_and_sync,omitempty"`
	// The times of the classes of steps, in the order of the classes; those without steps are absent. The intervals
	// above are sums of classes, which each process makes of its own times. A window is 0 if steps of the class were in
	// epochs of several classes.
	Classes []ClassTime `json:"classes,omitempty"`
	Cache   *Cache      `json:"page_cache,omitempty"` // before a read
	Limit   *Limit      `json:"limit,omitempty"`      // if a time limit was reached
	// Part of the processors of a node that other programs used during the iteration, on the node where they used most.
	// Absent for iterations too short to tell, and where it is not known.
	Others float64 `json:"others_ratio,omitempty"`
	// Of workloads with several dumps: the times of their dumps, in at most 64 buckets of as many consecutive ones
	// each; the last bucket may have fewer. Steps before the first dump and after the last one are in none: their time
	// is in Classes and in Access alone, such as that of opening and closing a file of the whole run.
	Dumps []DumpTime `json:"dumps,omitempty"`
	// Of workloads: how long a process was to compute. It is part of OpenClose, and not of Access.
	PlannedCompute float64 `json:"planned_compute_seconds,omitempty"`
	// Of workloads that say what their dumps handle: how many units all processes together handled.
	Handled []Handled `json:"handled,omitempty"`
	Marks   []Mark    `json:"marks,omitempty"` // why the figure may not be that of the storage
}

// ClassTime is the time of the steps of a class.
type ClassTime struct {
	Class Class `json:"class"`
	Interval
}

// Handled is a number of things that an application handled, such as samples.
type Handled struct {
	Unit   string `json:"unit"`
	Number uint64 `json:"number"`
}

// MaxDumps is the number of buckets into which the dumps of a sample are divided, at most.
const MaxDumps = 64

// DumpTime is the time of consecutive dumps, added.
type DumpTime struct {
	First int    `json:"first_dump"` // from 1
	Last  int    `json:"last_dump"`
	Bytes uint64 `json:"bytes"` // moved by all processes
	// Sum of the windows of their epochs, without the shortest time that a process computed in them: see Interval, and
	// Access.
	Window  float64     `json:"window_seconds"`
	Classes []DumpClass `json:"classes,omitempty"` // those that took any time
}

// DumpClass is the time of the steps of a class in consecutive dumps, as each process measured it by itself.
type DumpClass struct {
	Class Class   `json:"class"`
	Max   float64 `json:"max_seconds"` // of the slowest process
	Mean  float64 `json:"mean_seconds"`
}

// Cache is how much was in the page caches of the nodes right before the files of an iteration were read, as ratios to
// what the processes of a node read, or to the bytes of all files where the places of that are not known. Caches of
// servers are not seen.
type Cache struct {
	Method  CacheMethod `json:"method"`             // cachestat or mincore; none: not known
	Highest float64     `json:"max_resident_ratio"` // of the node that held most
	Mean    float64     `json:"mean_resident_ratio"`
	Reason  string      `json:"reason,omitempty"` // why it is not known
	// Half of the width of the interval, of level 0.95, that holds Highest, if only parts of the files were looked at.
	Uncertainty float64 `json:"uncertainty_ratio,omitempty"`
}

// Limit describes transfers that reached their time limit. The processes then agreed on the largest number of
// transfers that any of them had done, and all went on to this number (the stonewall of IO500, with wear-out).
// Sample.Bytes is what was moved in the end.
type Limit struct {
	PlannedBytes uint64   `json:"planned_bytes"`
	LimitBytes   uint64   `json:"bytes_at_limit"` // of all processes
	AtLimit      Interval `json:"transfer_at_limit"`
	Transfers    uint64   `json:"transfers_per_process"` // agreed on; in all datasets and files
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
	Histogram  []Bucket     `json:"histogram"`     // ascending; empty buckets are left out
	Slowest    []SlowerRank `json:"slowest_ranks"` // with the largest means, at most 8
	SlowestMax []SlowerRank `json:"longest_calls"` // with the longest calls, at most 8
}

// Quantile is the time that a call does not exceed with the given probability.
type Quantile struct {
	Probability float64 `json:"probability"`
	Seconds     float64 `json:"seconds"`
}

// Bucket counts the calls that took at least From and less than To.
type Bucket struct {
	From  float64 `json:"from_seconds"`
	To    float64 `json:"to_seconds"`
	Count uint64  `json:"count"`
}

// SlowerRank is a rank with slow calls: their mean, and the longest of them.
type SlowerRank struct {
	Rank int     `json:"rank"`
	Host string  `json:"host"`
	Mean float64 `json:"mean_seconds"`
	Max  float64 `json:"max_seconds"`
}

// Interval summarizes a time that each process measured by itself, and its windows: an epoch lies between two
// rendezvous of the processes, and its window is the time from the first process's start to the last one's end, by the
// clock of their node, on the node where that took longest. Throughput rests on windows, for bytes that processes moved
// one after another were not moved at the sum of their rates.
type Interval struct {
	// Sum of the windows. It is 0 where the interval is no sum of epochs: transfers and syncs that alternate have only
	// a window of both.
	Window  float64 `json:"window_seconds"`
	Max     float64 `json:"max_seconds"` // of the slowest process, without its waits for others
	Min     float64 `json:"min_seconds"`
	Mean    float64 `json:"mean_seconds"`
	MaxRank int     `json:"slowest_rank"`
	// Standard deviation of the processes' own times; absent if they are the same.
	Deviation float64 `json:"deviation_seconds,omitempty"`
}

// Seconds returns the window, or the time of the slowest process if there is no window.
func (i Interval) Seconds() float64 {
	if i.Window > 0 {
		return i.Window
	}
	return i.Max
}

// Effective is what the API really did in a case. Counts are sums over all processes.
type Effective struct {
	// What MPI_File_get_info returned, without hints that the implementation of MPI-IO is known not to read. MPICH
	// returns the values that it uses. Open MPI may return the values that it was given; then a note says that it is
	// not known whether they have an effect.
	Hints  []KeyValue `json:"hints,omitempty"`
	Driver string     `json:"hdf5_driver,omitempty"`
	// Settings of HDF5 that were asked for, as a file has them, by the names of their options.
	Settings   []KeyValue  `json:"hdf5_settings,omitempty"`
	Calls      uint64      `json:"data_calls"` // calls that move data
	SetViews   uint64      `json:"set_views"`  // calls of MPI_File_set_view
	Collective *Collective `json:"hdf5_collective,omitempty"`
	// The files that the last data file consists of; some file drivers make several.
	Files      []FileSize `json:"files,omitempty"`
	Extensions uint64     `json:"dataset_extensions,omitempty"` // calls of H5Dset_extent
}

// FileSize is the base name and the size of a file.
type FileSize struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
}

// Collective is what HDF5 reports of transfers that were asked to be collective, as sums over all processes.
type Collective struct {
	Collective   uint64   `json:"collective_transfers"`
	Mixed        uint64   `json:"mixed_transfers"`
	Independent  uint64   `json:"independent_transfers"`
	Optimization []string `json:"chunk_optimization,omitempty"`
	LocalCauses  []string `json:"no_collective_local_causes,omitempty"`
	GlobalCauses []string `json:"no_collective_global_causes,omitempty"`
}

// Error is a failure of a run or of a case.
type Error struct {
	Time time.Time `json:"time"`
	// What the process did: prepare, open, dataset, transfer, verify, sync, close, check, remove, signal, ...
	Phase     Phase     `json:"phase"`
	Operation Operation `json:"operation,omitempty"` // write or read
	Iteration int       `json:"iteration,omitempty"`
	File      int       `json:"file,omitempty"` // from 1
	Rank      int       `json:"rank"`           // of MPI_COMM_WORLD; the first one that failed
	Host      string    `json:"host,omitempty"`
	Ranks     int       `json:"failed_ranks,omitempty"` // number of ranks that failed
	Message   string    `json:"message"`
}

// Error returns the message alone.
func (e *Error) Error() string { return e.Message }
