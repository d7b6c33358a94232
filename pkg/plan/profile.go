package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// profile is conditions and sizes that go together. What it leaves empty it does not touch.
type profile struct {
	name       result.Profile
	iterations int        // at least, where the conditions leave the number open
	conditions Conditions // Shift is any number: see shiftFor
	line       sizesOf    // of the parallel tool in 1D,
	square     sizesOf    // and in 2D
	dataset    uint64     // of the serial tool, in one dimension,
	buffer     uint64     // and its transfer buffer
}

// sizesOf are the sizes of the parallel tool.
type sizesOf struct {
	bytesPerProcess, block, minTransfer, maxTransfer uint64
}

// profiles lists the profiles. Each measures with all processes only, unless -p is given.
//
//   - quick takes seconds and shows that all works: data of a few MiB per process, written through to the storage.
//   - standard is a figure to publish of a file system in use: reads do not come from this client's page cache, the first
//     iteration counts for nothing, every case is measured for a second and five times at least, in random order.
//   - strict is a figure to accept a system by: besides, files are larger than memory can hold, or the run is refused, every
//     rank reads what another node wrote, every case is measured for ten seconds, and what is memory all the same is a failure.
var profiles = []profile{
	{
		name: result.ProfileQuick, iterations: 3, conditions: Conditions{Sync: result.SyncClose},
		line:    sizesOf{4 << 20, 1 << 20, 1 << 20, 4 << 20},
		square:  sizesOf{512, 256, 512, 512},
		dataset: 16 << 20, buffer: 1 << 20,
	},
	{
		name: result.ProfileStandard, iterations: defaultOpen,
		conditions: Conditions{
			Sync: result.SyncClose, Cold: true, Warmup: new(1), MinTime: new(time.Second), Order: result.OrderRandom,
		},
		line:    sizesOf{64 << 20, 1 << 20, 1 << 20, 16 << 20},
		square:  sizesOf{2 << 10, 1 << 10, 1 << 10, 2 << 10},
		dataset: 1 << 30, buffer: 4 << 20,
	},
	{
		name: result.ProfileStrict, iterations: defaultOpen,
		conditions: Conditions{
			Sync: result.SyncClose, Cold: true, Shift: new(1), Warmup: new(1), MinTime: new(10 * time.Second),
			Order: result.OrderRandom, MemoryFactor: new(2.0),
		},
		line: large.line, square: large.square, buffer: large.buffer,
	},
}

// large are the sizes of transfers in files as large as memory, where those that depend on the size of the file would not
// fit into memory.
var large = profile{
	line:   sizesOf{block: 1 << 20, minTransfer: 4 << 20, maxTransfer: 4 << 20},
	square: sizesOf{block: 1 << 10, minTransfer: 4 << 10, maxTransfer: 4 << 10},
	buffer: 4 << 20,
}

// profileOf is the profile of a name; one that changes nothing for none.
func profileOf(name result.Profile) (profile, error) {
	for _, pr := range profiles {
		if pr.name == name {
			return pr, nil
		}
	}
	if name == "" {
		return profile{}, nil
	}
	return profile{}, usage.Errorf("--profile %q: must be one of %s", name, strings.Join(name.Values(), ", "))
}

// under fills in the conditions that are not given, as far as the run has what they are about.
func (pr profile) under(c Conditions, writes, reads bool) Conditions {
	if writes {
		c.Sync = cmp.Or(c.Sync, pr.conditions.Sync)
	}
	c.Cold = c.Cold || pr.conditions.Cold && reads
	c.Warmup = cmp.Or(c.Warmup, pr.conditions.Warmup)
	c.MinTime = cmp.Or(c.MinTime, pr.conditions.MinTime)
	c.Order = cmp.Or(c.Order, pr.conditions.Order)
	c.MemoryFactor = cmp.Or(c.MemoryFactor, pr.conditions.MemoryFactor)
	return c
}

// profiled are the options with what the profile and the memory factor ask for, where it is not given.
func (o Options) profiled(job Job) (Options, error) {
	pr, err := profileOf(o.Conditions.Profile)
	if err != nil {
		return o, err
	}
	o.Conditions = pr.under(o.Conditions, o.Conditions.ReadOnly == "", !o.WriteOnly)
	o.Iterations = or(o.Iterations, pr.iterations)
	if pr.name != "" && o.MinProcesses == nil {
		o.MinProcesses = new(job.Processes)
		if o.MaxProcesses != nil {
			*o.MinProcesses = min(*o.MaxProcesses, job.Processes)
		}
	}
	if pr.conditions.Shift != nil && o.Conditions.Shift == nil && !o.WriteOnly {
		o.Conditions.Shift = o.shiftFor(job)
	}
	o.sizesUnder(pr)
	return o.byMemory(job)
}

// sizesUnder fills in the sizes that are not given.
func (o *Options) sizesUnder(pr profile) {
	s := pr.line
	if o.TwoD {
		s = pr.square
	}
	o.BytesPerProcess = or(o.BytesPerProcess, s.bytesPerProcess)
	if s.maxTransfer == 0 {
		return
	}
	if o.MinTransfer != nil {
		s.maxTransfer = max(s.maxTransfer, *o.MinTransfer)
	}
	if !o.TwoD && positive(o.BytesPerProcess) {
		s.maxTransfer = min(s.maxTransfer, *o.BytesPerProcess)
	}
	o.MaxTransfer = or(o.MaxTransfer, s.maxTransfer)
	o.MinTransfer = or(o.MinTransfer, min(s.minTransfer, *o.MaxTransfer))
	o.Block = or(o.Block, min(s.block, *o.MinTransfer))
}

// shiftFor is how many ranks further on a rank of the strict profile reads: as many as a node has, so that what it reads was
// written elsewhere; where that comes round to itself by one; and none where there is no other rank.
func (o Options) shiftFor(job Job) *int {
	for _, shift := range []int{(job.Processes + max(1, job.Nodes) - 1) / max(1, job.Nodes), 1} {
		if !slices.ContainsFunc(o.processes(job), func(n int) bool { return shift%n == 0 }) {
			return &shift
		}
	}
	return nil
}

// processes are the numbers of processes of the sweep that fit in the job.
func (o Options) processes(job Job) (all []int) {
	least, most := 1, job.Processes
	if o.MaxProcesses != nil {
		most = *o.MaxProcesses
	}
	if o.MinProcesses != nil {
		least = max(1, min(*o.MinProcesses, most))
	}
	for n := most; n >= least; n /= 2 {
		if n <= job.Processes {
			all = append(all, n)
		}
	}
	return all
}

// profiled are the options with what the profile and the memory factor ask for, where it is not given.
func (o SerialOptions) profiled(job Job) (SerialOptions, error) {
	pr, err := profileOf(o.Conditions.Profile)
	if err != nil {
		return o, err
	}
	o.Conditions = pr.under(o.Conditions, o.Conditions.ReadOnly == "", !o.WriteOnly)
	o.Iterations = or(o.Iterations, pr.iterations)
	if o.Dataset == nil && o.Buffer == nil && pr.buffer > 0 {
		o.Buffer = []uint64{pr.buffer}
	}
	if o.Dataset == nil && pr.dataset > 0 {
		o.Dataset = []uint64{pr.dataset}
	}
	return o.byMemory(job)
}

// or is the given number, or the fallback, unless that is 0.
func or[N int | uint64](given *N, fallback N) *N {
	if given != nil || fallback == 0 {
		return given
	}
	return &fallback
}
