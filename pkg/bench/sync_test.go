package bench_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// two returns options for one case of two datasets with two transfers each.
func two(c option.Conditions) plan.Options {
	o := single(c)
	o.Datasets, o.APIs = new(2), []string{result.PHDF5} // an API with datasets
	o.MinTransferSize, o.MaxTransferSize, o.BlockSize = new(uint64(32<<10)), new(uint64(32<<10)), new(uint64(32<<10))
	return o
}

func TestDataAreSyncedWhenAskedAndByAClockOfItsOwn(t *testing.T) {
	costs := map[null.Phase]time.Duration{
		null.Open: 1, null.Dataset: 2, null.Transfer: 10, null.DatasetClose: 3,
		null.Sync: 100, null.Close: 4,
	}
	for _, row := range []struct {
		when  option.SyncMode
		steps string
		syncs float64
	}{
		{"none", "open dataset transfer transfer dataset-close dataset transfer transfer dataset-close close", 0},
		{"close", "open dataset transfer transfer dataset-close dataset transfer transfer dataset-close sync close", 1},
		{"phase", "open dataset transfer transfer sync dataset-close dataset transfer transfer sync " +
			"dataset-close close", 2},
		{"each", "open dataset transfer sync transfer sync dataset-close dataset transfer sync transfer sync " +
			"dataset-close close", 4},
	} {
		t.Run(string(row.when), func(t *testing.T) {
			c := &testClock{}
			steps := map[workload.Op][]string{}
			_, seen, _ := runWith(t, two(option.Conditions{Sync: row.when}),
				null.Options{Fail: func(s null.Step) error {
					c.now += costs[s.Phase] * time.Second
					if s.Phase != null.Prepare {
						steps[s.Op] = append(steps[s.Op], strings.ReplaceAll(string(s.Phase), " ", "-"))
					}
					return nil
				}}, c.set)
			if got := strings.Join(steps[workload.Write], " "); got != row.steps {
				t.Errorf("writing is\n%s, want\n%s", got, row.steps)
			}
			if slices.Contains(steps[workload.Read], "sync") {
				t.Errorf("reading syncs: %v", steps[workload.Read])
			}
			write, read := seen.cases[0].Samples[0], seen.cases[0].Samples[1]
			if write.ClassInterval(workload.Transfer).Max != 40 || write.Access.Max != 50 ||
				write.OpenClose.Max != 55 ||
				write.ClassInterval(workload.FileClose).Max != 4 {
				t.Errorf("syncing is in %+v", write)
			}
			if row.syncs == 0 {
				if write.ClassInterval(workload.Sync).Max > 0 || write.AccessAndSync != nil || write.Seconds() != 50 {
					t.Errorf("nothing is synced, but %+v", write)
				}
			} else if write.ClassInterval(workload.Sync).Max != 100*row.syncs ||
				write.AccessAndSync.Max != 50+100*row.syncs ||
				write.Seconds() != write.AccessAndSync.Max {
				t.Errorf("sync %+v, durable %+v", write.ClassInterval(workload.Sync), write.AccessAndSync)
			}
			if read.ClassInterval(workload.Sync).Max > 0 || read.AccessAndSync != nil {
				t.Errorf("a read was synced: %+v", read)
			}
		})
	}
}

func TestASyncThatFailsLeavesNoFigure(t *testing.T) {
	for _, when := range []option.SyncMode{option.SyncClose, option.SyncPhase, option.SyncEach} {
		_, seen, _ := run(t, two(option.Conditions{Sync: when}), null.Options{Fail: func(s null.Step) error {
			if s.Phase == null.Sync {
				return errors.New("input/output error")
			}
			return nil
		}})
		c := seen.cases[0]
		if c.State != result.Failed || c.Error.Phase != "sync" ||
			!strings.Contains(c.Error.Message, "input/output error") || len(c.Samples) != 0 {
			t.Errorf("sync %s: %s, %+v, %d samples", when, c.State, c.Error, len(c.Samples))
		}
	}
}

func TestATimeLimitCutsTheTransfers(t *testing.T) {
	// There are 1000 transfers. A write takes 1 s, a read 0.5 s. The limit of 200 s is reached after 200 writes; the
	// 200 reads end before it.
	size, n := uint64(1<<10), uint64(1000)
	for _, collective := range []bool{false, true} {
		o := plan.Options{
			Sizes: option.Sizes{
				APIs: []string{result.POSIX}, BytesPerProcess: new(n * size), MinTransferSize: &size,
				MaxTransferSize: &size, BlockSize: &size, Collective: collective,
			},
			Common: option.Common{Conditions: option.Conditions{TimeLimit: new(200.0)}},
			Verify: true,
		}
		c := &testClock{}
		state, seen, _ := runWith(t, o, null.Options{Fail: func(s null.Step) error {
			if s.Phase == null.Transfer {
				c.now += time.Second / time.Duration(1+int(s.Op))
			}
			return nil
		}}, c.set)
		if state != result.Complete {
			t.Fatalf("%s: %+v", state, seen.cases[0].Error)
		}
		write, read := seen.cases[0].Samples[0], seen.cases[0].Samples[1]
		l := write.Limit
		if l == nil || l.PlannedBytes != n*size || l.Transfers < 200 || l.Transfers > 204 ||
			l.LimitBytes != l.Transfers*size ||
			write.Bytes != l.Transfers*size || math.Abs(l.AtLimit.Max-float64(l.Transfers)) > 1e-9 ||
			write.ClassInterval(workload.Transfer).Max != l.AtLimit.Max {
			t.Errorf("write %+v, limit %+v; want about 200 of 1000 transfers", write, l)
		}
		if read.Bytes != write.Bytes || read.Limit != nil ||
			math.Abs(read.ClassInterval(workload.Transfer).Max-float64(l.Transfers)/2) > 1e-9 {
			t.Errorf("read of %d bytes in %g s, limit %+v; want what was written, without a limit", read.Bytes,
				read.ClassInterval(workload.Transfer).Max, read.Limit)
		}
	}
}
