package plan

import (
	"fmt"
	"iter"

	"h5perf/pkg/usage"
)

// sweep lays out the steps: the number of processes halves from -P to -p, and in each step the transfer size doubles from
// -x to -X. Steps larger than the job are skipped, not refused.
func (p *Plan) sweep(o Options, worldSize int) error {
	s := &p.Parameters
	if err := count("-P", "processes", o.MaxProcesses, &s.MaxProcesses, worldSize); err != nil {
		return err
	}
	if err := count("-p", "processes", o.MinProcesses, &s.MinProcesses, 1); err != nil {
		return err
	}
	if s.MinProcesses > s.MaxProcesses {
		p.note("-p lowered from %d to %d, the maximum number of processes (-P)", s.MinProcesses, s.MaxProcesses)
		s.MinProcesses = s.MaxProcesses
	}
	fits := false
	for n := s.MaxProcesses; n >= s.MinProcesses; n /= 2 {
		step := Step{Processes: n, Transfers: doubling(s.MinTransferBytes, s.MaxTransferBytes)}
		if n > worldSize {
			step.Skip = fmt.Sprintf("%d processes are more than the job's %d", n, worldSize)
		} else {
			fits = true
		}
		p.Steps = append(p.Steps, step)
	}
	if !fits {
		return usage.Errorf("-p %d -P %d: no step fits in the job's %d process(es); give a smaller -p, or launch more processes",
			s.MinProcesses, s.MaxProcesses, worldSize)
	}
	if s.MaxProcesses > worldSize {
		p.note("-P %d is more than the job's %d process(es): larger steps are skipped", s.MaxProcesses, worldSize)
	}
	return nil
}

// doubling is the sizes from low, doubled up to high; low is at most high.
func doubling(low, high uint64) []uint64 {
	sizes := []uint64{low}
	for low != 0 && low <= high/2 {
		low *= 2
		sizes = append(sizes, low)
	}
	return sizes
}

// Cases are the cases to measure, in order: processes, then transfer sizes, then APIs.
func (p Plan) Cases() iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for _, step := range p.Steps {
			if step.Skip != "" {
				continue
			}
			for _, x := range step.Transfers {
				for _, api := range p.Parameters.APIs {
					if !yield(Case{Parameters: p.Parameters, Processes: step.Processes, Transfer: x, API: api}) {
						return
					}
				}
			}
		}
	}
}
