package plan

import (
	"fmt"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// withSweep adds the sweep of the parallel tool to a plan. given holds the options before they were completed.
func withSweep(p Plan, o, given Options, job JobFacts) (Plan, error) {
	s := &p.Parameters
	var err error
	if s.Files, err = positiveCount("-F", "files", o.Files, 1); err != nil {
		return p, err
	}
	if s.Datasets, err = positiveCount("-d", "datasets per file", o.Datasets, 1); err != nil {
		return p, err
	}
	sizes, sizeNotes := chosenSizes(o)
	if s.ChunkSize, err = chosenChunk(o, sizes.blockSize); err != nil {
		return p, err
	}
	sweep, sweepNotes, err := chosenSweep(o, doubledSizes(sizes.minTransferSize, sizes.maxTransferSize), job)
	if err != nil {
		return p, err
	}
	if s.Create, err = chosenCreateMode(o); err != nil {
		return p, err
	}
	if s.Selection, err = chosenSelection(o); err != nil {
		return p, err
	}
	s.MinProcesses, s.MaxProcesses = sweep.minProcesses, sweep.maxProcesses
	s.BytesPerProcess, s.BlockSize = sizes.bytesPerProcess, sizes.blockSize
	s.MinTransferSize, s.MaxTransferSize = sizes.minTransferSize, sizes.maxTransferSize
	s.FilesPerProcess = o.FilesPerProcess
	s.Geometry = conditional(o.TwoD, result.Geometry2D, result.Geometry1D)
	s.Pattern = conditional(o.Interleaved, result.PatternInterleaved, result.PatternContiguous)
	s.Mode = conditional(o.Collective, result.ModeCollective, result.ModeIndependent)
	s.Layout = conditional(o.Chunked, result.LayoutChunked, result.LayoutContiguous)
	p.ProcessSteps = sweep.steps
	for _, notes := range [][]string{
		sizeNotes, fillNotes(s.APIs, s.HDF5Settings, o.Chunked), sweepNotes,
		spreadNotes(s.Conditions.Spread, sweep.steps, job),
	} {
		p.Notes = append(p.Notes, notes...)
	}
	return withFittingBlock(p, given), nil
}

// sweep holds the numbers of processes of a run, and its steps.
type sweep struct {
	minProcesses, maxProcesses int
	steps                      []ProcessStep
}

// chosenSweep returns the steps of a sweep: the number of processes is halved from -P down to -p, and each step has all
// transfer sizes. A step with more processes than the job is skipped, with a note. It returns an error if no step is
// left.
func chosenSweep(o Options, transfers []uint64, job JobFacts) (sweep, []string, error) {
	most, err := positiveCount("-P", "processes", o.MaxProcesses, job.Processes)
	if err != nil {
		return sweep{}, nil, err
	}
	least, err := positiveCount("-p", "processes", o.MinProcesses, 1)
	if err != nil {
		return sweep{}, nil, err
	}
	var notes []string
	if least > most {
		notes = append(notes, fmt.Sprintf(
			"Option -p %d is larger than the maximum number of processes (-P): %d is used.", least, most))
		least = most
	}
	var steps []ProcessStep
	for _, n := range halvedCounts(most, least) {
		step := ProcessStep{Processes: n, TransferSizes: transfers}
		if n > job.Processes {
			step.SkipReason = fmt.Sprintf("needs %s, but the job has %d", processesText(n), job.Processes)
		}
		steps = append(steps, step)
	}
	if steps[len(steps)-1].SkipReason != "" {
		return sweep{}, nil, usage.Errorf(
			"-p %d -P %d: every measurement needs more processes than the job has (%d); give a smaller -p, or launch "+
				"more processes", option.ValueOrZero(o.MinProcesses), option.ValueOrZero(o.MaxProcesses), job.Processes)
	}
	if most > job.Processes {
		notes = append(notes, fmt.Sprintf(
			"The job has only %s, so the larger steps of -P %d are skipped.", processesText(job.Processes), most))
	}
	return sweep{least, most, steps}, notes, nil
}
