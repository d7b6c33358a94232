// Package result defines the document of a run, from which all output about the run is made. It writes and reads
// documents as JSON.
//
// Names of JSON fields end with their units: _seconds, _bytes, _bytes_per_second. Times are in UTC, in the form of RFC
// 3339.
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
	SchemaVersion   int              `json:"schema_version"`
	RunID           string           `json:"run_id"` // unique; also part of the name of the directory for data files
	State           State            `json:"state" without:"skipped"`
	ExitStatus      *int             `json:"exit_status,omitempty"` // absent while the run is running, or if not known
	Started         time.Time        `json:"started"`
	Finished        *time.Time       `json:"finished,omitempty"`
	Kind            Kind             `json:"kind"` // parallel, serial or workload
	Command         []string         `json:"command"`
	Identity        Identity         `json:"identity"`
	Pair            *Pair            `json:"pair,omitempty"`     // if several configurations were measured alternately
	RerunOf         string           `json:"rerun_of,omitempty"` // run_id of the run that this one repeats
	GivenParameters []GivenParameter `json:"parameters_given"`
	Parameters      Parameters       `json:"parameters"` // after defaults and adjustments
	// Only with --sweep: the combinations of values that are measured, in order. Parameters are those of the first one.
	Swept    []SweptCases    `json:"swept,omitempty"`
	Cautions []plain.Caution `json:"cautions,omitempty"` // what to know before you trust the results
	Notes    []string        `json:"notes,omitempty"`    // what was adjusted or skipped, each in one sentence
	Software Software        `json:"software"`
	Machine  Machine         `json:"machine"`
	Target   Target          `json:"target"`
	Job      Job             `json:"job"`
	// Number of cases that the run planned to measure.
	PlannedCases int     `json:"planned_cases,omitempty"`
	Cases        []Case  `json:"cases"`
	Errors       []Error `json:"errors,omitempty"`
}

// GivenParameter is a parameter as the user wrote it.
type GivenParameter struct {
	Name  string `json:"name"`            // long name of the option, or name of the environment variable
	Value string `json:"value,omitempty"` // empty for a flag
}

// Pair links the documents of two or more configurations that were measured alternately. Samples of the same point and
// iteration in these documents were measured one immediately after the other, in random order, unless each document is
// of a launch of its own.
type Pair struct {
	Arm Arm `json:"arm"` // A, B, ...
	// run_id of A; in the document of A, the run_id of B; empty if the launch of that one left no document
	PartnerRunID string `json:"partner_run_id"`
	Seed         uint64 `json:"seed"` // seed of the random order
	// In what the configuration differs from A, such as "chunk-cache=16M". Absent if the user gave all options of both.
	Variant string `json:"variant,omitempty"`
	// If the runs go on with earlier ones, which were interrupted: the run_ids of A in those, the oldest first.
	Continues []string `json:"continues,omitempty"`
	// If each document is of a launch of its own, as with h5perf ab --launch: the run_id of A in the first turn. Then
	// the launches were in random order, and the samples of a document count as one value.
	FirstTurnID string `json:"first_turn_run_id,omitempty"`
	TunePart
}

// TunePart is the part of h5perf tune that measured a run, and what tune was asked for: it decides what is measured.
// Absent in other runs.
type TunePart struct {
	Stage       TuneStage `json:"tune_stage,omitempty"`
	TuneFirstID string    `json:"tune_first_run_id,omitempty"` // run_id of A in the first part of h5perf tune
	TuneChanges []string  `json:"tune_changes,omitempty"`      // NAME=VALUE of each change that is tried
	TuneRuns    int       `json:"tune_runs,omitempty"`         // largest number of measurements of the search
	TuneTime    float64   `json:"tune_seconds,omitempty"`      // limit of the time of all parts; absent: none
}

