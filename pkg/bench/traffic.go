package bench

import (
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// TrafficMeter reads counters of the bytes that move between this node and a file system, as node.TrafficMeter does.
type TrafficMeter interface {
	// OfNode returns the traffic of all programs of this node with the file system.
	OfNode() (t node.Traffic, known bool)
	// OfProcess returns the traffic of this process, counted in the same way.
	OfProcess() (t node.Traffic, known bool)
	// DirtyBytes returns how many bytes in the memory of this node the kernel has still to write.
	DirtyBytes() uint64
}

// othersAllowance and stepAllowance are bytes that count as traffic of this run, since no counter of a process has
// them: file systems write journals and other metadata of their own. The first is for an operation on a node, the
// second for each step that may change metadata.
const (
	othersAllowance = 8 << 20
	stepAllowance   = 64 << 10
)

// storageTraffic holds the bytes that moved while an operation of an iteration ran, summed over its files.
type storageTraffic struct {
	unknown  bool
	node     node.Traffic // of all programs of the node; only on its first process
	dirty    uint64       // in the memory of the node when the operation began; only on its first process
	own      node.Traffic // of this process
	unsynced uint64       // written before by this process, and not synced: may be part of dirty
	steps    uint64       // number of steps of this process that may change metadata, without transfers
	syncs    uint64       // number of transfers of this process that were synced one by one
}

// trafficReading is one reading of the counters.
type trafficReading struct {
	node, own node.Traffic
	dirty     uint64
	known     bool
}

// readTraffic reads the counters for the directory of the data files. Only the first process of a node reads those of
// the node.
func (c *caseRun) readTraffic() (r trafficReading) {
	dir := c.dataDirPath()
	if c.meters == nil {
		c.meters = map[string]TrafficMeter{}
	}
	meter, ok := c.meters[dir]
	if !ok {
		meter = c.OpenTrafficMeter(dir, c.dirHandle())
		c.meters[dir] = meter
	}
	if r.own, r.known = meter.OfProcess(); r.known && c.leader {
		r.node, r.known = meter.OfNode()
		r.dirty = meter.DirtyBytes()
	}
	return r
}

// addTraffic adds the traffic since the reading before, which was made when the operation began to write or read the
// current file.
func (c *caseRun) addTraffic(before trafficReading, m *measurement) {
	after, t := c.readTraffic(), &m.traffic
	if c.syncsEachTransfer() {
		t.syncs = m.bytes / max(1, c.out.BufferBytes)
	}
	own, ownKnown := trafficBetween(before.own, after.own)
	all, allKnown := trafficBetween(before.node, after.node)
	if !before.known || !after.known || !ownKnown || !allKnown {
		t.unknown = true
		return
	}
	t.own = node.Traffic{Read: t.own.Read + own.Read, Written: t.own.Written + own.Written}
	t.node = node.Traffic{Read: t.node.Read + all.Read, Written: t.node.Written + all.Written}
	t.dirty += before.dirty
	t.unsynced += c.unsynced
	synced := c.conditions().Sync == option.SyncClose || c.conditions().Cold && c.readsFiles()
	if c.op == workload.Write && !synced {
		c.unsynced += own.Written
	}
}

// trafficBetween returns the traffic between two readings. known is false if a counter has started again.
func trafficBetween(before, after node.Traffic) (t node.Traffic, known bool) {
	return node.Traffic{Read: after.Read - before.Read, Written: after.Written - before.Written},
		after.Read >= before.Read && after.Written >= before.Written
}

// trafficSums holds sums over the processes of a node, for one operation. They are valid after the reduction.
type trafficSums struct{ unknown, read, written, unsynced, steps *mpi.ReducedValue }

// addTrafficSums adds the traffic of this process to a reduction.
func addTrafficSums(all *mpi.Reduction, t *storageTraffic) trafficSums {
	return trafficSums{
		unknown: all.AddFlag(t.unknown),
		read:    all.Add(float64(t.own.Read)), written: all.Add(float64(t.own.Written)),
		unsynced: all.Add(float64(t.unsynced)), steps: all.Add(float64(t.steps + t.syncs)),
	}
}

// bytesOfOthers returns how many bytes other programs of this node moved during an operation of an iteration, on the
// first process of the node. It counts only bytes that cannot be those of this run: the run may have caused what its
// processes count, what was dirty when the operation began and may come from it, and some metadata. It returns 0 if the
// bytes are few or not known.
func (s trafficSums) bytesOfOthers(t *storageTraffic) uint64 {
	if s.unknown.Max > 0 {
		return 0
	}
	late := min(float64(t.dirty), s.unsynced.Sum)
	others := max(0, float64(t.node.Read)-s.read.Sum) +
		max(0, float64(t.node.Written)-s.written.Sum-late-stepAllowance*s.steps.Sum)
	if others <= othersAllowance {
		return 0
	}
	return uint64(others)
}
