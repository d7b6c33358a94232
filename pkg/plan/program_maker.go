package plan

import (
	"fmt"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// programMaker makes the programs of a case, and computes what they do. It holds all differences between cases of a
// sweep, of a serial run and of a workload.
type programMaker interface {
	// makeProgram returns the program of a rank, without memory for its buffers.
	makeProgram(c Case, rank uint64) (workload.Program, error)
	// iteration returns the work of one iteration, and the space that it needs.
	iteration(c Case) (Iteration, error)
	// commonSizes returns the sizes that all datasets and transfers of a case have in common; all are 0 for a workload.
	commonSizes(c Case) CommonSizes
	// regularTransfers returns the transfers of a rank in each dataset of a file, if they are regular as in a sweep.
	regularTransfers(c Case, rank uint64) (pattern.Sequence, bool)
	// timedClasses returns the classes of steps whose times are summed.
	timedClasses() TimedClasses
	// planChecks returns the checks of a plan in their order.
	planChecks() []func(Plan) error
	// filesNeedText returns the subject of the error message that says how much space the files need.
	filesNeedText(p result.Parameters) string
	// reducingOptions returns, for files that need more space than is free, the options that make the files smaller,
	// and those that reduce their number.
	reducingOptions(p result.Parameters, need, free uint64) (smaller, fewer string)
}

// newProgramMaker returns the maker of the programs of the case. Only this function distinguishes the kinds of cases.
func (c Case) newProgramMaker() programMaker {
	switch {
	case c.Workload != nil:
		return workloadMaker{c.Workload}
	case c.Parameters.IsSerial():
		return serialMaker{}
	}
	return sweepMaker{}
}

// newProgramMaker returns the maker of the programs of all cases.
func (p Plan) newProgramMaker() programMaker {
	return Case{Parameters: p.Parameters, Workload: p.Workload}.newProgramMaker()
}

// Iteration is the work of one iteration of a case, for all processes together, and the space that it needs.
type Iteration struct {
	Bytes [2]uint64 // moved, by workload.Op
	// Reports whether Bytes are estimated from some processes, by workload.Op.
	Estimated [2]bool
	ReadBack  uint64    // bytes that are read while others write; estimated if Sampled is not 0
	Calls     [2]uint64 // data calls, by workload.Op; for a workload through POSIX and MPI-IO, an upper limit
	Files     uint64    // number of files created

	SpaceAtOnce DiskSpace // files that exist at the same time
	KeptSpace   DiskSpace // all files of the iteration
	FileBytes   uint64    // data of the largest file; for a workload, of the mean file
	BufferBytes uint64    // transfer buffers of a rank

	Structure []ObjectCounts // nil: only datasets and their files
	// Objects that steps are for, by workload.Op, and the classes of steps with so many that they have a rate.
	Objects      [2]uint64
	RatedClasses [2][workload.NumClasses]bool
	Filtered     workload.FilteredBytes
	Sampled      uint64 // number of processes from which sums are estimated; 0: all were counted
}

// CommonSizes holds the sizes that all datasets and transfers of a case have in common, in bytes. A size that varies is
// 0.
type CommonSizes struct {
	Transfer uint64 // of an API call
	Buffer   uint64 // of a transfer
	Dataset  uint64
	Total    uint64 // moved in one direction in one iteration
}

// TimedClasses holds the classes of steps whose times are summed per process. Access has the classes that access data.
// OpenClose also has opening and closing of files; the C tools report a throughput for each of these two. The
// throughput of h5perf is computed from the classes in Throughput.
type TimedClasses struct{ Access, OpenClose, Throughput []workload.StepClass }

// TimedClasses returns the classes of steps whose times are summed. For a workload, Access and Throughput have all
// classes except Compute.
func (c Case) TimedClasses() TimedClasses { return c.newProgramMaker().timedClasses() }

// Iteration returns the work of one iteration of the case, and the space that it needs.
func (c Case) Iteration() (Iteration, error) { return c.newProgramMaker().iteration(c) }

// CommonSizes returns the sizes that all datasets and transfers of the case have in common.
func (c Case) CommonSizes() CommonSizes { return c.newProgramMaker().commonSizes(c) }

// Program returns the program of a rank, without memory for its buffers.
func (c Case) Program(rank uint64) (workload.Program, error) {
	return c.newProgramMaker().makeProgram(c, rank)
}

// HasRegularTransfers reports whether each rank makes transfers of one size at regular offsets in each dataset of a
// file. FileSequence returns these transfers. A workload is not regular: its transfers may have any size and offset.
func (c Case) HasRegularTransfers() bool {
	_, is := c.newProgramMaker().regularTransfers(c, 0)
	return is
}

// FileSequence returns the transfers of a rank in one dataset of a file: selections of the dataset for HDF5, and runs
// of the plain file for POSIX and MPI-IO. In the parallel tool with chunked layout, a plain file is a sequence of
// chunks. FileSequence returns the zero value for a workload, whose transfers are not regular.
func (c Case) FileSequence(rank uint64) pattern.Sequence {
	s, _ := c.newProgramMaker().regularTransfers(c, rank)
	return s
}

// sweepMaker makes the programs of the sweep of the parallel tool.
type sweepMaker struct{}

func (sweepMaker) regularTransfers(c Case, rank uint64) (pattern.Sequence, bool) {
	p := c.Parameters
	parallel := p.AccessPattern(c.Processes, c.TransferSize)
	if p.FilesPerProcess {
		rank = 0 // its rank within the file
	}
	if p.Layout == result.LayoutChunked && result.APIOf(c.API).PlainFiles {
		return parallel.ChunkSequence(rank), true
	}
	return parallel.Sequence(rank), true
}

func (sweepMaker) makeProgram(c Case, rank uint64) (workload.Program, error) {
	return c.Sweep(rank).Program(), nil
}

func (sweepMaker) iteration(c Case) (Iteration, error) {
	f, n, files := c.FileSpace(), uint64(c.FilesAtOnce()), uint64(c.Parameters.Files)
	atOnce := DiskSpace{saturatingProduct(f.Bytes, n), saturatingProduct(f.Inodes, n)}
	return Iteration{
		Bytes: [2]uint64{c.IterationBytes(), c.IterationBytes()}, Calls: [2]uint64{c.DataCalls(), c.DataCalls()},
		Files:       files * n,
		SpaceAtOnce: atOnce,
		KeptSpace:   DiskSpace{saturatingProduct(atOnce.Bytes, files), saturatingProduct(atOnce.Inodes, files)},
		FileBytes:   c.FileDataBytes(), BufferBytes: saturatingProduct(c.NumBuffers(), c.BufferBytes()),
	}, nil
}

func (sweepMaker) commonSizes(c Case) CommonSizes {
	return CommonSizes{
		Transfer: c.TransferSize, Buffer: c.BufferBytes(), Dataset: c.DatasetBytes(),
		Total: c.IterationBytes(),
	}
}

func (sweepMaker) timedClasses() TimedClasses {
	access := []workload.StepClass{workload.Transfer, workload.Create, workload.Open, workload.ObjectClose}
	return TimedClasses{
		Access: access, OpenClose: append(slices.Clone(access), workload.FileOpen, workload.FileClose),
		Throughput: append(slices.Clone(access), workload.Sync),
	}
}

func (sweepMaker) planChecks() []func(Plan) error {
	return []func(Plan) error{
		checkFilesPerProcess, checkDataset, checkSteps, checkSelection, checkSamples, checkReading, checkDirect,
		checkDirectSizes,
	}
}

func (sweepMaker) filesNeedText(p result.Parameters) string {
	switch {
	case p.KeepFiles:
		return "the data files, which are kept, need"
	case p.FilesPerProcess:
		return "the data files of all processes need"
	}
	return "the largest data file needs"
}

func (sweepMaker) reducingOptions(p result.Parameters, need, free uint64) (smaller, fewer string) {
	unit := func(all uint64) uint64 { return largestFittingBytes(all, p, need, free) }
	return smallerDataText(p, unit(p.BytesPerProcess)), fewerFiles
}

// serialMaker makes the programs of a serial run.
type serialMaker struct{ sweepMaker }

func (serialMaker) regularTransfers(c Case, _ uint64) (pattern.Sequence, bool) {
	return c.Parameters.SerialPattern().Sequence(), true
}

func (serialMaker) planChecks() []func(Plan) error {
	return []func(Plan) error{
		checkSerialChunk, checkSamples, checkReading, checkDirect, checkDirectSizes, checkCountedDriver,
	}
}

func (serialMaker) reducingOptions(p result.Parameters, need, free uint64) (smaller, fewer string) {
	if len(p.DatasetExtent) > 1 {
		return smallerData, fewerFiles
	}
	return smallerDataText(p, largestFittingBytes(p.DatasetExtent[0], p, need, free)), fewerFiles
}

// workloadMaker makes the programs of a workload.
type workloadMaker struct{ Workload }

func (workloadMaker) regularTransfers(Case, uint64) (pattern.Sequence, bool) {
	return pattern.Sequence{}, false
}

func (workloadMaker) commonSizes(Case) CommonSizes { return CommonSizes{} }

func (workloadMaker) timedClasses() TimedClasses {
	var all, visible []workload.StepClass
	for class := range workload.NumClasses {
		all = append(all, class)
		if class != workload.Compute {
			visible = append(visible, class)
		}
	}
	return TimedClasses{Access: visible, OpenClose: all, Throughput: visible}
}

func (w workloadMaker) makeProgram(c Case, rank uint64) (workload.Program, error) {
	p, err := w.Program(rank, uint64(c.Processes))
	if err != nil {
		return p, fmt.Errorf("workload of rank %d of %d: %w", rank, c.Processes, err)
	}
	if api := result.APIOf(c.API); api.PlainFiles {
		p = p.ForPlainFiles(api.ObjectFiles)
	}
	switch c.Parameters.Conditions.Sync {
	case option.SyncPhase:
		p = p.SyncDumps()
	case option.SyncClose:
		p = p.SyncFiles()
	}
	return p, nil
}

func (w workloadMaker) iteration(c Case) (Iteration, error) {
	all, err := w.Amounts(c.Processes)
	if err != nil {
		return Iteration{}, err
	}
	disk, api := DiskSpace{all.DiskBytes, all.Files}, result.APIOf(c.API)
	switch {
	case api.ObjectFiles:
		disk.Inodes = saturatingSum(disk.Inodes, all.Ops[workload.Write].FileObjects[workload.Create])
	case api.HDF5:
		disk.Inodes = saturatingSum(disk.Inodes, all.ExternalFiles)
	}
	i := Iteration{
		Files: all.Files, SpaceAtOnce: disk, KeptSpace: disk, FileBytes: all.DiskBytes / max(1, all.Files),
		ReadBack: all.Ops[workload.Write].ReadBack, BufferBytes: all.Memory, Filtered: all.Filtered,
		Sampled: all.Sampled,
	}
	for op, o := range all.Ops {
		i.Bytes[op], i.Calls[op], i.Estimated[op] = o.Bytes, o.AllCalls, o.Estimated
		if api.PlainFiles {
			i.Calls[op] = max(o.AllCalls, o.Runs)
		}
		var objects [workload.NumClasses]uint64
		switch {
		case api.Datasets:
			objects = o.Objects
		case api.ObjectFiles:
			objects = o.FileObjects
		}
		for class, n := range objects {
			i.Objects[op] = saturatingSum(i.Objects[op], n)
			i.RatedClasses[op][class] = n >= workload.MinRatedObjects
		}
		i.Structure = append(i.Structure, ObjectCounts{
			Operation: OperationOf(workload.Op(op)), Dumps: o.Dumps, Files: o.Files, Groups: o.Groups,
			Datasets: o.Datasets, Attributes: o.Objects[workload.Attribute], Compute: o.Compute.Seconds(),
		})
	}
	return i, nil
}

func (workloadMaker) planChecks() []func(Plan) error {
	return []func(Plan) error{
		checkReading, checkSamples, checkPrograms, checkLimitedObjects, checkObjectFiles, checkOwnFiles,
	}
}

func (workloadMaker) filesNeedText(result.Parameters) string { return "the files of the workload need" }

func (workloadMaker) reducingOptions(result.Parameters, uint64, uint64) (smaller, fewer string) {
	return smallerSizes, smallerSizes
}