// TurnsID returns the same text for all runs that were measured alternately, and for all that go on with them: the
// run_id of their first run of arm A. It returns "" if only one configuration was measured.
func (d Document) TurnsID() string {
	switch {
	case d.Pair != nil && len(d.Pair.Continues) > 0:
		return d.Pair.Continues[0]
	case d.Pair != nil && d.Pair.FirstTurnID != "":
		return d.Pair.FirstTurnID
	}
	return d.FirstArmRunID()
}

// FirstArmRunID returns the run_id of arm A, the first configuration, if several configurations were measured
// alternately. It is the run_id of this document if this is arm A. It returns "" if only one configuration was
// measured.
func (d Document) FirstArmRunID() string {
	switch {
	case d.Pair == nil:
		return ""
	case d.Pair.Arm == ArmA:
		return d.RunID
	}
	return d.Pair.PartnerRunID
}

// Duration returns how long the run took. It reports false if the run has not ended, or if the clock went back.
func (d Document) Duration() (time.Duration, bool) {
	if d.Finished == nil || d.Finished.Before(d.Started) {
		return 0, false
	}
	return d.Finished.Sub(d.Started), true
}

// HDF5Settings are the settings that only engines for HDF5 use. They are part of the parameters.
type HDF5Settings = option.HDF5

// MPIIOSettings are the settings that only engines for MPI-IO use. They are part of the parameters.
type MPIIOSettings = option.MPIIO

// Parameters are the settings of a run, with defaults filled in. DatasetExtent, BufferExtent, DimensionOrder and
// Extendible are for serial runs only, which have one process and one transfer size. Geometry, Pattern, Mode,
// BytesPerProcess and BlockSize are for parallel runs only.
type Parameters struct {
	APIs            []string `json:"apis"`
	MinProcesses    int      `json:"min_processes"`
	MaxProcesses    int      `json:"max_processes"`
	BytesPerProcess uint64   `json:"bytes_per_process,omitempty"` // per dataset; in 2D one side of its square
	BlockSize       uint64   `json:"block_bytes,omitempty"`       // in 2D one side of its square
	MinTransferSize uint64   `json:"min_transfer_bytes"`
	MaxTransferSize uint64   `json:"max_transfer_bytes"`
	Iterations      int      `json:"iterations"`
	Files           int      `json:"files"`
	// each process has its own files, with its part of the datasets; Files is then the number of files per process
	FilesPerProcess bool `json:"files_per_process,omitempty"`
	// Processes that create a file and its datasets. Absent: all together. first: the first process alone; then all
	// processes open the file.
	Create   option.CreateMode `json:"create,omitempty" without:"all"`
	Datasets int               `json:"datasets"`
	// How HDF5 selects the blocks of a transfer. Absent: as one regular hyperslab.
	Selection option.SelectionMethod `json:"selection,omitempty" without:"hyperslab"`
	Geometry  Geometry               `json:"geometry,omitempty"`    // 1D or 2D
	Pattern   Pattern                `json:"pattern,omitempty"`     // contiguous or interleaved
	Mode      Mode                   `json:"mode,omitempty"`        // independent or collective
	Layout    Layout                 `json:"layout"`                // contiguous or chunked
	ChunkSize []uint64               `json:"chunk_bytes,omitempty"` // extent of an HDF5 chunk, if the layout is chunked
	WriteOnly bool                   `json:"write_only"`
	HDF5Settings
	MPIIOSettings
	Verify     bool              `json:"verify"`
	KeepFiles  bool              `json:"keep_files"`
	Conditions option.Conditions `json:"conditions"`

	// Size of the dataset in each dimension, in bytes. BufferExtent and DimensionOrder have the same number of
	// elements.
	DatasetExtent []uint64 `json:"dataset_extent,omitempty"`
	BufferExtent  []uint64 `json:"buffer_extent,omitempty"` // size of the transfer buffer in each dimension, in bytes
	// Dimensions, numbered from 1, in the order in which transfers move along them: the fastest first.
	DimensionOrder []int `json:"dimension_order,omitempty"`
	Extendible     bool  `json:"extendible,omitempty"` // the dataset begins with one transfer, and is extended

	// Only in runs of kind workload. The parameters of sweeps are then absent or 0.
	Workload *Workload `json:"workload,omitempty"`
}

