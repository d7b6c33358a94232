package plan

import (
	"math"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Amount is what a run would do. Where the number of iterations is found during the run, it does at least Least and at
// most Most; otherwise these are the same. Both include the iterations for warming up.
type Amount struct {
	Cases           int    `json:"cases"`
	MaxProcesses    int    `json:"max_processes"`
	MaxFileBytes    uint64 `json:"max_file_bytes"`             // of data; the mean of the files of a workload
	Disk            Space  `json:"disk_at_once"`               // see Plan.Space
	BytesPerProcess uint64 `json:"buffer_bytes_per_process"`   // the transfer buffers, of the largest case
	Iteration       []Work `json:"one_iteration_of_all_cases"` // by API and operation
	Least           Total  `json:"least"`
	Most            Total  `json:"most"`

	// What one iteration of a workload does through HDF5 besides transfers; nil for a sweep.
	Structure []Structure `json:"structure,omitempty"`
	// Number of processes of a workload that were looked at, if their sums stand for those of all; else 0.
	Sampled uint64 `json:"sampled_processes,omitempty"`
}

// Structure is what an iteration of a workload does one way with files and objects, all processes together.
type Structure struct {
	Operation  result.Operation `json:"operation"`
	Dumps      uint64           `json:"dumps"`
	Files      uint64           `json:"files"` // created or opened; the others alike
	Groups     uint64           `json:"groups"`
	Datasets   uint64           `json:"datasets"`
	Attributes uint64           `json:"attributes"`
	Compute    float64          `json:"compute_seconds,omitempty"` // of each process
}

// Work is what one iteration of all cases of an API does one way, all processes together.
type Work struct {
	API       string           `json:"api"`
	Operation result.Operation `json:"operation"` // write or read
	Bytes     uint64           `json:"bytes"`
	Estimated bool             `json:"bytes_estimated,omitempty"` // in proportion to those of some processes
	Calls     uint64           `json:"data_calls"`                // of a workload through POSIX and MPI-IO, at most
	Seconds   float64          `json:"seconds,omitempty"`         // absent where no rate is assumed
}

// Total is a whole run.
type Total struct {
	Iterations uint64  `json:"iterations"` // of all cases together
	Samples    uint64  `json:"samples"`    // kept in the document
	Written    uint64  `json:"written_bytes"`
	Read       uint64  `json:"read_bytes"`
	Calls      uint64  `json:"data_calls"`
	Files      uint64  `json:"files"`             // made, one after the other
	Seconds    float64 `json:"seconds,omitempty"` // of accessing data; absent where no rate is assumed
}

// Amount returns what the run would do, and with a rate, which may be nil, how long it takes. What it costs does not
// depend on the number of processes. What cannot be counted in 64 bits is refused with a *usage.Error.
func (p Plan) Amount(rate Rate) (Amount, error) {
	a := Amount{Disk: p.SpaceAtOnce()}
	if p.Parameters.Conditions.ReadOnly != "" {
		a.Disk = Space{}
	}
	for _, api := range p.Parameters.APIs {
		for _, op := range p.Operations() {
			a.Iteration = append(a.Iteration, Work{API: api, Operation: OperationOf(op)})
		}
	}
	for c := range p.Cases() {
		a.Cases++
		a.MaxProcesses = max(a.MaxProcesses, c.Processes)
		one, err := c.Iteration()
		if err != nil {
			return Amount{}, err
		}
		a.Sampled = one.Sampled
		a.MaxFileBytes, a.BytesPerProcess = max(a.MaxFileBytes, one.FileBytes), max(a.BytesPerProcess, one.BufferBytes)
		a.Structure = nil // it is the same for all APIs
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
		a.Least.addIterations(one, works, least)
		a.Most.addIterations(one, works, most)
	}
	counted := []uint64{a.Most.Written, a.Most.Read, a.Most.Calls, a.Most.Files, a.Disk.Bytes, a.Disk.Inodes}
	if slices.Contains(counted, math.MaxUint64) {
		return Amount{}, usage.Errorf("the totals of this run do not fit in 64 bits; " +
			"give fewer iterations, fewer files or less data")
	}
	return a, nil
}

// workOfIteration returns what one iteration of the case does one way.
func (c Case) workOfIteration(one Iteration, op workload.Op, rate Rate) Work {
	w := Work{
		API: c.API, Operation: OperationOf(op), Bytes: one.Bytes[op], Estimated: one.Estimated[op],
		Calls: one.Calls[op],
	}
	if rate != nil {
		w.Seconds = float64(w.Bytes) / rate(c, op)
	}
	return w
}

// maxCallBytes is the most that Linux moves in one pread or pwrite (MAX_RW_COUNT).
const maxCallBytes = 0x7ffff000

// DataCalls returns the number of data calls of an iteration one way, all files, datasets and ranks together: one for
// each run of a plain file with POSIX and independent MPI-IO, one for each transfer with collective MPI-IO and HDF5.
func (c Case) DataCalls() uint64 {
	seq := c.FileSequence(0)
	nest := seq.Nest()
	calls := seq.NumTransfers()
	api := result.APIOf(c.API)
	if api.Plain && (!api.MPI || c.Parameters.Mode != result.ModeCollective) {
		calls = saturatingProduct(calls, nest.RunsPerTransfer())
	}
	if api.Plain && !api.MPI {
		calls = saturatingProduct(calls, (nest.RunBytes-1)/maxCallBytes+1)
	}
	calls = saturatingProduct(calls, uint64(c.Processes))
	return saturatingProduct(saturatingProduct(calls, uint64(c.Parameters.Datasets)), uint64(c.Parameters.Files))
}

// Iterations returns how many iterations of a case there are at least and at most, warming up included. works are those
// of one iteration.
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

// addWork adds what an iteration of a case does.
func (a *Amount) addWork(w Work) {
	for i := range a.Iteration {
		if all := &a.Iteration[i]; all.API == w.API && all.Operation == w.Operation {
			all.Bytes, all.Calls = saturatingSum(all.Bytes, w.Bytes), saturatingSum(all.Calls, w.Calls)
			all.Estimated = all.Estimated || w.Estimated
			all.Seconds += w.Seconds
		}
	}
}

// addIterations adds n iterations of a case.
func (t *Total) addIterations(one Iteration, works []Work, n int) {
	iterations := uint64(n)
	t.Iterations += iterations
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
