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

// measureOthers measures what other programs of this node used while the iteration ran: processor time, and the file
// system. span is the sum of all windows. Only the first process of each node keeps the results; the other processes
// keep 0. Collective over the processes of the case.
func (c *caseRun) measureOthers(clocks *[2]measurement, span time.Duration) {
	c.othersShare, c.otherBytes = 0, [2]uint64{}
	now := c.busyBefore
	if span >= minOthersTime {
		now = c.readBusyTime(c.leader)
	}
	var all mpi.Reduction
	own := all.Add(now.own - c.busyBefore.own)
	var traffic [2]trafficSums
	for op := range clocks {
		traffic[op] = addTrafficSums(&all, &clocks[op].traffic)
	}
	all.Run(c.node)
	if !c.leader {
		return
	}
	c.othersShare = c.busyBefore.shareOfOthers(now, own.Sum)
	for op := range clocks {
		c.otherBytes[op] = traffic[op].bytesOfOthers(&clocks[op].traffic)
	}
}

// shareOfOthers returns how much of the processor time of the node other programs used between the times b and now, as
// a share from 0 to 1. own is what the processes of this node used. It returns 0 if the share is not known.
func (b busyTime) shareOfOthers(now busyTime, own float64) float64 {
	wall := now.at.Sub(b.at).Seconds()
	if b.cpus == 0 || now.cpus == 0 || wall <= 0 {
		return 0
	}
	share := (now.node - b.node - own) / (wall * float64(now.cpus))
	return min(max(share, 0), 1)
}