// Workload describes the workload that was run.
type Workload struct {
	Name   string     `json:"name"`
	Sizes  []KeyValue `json:"sizes,omitempty"`   // names and values, sorted by name
	Chosen []KeyValue `json:"choices,omitempty"` // choices and the chosen words, sorted by name
	// What the user asked for: the name of the set of sizes, under the key size, and the sizes and choices that --set
	// changed.
	Requested []KeyValue `json:"asked,omitempty"`
	// HDF5 settings that the workload itself contains, by the names of their options. Options take precedence.
	Settings []KeyValue `json:"settings,omitempty"`
	// SHA-256 of Text, the values of sizes and choices, and Layout. Workloads with different hashes do different work.
	Hash string `json:"sha256"`
	Text string `json:"script"` // text of the workload file; with Asked, LeftOut and Layout it repeats the run
	// The steps of the workload themselves make written data durable.
	Flushes bool `json:"flushes,omitempty"`
	// What the workload asks for and the HDF5 library lacks: settings, and "one call for several datasets".
	LeftOut []string `json:"left_out,omitempty"`
	// What somebody said about collective transfers of HDF5, for the run to judge.
	Statements []Statement `json:"statements,omitempty"`
	// Layout in which the data are stored, if it differs from that in Text: form, storage with the extent of chunks,
	// and mode, such as "both, chunked 64x7, collective".
	Layout string `json:"layout,omitempty"`
}

// Statement is what somebody said about collective transfers of HDF5.
type Statement struct {
	Text string `json:"text"`
	// How they are executed if it is true: collective, mixed, independent, linked chunks, chunk by chunk.
	Transfers string `json:"transfers"`
	Changed   string `json:"changed_in_hdf5,omitempty"` // the version of HDF5 in which this changed
	// It is about cases with one of these words, for each of the choices.
	Where []ChosenWords `json:"where,omitempty"`
}

// ChosenWords are words of a choice.
type ChosenWords struct {
	Choice string   `json:"choice"`
	Words  []string `json:"words"`
}

// KeyValue is a key and its value.
type KeyValue = units.KeyValue

// Software describes the program and the libraries in use.
type Software struct {
	Version     string `json:"h5perf_version"`
	Revision    string `json:"h5perf_revision,omitempty"`
	Flavour     string `json:"flavour,omitempty"`
	Go          string `json:"go_version"`
	MPI         string `json:"mpi_library,omitempty"` // first line of MPI_Get_library_version
	MPIStandard string `json:"mpi_standard,omitempty"`
	// Implementation of MPI-IO; absent if it cannot be determined.
	IOComponent string      `json:"mpi_io_component,omitempty"`
	ThreadLevel ThreadLevel `json:"mpi_thread_level,omitempty"` // level that MPI_Init_thread provided
	HDF5        string      `json:"hdf5_version,omitempty"`
	HDF5Library string      `json:"hdf5_library,omitempty"` // path of the shared object in use
	HDF5Config  []KeyValue  `json:"hdf5_configuration,omitempty"`
}

// Machine describes the node of rank 0.
type Machine struct {
	Host   string `json:"host"`
	Kernel string `json:"kernel"`
	Arch   string `json:"architecture"`
	CPU    string `json:"cpu_model,omitempty"`
	CPUs   int    `json:"cpus"` // online logical processors
	// Number of processors that the control groups (cgroups) of the job allow, by a list or by a quota. Absent if not
	// known.
	GrantedCPUs float64 `json:"granted_cpus,omitempty"`
	Cores       int     `json:"cores,omitempty"` // online cores; a core has one or more logical processors
	MemoryBytes uint64  `json:"memory_bytes,omitempty"`
	// Upper bound of the rate at which all processors of the node together copy memory. It is the rate of a single
	// processor, measured at the end of the run, times the number of processors.
	MemoryCopyRate float64 `json:"memory_copy_bytes_per_second,omitempty"`
	OS             string  `json:"operating_system,omitempty"`
	Container      string  `json:"container,omitempty"`
	Image          *Image  `json:"image,omitempty"`
}

