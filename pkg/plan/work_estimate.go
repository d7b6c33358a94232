package plan

import (
	"math"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// WorkEstimate is the work that a run would do. If the run itself determines the number of iterations, it does at least
// the work Min and at most the work Max; otherwise both are the same. Both include warm-up iterations.
type WorkEstimate struct {
	Cases           int       `json:"cases"`
	MaxProcesses    int       `json:"max_processes"`
	MaxFileBytes    uint64    `json:"max_file_bytes"`             // data of the largest file; for a workload, the mean
	Disk            DiskSpace `json:"disk_at_once"`               // see Plan.SpaceAtOnce
	BytesPerProcess uint64    `json:"buffer_bytes_per_process"`   // transfer buffers, in the largest case
	IterationWork   []Work    `json:"one_iteration_of_all_cases"` // one entry per API and operation
	Min             TotalWork `json:"least"`
	Max             TotalWork `json:"most"`

	// Work of one iteration of a workload through HDF5 besides transfers; nil for a sweep.
	Structure []ObjectCounts `json:"structure,omitempty"`
	// Number of processes from which the sums for all processes are estimated; 0 if all were counted.
	Sampled uint64 `json:"sampled_processes,omitempty"`
}

// ObjectCounts is the number of files and objects that all processes together use in one iteration of a workload, in
// one direction.
type ObjectCounts struct {
	Operation  result.Operation `json:"operation"`
	Dumps      uint64           `json:"dumps"`
	Files      uint64           `json:"files"` // created or opened, like the following ones
	Groups     uint64           `json:"groups"`
	Datasets   uint64           `json:"datasets"`
	Attributes uint64           `json:"attributes"`
	Compute    float64          `json:"compute_seconds,omitempty"` // per process
}

// Work is the work of all processes together in one direction, for one iteration of all cases of an API.
type Work struct {
	API       string           `json:"api"`
	Operation result.Operation `json:"operation"` // write or read
	Bytes     uint64           `json:"bytes"`
	Estimated bool             `json:"bytes_estimated,omitempty"` // estimated from some processes
	Calls     uint64           `json:"data_calls"`                // upper limit for a workload through POSIX and MPI-IO
	Seconds   float64          `json:"seconds,omitempty"`         // absent if no rate is assumed
}

// TotalWork is the work of a whole run.
type TotalWork struct {
	Iterations uint64  `json:"iterations"` // of all cases together
	Samples    uint64  `json:"samples"`    // kept in the document
	Written    uint64  `json:"written_bytes"`
	Read       uint64  `json:"read_bytes"`
	ReadBack   uint64  `json:"read_back_bytes,omitempty"` // read while others write; not in Read
	Calls      uint64  `json:"data_calls"`
	Files      uint64  `json:"files"`             // all files made during the run
	Seconds    float64 `json:"seconds,omitempty"` // time of accessing data; absent if no rate is assumed
}

// EstimateWork returns the work that the run would do, and its time if rate is not nil. The cost of the computation
// does not depend on the number of processes. EstimateWork returns a *usage.Error if the totals do not fit in 64 bits.
func (p Plan) EstimateWork(rate AssumedRate) (WorkEstimate, error) {
	a := WorkEstimate{Disk: p.SpaceAtOnce()}
	if p.Parameters.Conditions.ReadOnly != "" {
		a.Disk = DiskSpace{}
	}
	for _, api := range p.Parameters.APIs {
		for _, op := range p.Operations() {
			a.IterationWork = append(a.IterationWork, Work{API: api, Operation: OperationOf(op)})
		}
	}
	for c := range p.Cases() {
		a.Cases++
		a.MaxProcesses = max(a.MaxProcesses, c.Processes)
		one, err := c.Iteration()
		if err != nil {
			return WorkEstimate{}, err
		}
		a.Sampled = one.Sampled
		a.MaxFileBytes, a.BytesPerProcess = max(a.MaxFileBytes, one.FileBytes), max(a.BytesPerProcess, one.BufferBytes)
		a.Structure = nil // the same for all APIs
		var works []Work
		for _, op := range p.Operations() {
			works = append(works, c.workOfIteration(one, op, rate))
			if one.Structure != nil {
				a.Structure = append(a.Structure, one.Structure[op])
			}
		}
		for _, w := range works {
			a.addWork(w)
		}
		least, most := c.Iterations(works)
		a.Min.addIterations(one, works, least)
		a.Max.addIterations(one, works, most)
	}
	counted := []uint64{
		a.Max.Written, a.Max.Read, a.Max.ReadBack, a.Max.Calls, a.Max.Files, a.Disk.Bytes, a.Disk.Inodes,
	}
	if slices.Contains(counted, math.MaxUint64) {
		return WorkEstimate{}, usage.Errorf("the totals of this run do not fit in 64 bits; " +
			"give fewer iterations, fewer files or less data")
	}
	return a, nil
}

// ObjectBytes is that of the documents, for estimates of the time left.
const ObjectBytes = result.ObjectBytes

// OperationBytes returns the work of an iteration of the case in one direction: the bytes that it transfers, and
// ObjectBytes for each object that a step is for. It returns at least 1.
func (c Case) OperationBytes(op workload.Op) uint64 {
	one, _ := c.Iteration() // planning would have reported an error
	return max(1, saturatingSum(one.Bytes[op], saturatingProduct(one.Objects[op], ObjectBytes)))
}

// workOfIteration returns the work of one iteration of the case in one direction.
func (c Case) workOfIteration(one Iteration, op workload.Op, rate AssumedRate) Work {
	w := Work{
		API: c.API, Operation: OperationOf(op), Bytes: one.Bytes[op], Estimated: one.Estimated[op],
		Calls: one.Calls[op],
	}
	if rate != nil {
		w.Seconds = float64(w.Bytes) / rate(c, op)
	}
	return w
}

// maxCallBytes is the maximum number of bytes that Linux moves in one pread or pwrite (MAX_RW_COUNT).
const maxCallBytes = 0x7ffff000

// DataCalls returns the number of data calls of an iteration in one direction, for all files, datasets and ranks
// together. POSIX and independent MPI-IO need one call for each contiguous run of a plain file (POSIX more, if the run
// exceeds maxCallBytes). Collective MPI-IO and HDF5 need one call for each transfer.
func (c Case) DataCalls() uint64 {
	seq := c.FileSequence(0)
	nest := seq.LoopNest()
	calls := seq.NumTransfers()
	api := result.APIOf(c.API)
	if api.PlainFiles && (!api.MPI || c.Parameters.Mode != result.ModeCollective) {
		calls = saturatingProduct(calls, nest.RunsPerTransfer())
	}
	if api.PlainFiles && !api.MPI {
		calls = saturatingProduct(calls, (nest.RunBytes-1)/maxCallBytes+1)
	}
	calls = saturatingProduct(calls, uint64(c.Processes))
	return saturatingProduct(saturatingProduct(calls, uint64(c.Parameters.Datasets)), uint64(c.Parameters.Files))
}

// Iterations returns the minimum and the maximum number of iterations of a case, with warm-up iterations. works holds
// the work of one iteration in each direction.
func (c Case) Iterations(works []Work) (least, most int) {
	p := c.Parameters
	warmup := option.ValueOrZero(p.Conditions.Warmup)
	least = p.Iterations
	if option.ValueOrZero(p.Conditions.MaxIterations) == 0 {
		return warmup + least, warmup + least
	}
	most = option.ValueOrZero(p.Conditions.MaxIterations)
	if seconds := option.ValueOrZero(p.Conditions.MinSeconds); seconds > 0 && works[0].Seconds > 0 {
		shortest := math.Inf(1)
		for _, w := range works {
			shortest = min(shortest, w.Seconds)
		}
		least = min(most, max(least, int(min(math.Ceil(seconds/shortest), math.MaxInt32))))
		if option.ValueOrZero(p.Conditions.RepeatUntil) == 0 {
			most = least
		}
	}
	return warmup + least, warmup + most
}

// addWork adds the work of one iteration of a case.
func (a *WorkEstimate) addWork(w Work) {
	for i := range a.IterationWork {
		if all := &a.IterationWork[i]; all.API == w.API && all.Operation == w.Operation {
			all.Bytes, all.Calls = saturatingSum(all.Bytes, w.Bytes), saturatingSum(all.Calls, w.Calls)
			all.Estimated = all.Estimated || w.Estimated
			all.Seconds += w.Seconds
		}
	}
}

// addIterations adds n iterations of a case.
func (t *TotalWork) addIterations(one Iteration, works []Work, n int) {
	iterations := uint64(n)
	t.Iterations += iterations
	t.ReadBack = saturatingSum(t.ReadBack, saturatingProduct(one.ReadBack, iterations))
	for _, w := range works {
		moved := saturatingProduct(w.Bytes, iterations)
		if w.Operation == result.OperationWrite {
			t.Written = saturatingSum(t.Written, moved)
			t.Files = saturatingSum(t.Files, saturatingProduct(iterations, one.Files))
		} else {
			t.Read = saturatingSum(t.Read, moved)
		}
		t.Calls = saturatingSum(t.Calls, saturatingProduct(w.Calls, iterations))
		t.Samples += iterations
		t.Seconds += w.Seconds * float64(n)
	}
}
