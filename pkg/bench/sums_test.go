package bench_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// The times in the report of the C tool are those of the slowest process, where each process adds up its own times.
// They are not sums of the slowest times of classes, which may come from different processes. The test records the
// times that steps take, and computes the results again.
func TestTheTimesOfTheReportAreSumsOfEachProcess(t *testing.T) {
	const jobSize = 4
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(7, 8))
	own := map[workload.Op]*[jobSize]map[null.Phase]time.Duration{
		workload.Write: {{}, {}, {}, {}}, workload.Read: {{}, {}, {}, {}},
	}
	takes := func(rank int, s null.Step) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		took := time.Duration(random.Int64N(int64(time.Hour)))
		own[s.Op][rank][s.Phase] += took
		return took
	}
	o := transfers(3, option.Conditions{Sync: option.SyncClose})
	c := ranks{n: jobSize, late: inTime, takes: takes}.measure(t, o)
	access := []null.Phase{null.Dataset, null.Transfer, null.DatasetClose}
	for op, s := range map[workload.Op]result.Sample{workload.Write: c.Samples[0], workload.Read: c.Samples[1]} {
		// slowest returns the longest sum of the times of some phases on one process, and the rank of that process.
		slowest := func(phases ...null.Phase) (most float64, rank int) {
			for i, of := range own[op] {
				sum := time.Duration(0)
				for _, p := range phases {
					sum += of[p]
				}
				if sum.Seconds() > most {
					most, rank = sum.Seconds(), i
				}
			}
			return most, rank
		}
		for what, row := range map[string]struct {
			got    result.Interval
			phases []null.Phase
		}{
			"Raw Data":   {s.ClassInterval(workload.Transfer), []null.Phase{null.Transfer}},
			"Access":     {s.Access, access},
			"Open-Close": {s.OpenClose, append([]null.Phase{null.Open, null.Close}, access...)},
			"File Open":  {s.ClassInterval(workload.FileOpen), []null.Phase{null.Open}},
			"File Close": {s.ClassInterval(workload.FileClose), []null.Phase{null.Close}},
		} {
			if most, rank := slowest(row.phases...); row.got.Max != most || row.got.MaxRank != rank {
				t.Errorf("%s %s: %+v, want %v s of rank %d", op, what, row.got, most, rank)
			}
		}
		if op == workload.Write {
			if most, _ := slowest(append([]null.Phase{null.Sync}, access...)...); s.AccessAndSync.Max != most {
				t.Errorf("with sync: %+v, want %v s", s.AccessAndSync, most)
			}
		}
	}
}