// Image is the container image in which the program runs. A field is empty if it is not known.
type Image struct {
	Build  string `json:"build_id,omitempty"` // stored in the image: the commit, and a hash of the lock file
	Digest string `json:"digest,omitempty"`   // H5PERF_IMAGE_DIGEST, or the label h5perf.image.digest of a SIF
}

// BuildID returns the build id of the image. It returns "" for nil.
func (i *Image) BuildID() string {
	if i == nil {
		return ""
	}
	return i.Build
}

// Target is the file system that was measured.
type Target struct {
	Directory  string  `json:"directory"` // private directory of the run, or directory of the file that is only read
	MountPoint string  `json:"mount_point,omitempty"`
	Source     string  `json:"mount_source,omitempty"`
	Type       string  `json:"file_system_type,omitempty"`
	Options    string  `json:"mount_options,omitempty"`
	SizeBytes  uint64  `json:"size_bytes,omitempty"`
	FreeBytes  uint64  `json:"free_bytes,omitempty"` // for this user, before the run
	FreeInodes uint64  `json:"free_inodes,omitempty"`
	Stripe     *Stripe `json:"stripe,omitempty"` // absent on file systems for which h5perf does not query striping
}

// IsInMemory reports whether the file system keeps files in memory only: tmpfs, ramfs or hugetlbfs.
func (t Target) IsInMemory() bool {
	return t.Type == "tmpfs" || t.Type == "ramfs" || t.Type == "hugetlbfs"
}

// Stripe is the striping of a new file in the directory over the storage targets of the file system, as the file
// system's own tool reports it. For a progressive file layout of Lustre, Components has one element for each part of
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

// StripeComponent is the striping of one part of a file with a progressive file layout (Lustre). Fields with the same
// name as in Stripe have the same meaning.
type StripeComponent struct {
	StartBytes uint64 `json:"start_bytes"`
	EndBytes   uint64 `json:"end_bytes,omitempty"` // exclusive; absent: the end of the file
	Count      int    `json:"count,omitempty" signed:""`
	SizeBytes  uint64 `json:"size_bytes,omitempty"`
	Pattern    string `json:"pattern,omitempty"`
	StartIndex *int   `json:"start_index,omitempty" signed:""`
	Pool       string `json:"pool,omitempty"`
}

// Job describes how the run was launched.
type Job struct {
	Processes int        `json:"processes"`
	Nodes     int        `json:"nodes"`
	Placement []Host     `json:"placement"` // which ranks run on which host
	Launcher  string     `json:"launcher,omitempty"`
	Slurm     []KeyValue `json:"slurm,omitempty"` // SLURM_ variables that describe the job
	// Environment variables that affect I/O. Their names begin with OMPI_MCA_, MPICH_, ROMIO_, UCX_, HDF5_ or H5FD_.
	MPIVariables []KeyValue `json:"mpi_variables,omitempty"`
	// Time that a failed rank waits for the other ranks before it ends the job. It waits longer if opening, closing and
	// syncing files took long in the run; its error then states the time.
	TimeoutGrace float64 `json:"failure_grace_seconds"`
}

// Host is a node of a job, or several nodes with the same layout of ranks.
type Host = placement.Host

