package figures_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// sizedRun returns a run of APIs with transfers of 4, 8, 16 KiB and so on, without marks. kibibytes holds the
// throughput of writes of each API at each size, in KiB/s; reads are twice as fast.
func sizedRun(processes int, kibibytes map[string][]float64) figures.Run {
	r := figurestest.Sweep()
	r.Cases = nil
	for _, api := range []string{result.POSIX, result.MPIIO} {
		for i, rate := range kibibytes[api] {
			r.Cases = append(r.Cases, figurestest.Case(processes, 4096<<i, api, rate, 8))
		}
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	return r
}

func TestAMinimumIsJudgedByTheMedianOverSizesOfTheWorstAPI(t *testing.T) {
	r := sizedRun(4, map[string][]float64{result.POSIX: {100, 900, 500, 800}, result.MPIIO: {400, 600, 700}})
	small := sizedRun(2, map[string][]float64{result.POSIX: {1, 1, 1, 1, 1, 1, 1}})
	r.Cases = append(r.Cases, small.Cases...)
	for name, c := range map[string]struct {
		min       figures.MinThroughput
		wantAPI   string
		wantSize  uint64 // of the point that decides
		wantCount [2]int // of judged points, of verdicts
	}{
		"all APIs": {figures.MinThroughput{}, result.POSIX, 16384, [2]int{4, 2}},
		"one API":  {figures.MinThroughput{API: result.MPIIO}, result.MPIIO, 8192, [2]int{3, 1}},
		"one size": {figures.MinThroughput{Transfer: 8192}, result.MPIIO, 8192, [2]int{1, 2}},
		"both":     {figures.MinThroughput{API: result.POSIX, Transfer: 4096}, result.POSIX, 4096, [2]int{1, 1}},
	} {
		for _, op := range result.ValuesOf[result.Operation]() {
			c.min.Operation = op
			all := c.min.JudgeAPIs([]figures.Run{r})
			if len(all) == 0 {
				t.Errorf("%s: no verdict", name)
				continue
			}
			p := all[0].MiddlePoint()
			got := [2]int{len(all[0].Points), len(all)}
			if all[0].API != c.wantAPI || p.Case.TransferSize != c.wantSize || p.Operation != op || got != c.wantCount {
				t.Errorf("%s: %s, %s of %d bytes, %v, want %s, %d, %v", name, all[0].API, p.Operation,
					p.Case.TransferSize, got, c.wantAPI, c.wantSize, c.wantCount)
			}
			for _, slower := range []float64{1, 0.999} { // the bound is part of what is accepted
				c.min.Rate = p.Rate.Low / slower
				if met := c.min.JudgeAPIs([]figures.Run{r})[0].Met; met != (slower == 1) {
					t.Errorf("%s: met %v at a minimum of %g", name, met, c.min.Rate)
				}
			}
		}
	}
	if all := (figures.MinThroughput{API: result.PHDF5}).JudgeAPIs([]figures.Run{r}); len(all) > 0 {
		t.Errorf("%d verdicts about an API that was not measured", len(all))
	}
}

func TestPointsThatDoNotShowTheFileSystemAreNotJudged(t *testing.T) {
	r := sizedRun(2, map[string][]float64{result.POSIX: {900, 900, 900, 900, 500}, result.MPIIO: {1000}})
	for i, mark := range []result.Mark{result.MarkWarm, result.MarkImplausible} {
		r.Cases[i].Samples[0].Marks, r.Cases[i].Samples[1].Marks = []result.Mark{mark}, []result.Mark{mark}
	}
	r.Cases[2].State = result.Interrupted
	r.Cases[3].Samples = r.Cases[3].Samples[:10] // 5 writes and 5 reads
	r.Cases[5].State = result.Failed
	r.Cases[5].Samples = nil
	want := map[string]int{"warm": 1, "implausible": 1, "partial": 1, "of fewer than 6 samples": 1}
	for _, op := range result.ValuesOf[result.Operation]() {
		all := figures.MinThroughput{Operation: op, Rate: 1}.JudgeAPIs([]figures.Run{r})
		if len(all) != 2 || all[0].API != result.MPIIO || all[0].Met || len(all[0].Points) > 0 ||
			!maps.Equal(all[0].Ignored, map[string]int{"without throughput": 1}) {
			t.Errorf("%s: an API that failed: %+v", op, all)
			continue
		}
		if v := all[1]; !v.Met || len(v.Points) != 1 || v.Points[0].Case.TransferSize != 65536 ||
			!maps.Equal(v.Ignored, want) {
			t.Errorf("%s: %d points, not judged %v, want %v", op, len(v.Points), v.Ignored, want)
		}
	}
}

// Samples scatter by 10 %. A system that is 5 % too slow must rarely be accepted, whatever the number of sizes; one
// that is 10 % faster than needed is accepted if it is measured often enough.
func TestAMinimumIsRarelyReachedByChance(t *testing.T) {
	const trials, minimum = 500, 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		truth       []float64 // throughput of each size, as a part of the minimum
		iterations  int
		least, most float64 // share of trials in which it is accepted
	}{
		{[]float64{0.95}, 6, 0, 0.05},
		{[]float64{0.95, 0.95, 0.95, 0.95, 0.95}, 6, 0, 0.05},
		{[]float64{0.95, 0.95, 0.95, 2, 2}, 6, 0, 0.05},
		{[]float64{0.95}, 20, 0, 0.05},
		{[]float64{0.95, 0.95, 0.95, 0.95, 0.95}, 20, 0, 0.05},
		{[]float64{1}, 6, 0, 0.05},
		{[]float64{1, 1, 1, 1, 1}, 6, 0, 0.05},
		{[]float64{1.1}, 6, 0, 1},
		{[]float64{1.1, 1.1, 1.1, 1.1, 1.1}, 6, 0, 1},
		{[]float64{1.1}, 20, 0.75, 1},
		{[]float64{1.1, 1.1, 1.1, 1.1, 1.1}, 20, 0.75, 1},
	} {
		accepted := 0
		for range trials {
			r := figurestest.Sweep()
			r.Cases = nil
			for i, truth := range c.truth {
				r.Cases = append(r.Cases, scatteredCase(4096<<i, c.iterations, func() float64 {
					return truth * minimum * (1 + 0.1*random.NormFloat64())
				}))
			}
			floor := figures.MinThroughput{Operation: result.OperationRead, Rate: minimum}
			if floor.JudgeAPIs([]figures.Run{r})[0].Met {
				accepted++
			}
		}
		share := float64(accepted) / trials
		t.Logf("%v of the minimum, %d samples: accepted in %.1f %%", c.truth, c.iterations, 100*share)
		if share < c.least || share > c.most {
			t.Errorf("%v of the minimum, %d samples: accepted in %.1f %%, want %g to %g %%", c.truth, c.iterations,
				100*share, 100*c.least, 100*c.most)
		}
	}
}

