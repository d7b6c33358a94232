package plan

import (
	"fmt"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Workload makes the programs of a workload.
type Workload interface {
	// Program returns what a rank does, in a job of so many.
	Program(rank, ranks uint64) (workload.Program, error)
}

// Program returns what a rank does, without the memory of its buffers.
func (c Case) Program(rank uint64) (workload.Program, error) {
	if c.Workload == nil {
		return c.Sweep(rank).Program(), nil
	}
	p, err := c.Workload.Program(rank, uint64(c.Processes))
	if err != nil {
		return p, fmt.Errorf("workload of rank %d of %d: %w", rank, c.Processes, err)
	}
	write := &p.Parts[workload.Write]
	switch c.Parameters.Conditions.Sync {
	case result.SyncPhase:
		*write = write.SyncDumps()
	case result.SyncClose:
		*write = write.SyncFiles()
	}
	return p, nil
}