// Case is one combination of number of processes, transfer size and API, and of values of --sweep.
type Case struct {
	Values []KeyValue `json:"values,omitempty"` // the values of --sweep, see SweptCases
	// The values of earlier cases of a workload with which this API does the same, because only HDF5 has what differs.
	SameAs       []KeyValue `json:"same_as,omitempty"`
	Processes    int        `json:"processes"`
	Nodes        int        `json:"nodes"`
	TransferSize uint64     `json:"transfer_bytes"` // -x; in 2D one side of the transfer buffer
	BufferBytes  uint64     `json:"buffer_bytes"`   // the whole transfer buffer
	API          string     `json:"api"`
	DatasetBytes uint64     `json:"dataset_bytes"`
	Bytes        uint64     `json:"bytes"` // transferred in one direction in one iteration, in all files and datasets
	State        State      `json:"state"`
	// why the case was skipped, or was interrupted between its iterations
	Reason   string   `json:"reason,omitempty"`
	Error    *Error   `json:"error,omitempty"`
	Verified bool     `json:"verified"` // every byte that was read was compared
	Samples  []Sample `json:"samples"`
	Warmup   []Sample `json:"warmup_samples,omitempty"` // not used in any result
	// What ended the iterations: width, seconds, cap, deadline or choice. Absent if it was the number of iterations.
	EndedBy EndedBy `json:"ended_by,omitempty"`
	// Upper bound of the time between the first and the last node that left a barrier before this case. Each epoch of a
	// window over several nodes is uncertain by this time. Absent on one node, where the processes share a clock.
	BarrierSkew float64 `json:"barrier_skew_seconds,omitempty"`
	// With Conditions.Latency: one element for each operation, for all samples together. Reads in writes are in none.
	Latencies []Latency  `json:"latencies,omitempty"`
	Effective *Effective `json:"effective,omitempty"`
	// Only in workloads that use HDF5 with filters that make data smaller.
	Filtered *Filtered `json:"filtered,omitempty"`
	// Only in workloads that write through HDF5 with filters: one element for each kind of dataset.
	FilterTimes []FilterTime `json:"filter_times,omitempty"`
}

// FilterTime is the processor time of one process to write and to read a dataset in memory, through its filters and
// without them, before the first iteration. The difference is the time of the filters themselves.
type FilterTime struct {
	Dataset      string   `json:"dataset"`
	Filters      []string `json:"filters"` // in the order in which they change what is written
	Bytes        uint64   `json:"bytes"`   // size of the dataset, at most about that of the workload
	Write        float64  `json:"write_seconds"`
	WriteWithout float64  `json:"write_without_filters_seconds"`
	Read         float64  `json:"read_seconds"`
	ReadWithout  float64  `json:"read_without_filters_seconds"`
}

// Filtered is the amount of data in datasets with HDF5 filters that compress, if an iteration writes these datasets
// completely. It is computed from the workload; the sizes of the files show how much is really stored.
type Filtered struct {
	Bytes          uint64 `json:"bytes"`                         // before the filters
	RequestedBytes uint64 `json:"asked_bytes"`                   // after the filters, by the ratios in the workload
	NoRatioBytes   uint64 `json:"without_ratio_bytes,omitempty"` // part of both: data without a ratio in the workload
	OtherBytes     uint64 `json:"other_bytes"`                   // bytes of all other datasets, and of attributes
	Files          uint64 `json:"files"`                         // number of files with these data
}