// scatteredCase returns a case of reads, whose throughputs are the results of the function rate.
func scatteredCase(size uint64, iterations int, rate func() float64) result.Case {
	c := result.Case{
		Processes: 2, TransferSize: size, BufferBytes: size, API: result.POSIX, State: result.Complete, Bytes: 1 << 20,
	}
	for k := range iterations {
		c.Samples = append(c.Samples, result.Sample{
			Operation: result.OperationRead, Iteration: k + 1, Bytes: c.Bytes,
			Access: result.Interval{WindowSeconds: float64(c.Bytes) / rate()},
		})
	}
	return c
}

func TestOnlyDurableWritesShowTheFileSystem(t *testing.T) {
	r := figurestest.Sweep()
	r.Parameters.Conditions.Sync = option.SyncNone
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
			figurestest.SetTime(&r.Cases[i].Samples[k], workload.Sync, result.Interval{})
		}
	}
	for _, direct := range []bool{false, true} {
		r.Parameters.Conditions.Direct = direct
		for _, p := range r.Points() {
			want := ""
			if p.Operation == result.OperationWrite && (!direct || p.Case.API != result.POSIX) {
				want = "not synced"
			}
			if got := p.Caution(); got != want {
				t.Errorf("direct %v: %s %s: %q, want %q", direct, p.Case.API, p.Operation, got, want)
			}
		}
	}
}
