package bench

import (
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
)

// minOthersTime is the shortest iteration for which the processor use of other programs is recorded: the kernel counts
// in hundredths of a second.
const minOthersTime = 300 * time.Millisecond

// busyTime holds how much processor time programs have used, in seconds. Only differences between two values have a
// meaning.
type busyTime struct {
	at   time.Time
	own  float64 // of this process
	node float64 // of all programs of the node, and of other virtual machines on its hardware; 0: not known
	cpus int     // number of processors of the node
}

// readBusyTime returns the processor time that the kernel has counted for this process and, if whole is set, for all
// programs of the node. Only time in user mode counts: work that the kernel does for one process, such as writing back
// dirty pages, cannot be distinguished from work for another.
func (c *caseRun) readBusyTime(whole bool) (b busyTime) {
	b.at = c.Now()
	var own unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &own) == nil {
		b.own = time.Duration(own.Utime.Nano()).Seconds()
	}
	if whole {
		b.node, b.cpus = node.ProcessorTime()
	}
	return b
}

// otherProgramsShare returns how much of the processor time of this node other programs have used since the measurement
// before, as a share from 0 to 1. Only the first process of each node returns the share; the others return 0, as does
// the first if it does not know. Collective over the processes of the case.
func (c *caseRun) otherProgramsShare(before busyTime) float64 {
	now := c.readBusyTime(c.leader)
	var all mpi.Reduction
	own := all.Add(now.own - before.own)
	all.Run(c.node)
	wall := now.at.Sub(before.at).Seconds()
	if !c.leader || before.cpus == 0 || now.cpus == 0 || wall <= 0 {
		return 0
	}
	share := (now.node - before.node - own.Sum) / (wall * float64(now.cpus))
	return min(max(share, 0), 1)
}