// Sample is one measured iteration of a case in one direction, over all its files and datasets.
type Sample struct {
	Operation Operation `json:"operation"` // write or read
	Iteration int       `json:"iteration"` // from 1
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Bytes     uint64    `json:"bytes"`
	// Time to create or open datasets, to transfer and to close them ("Write", "Read"). In a workload: all steps except
	// computing, so the time that the application waits for I/O.
	Access Interval `json:"access"`
	// Time from file open to file close ("Open-Close"). In a workload: all steps.
	OpenClose Interval `json:"open_close"`
	// Access, plus the time to make data durable, which is not part of the other two intervals. Absent if nothing is
	// synced, and in workloads, whose own steps sync.
	AccessAndSync *Interval `json:"access_and_sync,omitempty"`
	// Times of the classes of steps, in the order of classes. Classes without steps are absent. For the intervals
	// above, each process adds up its own times of several classes. A window is 0 if steps of the class were in epochs
	// with steps of several classes.
	Classes []ClassTime       `json:"classes,omitempty"`
	Cache   *Cache            `json:"page_cache,omitempty"` // state of the page caches before a read
	Limit   *ReachedTimeLimit `json:"limit,omitempty"`      // only if a time limit was reached
	// Share of the processors of a node that other programs used during the iteration, on the node where this was
	// largest. Absent if it is not known, or if the iteration was too short to measure it.
	OtherProgramsRatio float64 `json:"others_ratio,omitempty"`
	// Number of bytes that other programs on the nodes of the run moved from or to its file system during the sample,
	// as far as they cannot be bytes of the run. Absent if they are few or not known.
	OtherBytes uint64 `json:"others_bytes,omitempty"`
	// Only in workloads with several dumps: the times of the dumps, in at most 64 buckets. Each bucket has the same
	// number of consecutive dumps; the last one may have fewer. Steps before the first dump and after the last one are
	// in no bucket, but in Classes and Access. Examples are steps that open or close a file for the whole run.
	Dumps []DumpTime `json:"dumps,omitempty"`
	// Only in workloads that read while they write: number of bytes that all processes together read in a sample of
	// writes. They are not in Bytes. The class "read back" has their time.
	ReadBackBytes uint64 `json:"read_back_bytes,omitempty"`
	// Only in workloads: time that a process had to compute. It is part of OpenClose, and not of Access.
	PlannedCompute float64 `json:"planned_compute_seconds,omitempty"`
	// Only in workloads that say what their dumps handle: number of units that all processes together handled.
	Handled []HandledUnits `json:"handled,omitempty"`
	// Only with Conditions.CountCalls: the functions of MPI-IO and POSIX that all processes together called from the
	// opening of the files to their closing. These are the calls for data files that HDF5, MPI-IO and the POSIX engine
	// made. Calls by which h5perf itself creates files, or syncs the files of serial HDF5, are not counted.
	Calls []FunctionCalls `json:"calls,omitempty"`
	Marks []Mark          `json:"marks,omitempty"` // why the throughput may not be that of the storage
}

// ClassTime is the time of the steps of a class.
type ClassTime struct {
	Class Class `json:"class"`
	Interval
	// Number of objects (groups, datasets, links and attributes) that the steps of all processes were for. What all
	// processes do together with a file counts once. Absent if the steps are not for objects.
	Objects uint64 `json:"objects,omitempty"`
}

// FunctionCalls is the number of calls of a function of MPI-IO or POSIX, and the bytes that they moved. Bytes are 0 for
// functions that move no data. For MPI-IO, they are the bytes that calls asked for.
type FunctionCalls struct {
	API      string   `json:"api"`      // mpiio or posix
	Function string   `json:"function"` // such as MPI_File_write_at or pwrite
	Kind     CallKind `json:"kind"`     // write, read or other
	Calls    uint64   `json:"calls"`
	Bytes    uint64   `json:"bytes,omitempty"`
}

// HandledUnits is the number of units, such as samples of training data, that an application read or wrote.
type HandledUnits struct {
	Unit   string `json:"unit"`
	Number uint64 `json:"number"`
}

// MaxDumps is the largest number of buckets for the dumps of a sample.
const MaxDumps = 64

// DumpTime is the total time of several consecutive dumps (the writing of a snapshot by an application).
type DumpTime struct {
	First int    `json:"first_dump"` // from 1
	Last  int    `json:"last_dump"`
	Bytes uint64 `json:"bytes"` // transferred by all processes
	// Sum of the windows of their epochs (see Interval), minus the shortest time that a process computed in these
	// dumps.
	WindowSeconds float64     `json:"window_seconds"`
	Classes       []DumpClass `json:"classes,omitempty"` // classes that took time
}

