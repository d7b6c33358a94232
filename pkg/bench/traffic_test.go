package bench_test

import (
	"os"
	"testing"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
)

const mebibyte = 1 << 20

// operationTraffic is what a kernel counts in one operation.
type operationTraffic struct{ node, own node.Traffic }

// scriptedMeter is a TrafficMeter that reads twice for each operation: before and after it.
type scriptedMeter struct {
	operations  []operationTraffic // of an iteration: write, read
	dirty       uint64
	unknownNode bool
	unknownOwn  bool
	numReadings int
	total       operationTraffic
}

func (m *scriptedMeter) OfProcess() (node.Traffic, bool) {
	if m.numReadings++; m.numReadings%2 == 0 {
		moved := m.operations[(m.numReadings/2-1)%len(m.operations)]
		m.total.own = sumTraffic(m.total.own, moved.own)
		m.total.node = sumTraffic(m.total.node, moved.node)
	}
	return m.total.own, !m.unknownOwn
}

func (m *scriptedMeter) OfNode() (node.Traffic, bool) { return m.total.node, !m.unknownNode }

func (m *scriptedMeter) DirtyBytes() uint64 { return m.dirty }

func sumTraffic(a, b node.Traffic) node.Traffic {
	return node.Traffic{Read: a.Read + b.Read, Written: a.Written + b.Written}
}

// mebibytes returns traffic of so many MiB.
func mebibytes(read, written uint64) node.Traffic {
	return node.Traffic{Read: read * mebibyte, Written: written * mebibyte}
}

func TestTrafficOfOthersIsWhatCannotBeOfTheRun(t *testing.T) {
	own := [2]node.Traffic{mebibytes(0, 100), mebibytes(100, 0)} // write, read
	for name, c := range map[string]struct {
		write, read node.Traffic // of all programs of the node
		dirty       uint64       // in MiB
		sync        option.SyncMode
		want        [2]uint64 // of others, in MiB, without what is allowed for metadata
	}{
		"alone": {
			own[0], own[1], 0, option.SyncNone, [2]uint64{},
		},
		"from and in memory": {
			node.Traffic{}, node.Traffic{}, 0, option.SyncNone, [2]uint64{},
		},
		"metadata": {
			mebibytes(3, 105), mebibytes(105, 3), 0, option.SyncNone, [2]uint64{},
		},
		"others read": {
			mebibytes(50, 100), mebibytes(150, 0), 0, option.SyncNone, [2]uint64{50, 50},
		},
		"others read, ours in memory": {
			mebibytes(50, 0), mebibytes(90, 0), 0, option.SyncNone, [2]uint64{50, 0},
		},
		"others write": {
			mebibytes(0, 160), mebibytes(100, 50), 0, option.SyncNone, [2]uint64{60, 50},
		},
		"ours written late": {
			mebibytes(0, 0), mebibytes(100, 100), 500, option.SyncNone, [2]uint64{},
		},
		"more than ours written late": {
			mebibytes(0, 0), mebibytes(100, 130), 500, option.SyncNone, [2]uint64{0, 30},
		},
		"more than was dirty": {
			mebibytes(0, 100), mebibytes(100, 90), 70, option.SyncNone, [2]uint64{0, 20},
		},
		"ours were synced": {
			mebibytes(0, 100), mebibytes(100, 100), 500, option.SyncClose, [2]uint64{0, 100},
		},
	} {
		meter := &scriptedMeter{
			operations: []operationTraffic{{c.write, own[0]}, {c.read, own[1]}}, dirty: c.dirty * mebibyte,
		}
		samples := samplesWithMeter(t, c.sync, meter)
		for i, s := range samples {
			want := c.want[i] * mebibyte
			if s.OtherBytes > want || s.OtherBytes+2*mebibyte < want || s.HasMark(result.MarkDisturbed) != (want > 0) {
				t.Errorf("%s: %s: others moved %d bytes, marks %v, want %d", name, s.Operation, s.OtherBytes,
					s.Marks, want)
			}
		}
	}
}

func TestTrafficThatIsNotKnownIsNotThatOfOthers(t *testing.T) {
	for name, meter := range map[string]*scriptedMeter{
		"of the node": {unknownNode: true}, "of the process": {unknownOwn: true},
	} {
		meter.operations = []operationTraffic{{node: mebibytes(1000, 1000)}}
		for _, s := range samplesWithMeter(t, option.SyncNone, meter) {
			if s.OtherBytes != 0 || s.HasMark(result.MarkDisturbed) {
				t.Errorf("%s: %d bytes, marks %v", name, s.OtherBytes, s.Marks)
			}
		}
	}
}

// samplesWithMeter measures an iteration, and returns its samples: a write and a read of a few bytes.
func samplesWithMeter(t *testing.T, sync option.SyncMode, meter bench.TrafficMeter) []result.Sample {
	t.Helper()
	var o plan.Options
	o.APIs, o.Sync = []string{result.POSIX}, sync
	state, seen, _ := runWith(t, o, null.Options{}, func(cfg *bench.Config) {
		cfg.OpenTrafficMeter = func(string, *os.File) bench.TrafficMeter { return meter }
	})
	if state != result.Complete || len(seen.cases) == 0 || len(seen.cases[0].Samples) != 2 {
		t.Fatalf("%s, %+v", state, seen.cases)
	}
	return seen.cases[0].Samples
}

// Two nodes have two processes each. The first process of each node reads the counters of the node.
func TestTrafficOfAllProcessesOfANodeIsThatOfTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		node    [2]uint64 // written on each node, in MiB
		unknown int       // rank whose process does not know its bytes; -1: none
		want    uint64
	}{
		"alone":                      {[2]uint64{200, 200}, -1, 0},
		"others on one node":         {[2]uint64{200, 260}, -1, 60},
		"others on both":             {[2]uint64{240, 260}, -1, 100},
		"one process not known":      {[2]uint64{260, 250}, 1, 50},
		"less on one, others on one": {[2]uint64{0, 260}, -1, 60},
	} {
		mpitest.InMemory(t, mpi.MemoryJobOptions{}, 4, func(world mpi.Comm) {
			o := halves(world, option.Conditions{})
			o.MinProcesses, o.WriteOnly = new(4), true
			meter := &scriptedMeter{
				operations: []operationTraffic{{mebibytes(0, c.node[world.Rank()/2]), mebibytes(0, 100)}},
				unknownOwn: world.Rank() == c.unknown,
			}
			_, cases := measureWith(t, on2Nodes(world), o, mpitest.Dir(t, world), nullEngines(null.Options{}),
				func(cfg *bench.Config) {
					cfg.OpenTrafficMeter = func(string, *os.File) bench.TrafficMeter { return meter }
				})
			if got := cases[0].Samples[0].OtherBytes; got > c.want*mebibyte || got+2*mebibyte < c.want*mebibyte {
				t.Errorf("%s: others moved %d bytes, want %d MiB", name, got, c.want)
			}
		})
	}
}
