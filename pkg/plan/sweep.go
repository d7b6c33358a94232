package plan

import (
	"fmt"

	"h5perf/pkg/usage"
)

// sweep is the numbers of processes of a run and its steps.
type sweep struct {
	minProcesses, maxProcesses int
	steps                      []Step
}

// sweepOf returns the steps: the number of processes is halved from -P down to -p, and each step has all transfer
// sizes. Steps larger than the job are skipped, with a note; a sweep without any other step is refused.
func sweepOf(o Options, transfers []uint64, job Job) (sweep, []string, error) {
	most, err := count("-P", "processes", o.MaxProcesses, job.Processes)
	if err != nil {
		return sweep{}, nil, err
	}
	least, err := count("-p", "processes", o.MinProcesses, 1)
	if err != nil {
		return sweep{}, nil, err
	}
	var notes []string
	if least > most {
		notes = append(notes, fmt.Sprintf(
			"-p lowered from %d to %d, the maximum number of processes (-P)", least, most))
		least = most
	}
	var steps []Step
	for _, n := range halving(most, least) {
		step := Step{Processes: n, Transfers: transfers}
		if n > job.Processes {
			step.Skip = fmt.Sprintf("%d processes are more than the %d of the job", n, job.Processes)
		}
		steps = append(steps, step)
	}
	if steps[len(steps)-1].Skip != "" {
		return sweep{}, nil, usage.Errorf(
			"-p %d -P %d: no step fits in the job, which has %s; give a smaller -p, or launch more processes",
			least, most, processes(job.Processes))
	}
	if most > job.Processes {
		notes = append(notes, fmt.Sprintf(
			"-P %d: the job has only %s, so larger steps are skipped", most, processes(job.Processes)))
	}
	return sweep{least, most, steps}, notes, nil
}