// DumpClass is the time of the steps of a class in consecutive dumps. Each process measures its own time.
type DumpClass struct {
	Class Class   `json:"class"`
	Max   float64 `json:"max_seconds"` // of the slowest process
	Mean  float64 `json:"mean_seconds"`
}

// Cache is the share of the data that was in the page caches of the nodes right before an iteration read its files. The
// ratios are relative to the bytes that the processes of a node read. If it is not known which parts of the files the
// processes of a node read, the ratios are relative to the size of all files. Caches of servers are not included.
type Cache struct {
	Method       CacheMethod `json:"method"`             // cachestat or mincore; none: not known
	MaxResident  float64     `json:"max_resident_ratio"` // on the node that held most
	MeanResident float64     `json:"mean_resident_ratio"`
	Reason       string      `json:"reason,omitempty"` // why it is not known
	// Half the width of the confidence interval of Highest, with level 0.95, if only parts of the files were examined.
	Uncertainty float64 `json:"uncertainty_ratio,omitempty"`
}

// ReachedTimeLimit describes how transfers went on after they had reached their time limit. The processes then agreed
// on the largest number of transfers that any process had done, and all continued to this number (the stonewall of
// IO500, with wear-out). Sample.Bytes is the number of bytes transferred in the end.
type ReachedTimeLimit struct {
	PlannedBytes uint64   `json:"planned_bytes"`
	LimitBytes   uint64   `json:"bytes_at_limit"` // sum over all processes
	AtLimit      Interval `json:"transfer_at_limit"`
	Transfers    uint64   `json:"transfers_per_process"` // agreed on; in all datasets and files
}

// Latency is the distribution of times of data calls in one direction, over all processes and samples of a case.
type Latency struct {
	Operation    Operation  `json:"operation"` // write or read
	Call         string     `json:"call"`      // pwrite, pread, MPI_File_write_at, ...
	Count        uint64     `json:"count"`
	Min          float64    `json:"min_seconds"`
	Max          float64    `json:"max_seconds"`
	Mean         float64    `json:"mean_seconds"`
	Quantiles    []Quantile `json:"quantiles"`     // at 0.5, 0.9, 0.99, 0.999, 0.9999; errors up to 0.4 %
	Histogram    []Bucket   `json:"histogram"`     // ascending; empty buckets are left out
	SlowestRanks []SlowRank `json:"slowest_ranks"` // ranks with the largest means, at most 8
	LongestCalls []SlowRank `json:"longest_calls"` // ranks with the longest calls, at most 8
}

// Quantile is the time that a data call does not exceed with this probability.
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

// SlowRank is a rank whose data calls are slow, with the mean and the longest time of its calls.
type SlowRank struct {
	Rank int     `json:"rank"`
	Host string  `json:"host"`
	Mean float64 `json:"mean_seconds"`
	Max  float64 `json:"max_seconds"`
}

// Interval summarizes a time that each process measured for itself, and the windows of all processes together. An epoch
// lies between two synchronizations of the processes. Its window on a node is the time from the start of the first
// process to the end of the last one, by the clock of the node; the window of the epoch is the longest of the windows
// of all nodes. Throughput is computed from windows: processes that transfer one after another do not reach the sum of
// their rates.
type Interval struct {
	// Sum of the windows. It is 0 if the interval is not a sum of epochs: transfers and syncs that alternate have only
	// a common window.
	WindowSeconds float64 `json:"window_seconds"`
	Max           float64 `json:"max_seconds"` // of the slowest process, without its waits for other processes
	Min           float64 `json:"min_seconds"`
	Mean          float64 `json:"mean_seconds"`
	MaxRank       int     `json:"slowest_rank"`
	// Standard deviation of the processes' own times; absent if all times are equal.
	Deviation float64 `json:"deviation_seconds,omitempty"`
}

