package bench_test

import (
	"math"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// Each reading of the clock is a second after the previous one, so each timed part takes a second.
func TestMakingAFileIsPartOfOpeningIt(t *testing.T) {
	var o plan.Options
	o.APIs, o.MinTransferSize, o.Files = []string{result.POSIX}, new(uint64(256<<10)), new(3)
	now := time.Duration(0)
	state, seen, _ := runWith(t, o, null.Options{}, func(cfg *bench.Config) {
		cfg.Clock = func() time.Duration {
			now += time.Second
			return now
		}
	})
	if state != result.Complete || len(seen.cases) != 1 || len(seen.cases[0].Samples) != 2 {
		t.Fatalf("%s, %+v", state, seen.cases)
	}
	for i, want := range []float64{6, 3} { // three files: created and opened to write, opened to read
		s := seen.cases[0].Samples[i]
		open := s.ClassInterval(workload.FileOpen)
		if math.Abs(open.Max-want) > 1e-9 || math.Abs(open.WindowSeconds-want) > 1e-9 {
			t.Errorf("%s: open took %v s, in a window of %v s, want %v", s.Operation,
				s.ClassInterval(workload.FileOpen).Max,
				s.ClassInterval(workload.FileOpen).WindowSeconds, want)
		}
	}
}