// Seconds returns the window, or the time of the slowest process if there is no window.
func (i Interval) Seconds() float64 {
	if i.WindowSeconds > 0 {
		return i.WindowSeconds
	}
	return i.Max
}

// Effective describes what the API really used and did in a case: hints, settings and numbers of calls. Numbers of
// calls are sums over all processes.
type Effective struct {
	// Hints that MPI_File_get_info returned, without those that the implementation of MPI-IO is known to ignore. MPICH
	// returns the values that it uses. Open MPI may return the values that were passed to it; then a note says that
	// their effect is not known.
	Hints  []KeyValue `json:"hints,omitempty"`
	Driver string     `json:"hdf5_driver,omitempty"`
	// HDF5 settings that were asked for, with the values that a file really has, by the names of their options.
	Settings []KeyValue `json:"hdf5_settings,omitempty"`
	Calls    uint64     `json:"data_calls"` // calls that move data
	SetViews uint64     `json:"set_views"`  // calls of MPI_File_set_view
	// Only with HDF5 in collective mode. Reads include those of a workload that reads while it writes.
	CollectiveWrites *Collective `json:"hdf5_collective_writes,omitempty"`
	CollectiveReads  *Collective `json:"hdf5_collective_reads,omitempty"`
	// Files that make up the last data file; some file drivers create several.
	Files      []FileSize `json:"files,omitempty"`
	Extensions uint64     `json:"dataset_extensions,omitempty"` // calls of H5Dset_extent
}

// FileSize is the base name and the size of a file.
type FileSize struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
	// Number of objects (groups, datasets, links and attributes) that the process created in the file, and did not
	// unlink. Only for the first part of a data file that consists of several files.
	Objects uint64 `json:"objects,omitempty"`
	// Number of objects that the process unlinked from the file, which may keep their space.
	Unlinked uint64 `json:"unlinked_objects,omitempty"`
}

// CollectiveTransfers returns what HDF5 reports about collective transfers in one direction; nil if it reports nothing.
func (c Case) CollectiveTransfers(operation Operation) *Collective {
	switch {
	case c.Effective == nil:
		return nil
	case operation == OperationWrite:
		return c.Effective.CollectiveWrites
	}
	return c.Effective.CollectiveReads
}

// Collective holds what HDF5 reports about transfers in one direction for which collective mode was requested: how many
// were collective, and why others were not. Numbers are sums over all processes; transfers without data are not
// counted. Words are names of constants of the library. They are those of the first process that was not the cause of
// independent transfers, of the first one whose transfers were not all fully collective, or of rank 0.
type Collective struct {
	Collective   uint64   `json:"collective_transfers"`
	Mixed        uint64   `json:"mixed_transfers"`
	Independent  uint64   `json:"independent_transfers"`
	Optimization []string `json:"chunk_optimization,omitempty"`
	// why transfers of this process were not collective
	LocalCauses []string `json:"no_collective_local_causes,omitempty"`
	// why transfers of any process were not
	GlobalCauses []string `json:"no_collective_global_causes,omitempty"`
}

// Error is a failure of a run or of a case.
type Error struct {
	Time time.Time `json:"time"`
	// Phase in which the process failed: prepare, open, dataset, transfer, verify, sync, close, check, remove, signal,
	// ...
	Phase     Phase     `json:"phase"`
	Operation Operation `json:"operation,omitempty"` // write or read
	Iteration int       `json:"iteration,omitempty"`
	File      int       `json:"file,omitempty"` // from 1
	Rank      int       `json:"rank"`           // in MPI_COMM_WORLD; the first rank that failed
	Host      string    `json:"host,omitempty"`
	Ranks     int       `json:"failed_ranks,omitempty"` // number of ranks that failed
	Message   string    `json:"message"`
}

// Error returns only the message.
func (e *Error) Error() string { return e.Message }
