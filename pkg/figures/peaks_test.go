package figures_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// unmarked returns a run of POSIX and MPI-IO with transfers of 4 and 8 KiB, without marks. POSIX is faster with 8 KiB,
// MPI-IO with 4 KiB.
func unmarked() figures.Run {
	r := figurestest.Sweep()
	r.Cases = []result.Case{
		figurestest.Case(2, 4096, "posix", 1000, 8), figurestest.Case(2, 4096, "mpiio", 500, 8),
		figurestest.Case(2, 8192, "posix", 4000, 8), figurestest.Case(2, 8192, "mpiio", 400, 8),
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	return r
}

func TestHintsAsAskedForAreNoCaution(t *testing.T) {
	r := unmarked()
	r.Parameters.Hints = []result.KeyValue{{Key: "cb_nodes", Value: "2"}}
	r.Cases[0].Effective = &result.Effective{Hints: r.Parameters.Hints}
	for _, c := range r.Cautions(r.Points()) {
		if strings.Contains(c.Text, "hints") {
			t.Errorf("caution %q", c.Text)
		}
	}
}

func TestAPeakHasTheMedianCostOfItsLayerInAllCases(t *testing.T) {
	r := unmarked()
	peaks := r.Peaks()
	if len(peaks) != 4 {
		t.Fatalf("%d peaks, want those of 2 APIs in 2 directions", len(peaks))
	}
	for i, p := range peaks {
		api, size := []string{"posix", "mpiio"}[i/2], []uint64{8192, 4096}[i/2]
		if p.Case.API != api || p.Case.TransferSize != size || p.Operation != result.ValuesOf[result.Operation]()[i%2] {
			t.Errorf("peak %d is %s of %s with %d bytes", i, p.Operation, p.Case.API, p.Case.TransferSize)
		}
		if (p.LowerLayerRatio == nil) != (api == "posix") || p.LowerLayerRatio != nil &&
			math.Abs(p.LowerLayerRatio.Value.Median-0.3) > 1e-9 { // of 0.5 and 0.1
			t.Errorf("peak %d costs %+v", i, ratioValue(p))
		}
		if p.NumPoints != 2 {
			t.Errorf("peak %d is the highest of %d points", i, p.NumPoints)
		}
	}
	// not all data that the lower layer reads come from memory
	r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkWarm}
	if p := r.Peaks(); ratioValue(p[3]).Median > 0.2 || ratioValue(p[2]).Median < 0.2 {
		t.Errorf("reads cost %+v, writes %+v", ratioValue(p[3]), ratioValue(p[2]))
	}
	r.Cases[2].Samples[1].Marks = []result.Mark{result.MarkWarm}
	if p := r.Peaks(); p[3].LowerLayerRatio != nil || p[2].LowerLayerRatio == nil {
		t.Errorf("reads cost %+v, writes %+v", ratioValue(p[3]), ratioValue(p[2]))
	}
}

// ratioValue returns the ratio of a peak to the lower layer, or the zero value.
func ratioValue(p figures.Peak) (v figures.MedianEstimate) {
	if p.LowerLayerRatio != nil {
		v = p.LowerLayerRatio.Value
	}
	return v
}

// The upper layer has 0.8 of the throughput of the lower one at each of five sizes, and samples scatter by 10 %. The
// fastest of the five would show a ratio that is too high.
func TestTheCostOfALayerDoesNotDependOnWhichCaseIsFastest(t *testing.T) {
	const trials, want = 200, 0.8
	random := rand.New(rand.NewPCG(3, 4))
	sum, inside := 0.0, 0
	for range trials {
		r := figurestest.Sweep()
		r.Cases = nil
		for i := range 5 {
			for api, truth := range map[string]float64{result.POSIX: 1e6, result.MPIIO: want * 1e6} {
				c := scatteredCase(4096<<i, 8, func() float64 { return truth * (1 + 0.1*random.NormFloat64()) })
				c.API = api
				r.Cases = append(r.Cases, c)
			}
		}
		for _, p := range r.Peaks() {
			if ratio := p.LowerLayerRatio; ratio != nil {
				sum += ratio.Value.Median
				if ratio.Value.Low <= want && want <= ratio.Value.High {
					inside++
				}
			}
		}
	}
	mean := sum / trials
	t.Logf("mean ratio %.3f, in %d of %d intervals the true one", mean, inside, trials)
	if math.Abs(mean-want) > 0.01 || inside < 0.95*trials {
		t.Errorf("mean ratio %.3f, true in %d of %d intervals, want %g, and 95 %%", mean, inside, trials, want)
	}
}

func TestAPeakWithoutCautionCountsMore(t *testing.T) {
	r := unmarked()
	r.Cases[2].Samples[0].Marks = []result.Mark{result.MarkImplausible} // a write of POSIX with 8 KiB
	if p := r.Peaks()[0]; p.Case.TransferSize != 4096 {
		t.Errorf("the peak has a caution: %s", p.Caution())
	}
	r.Cases[0].Samples[0].Marks = []result.Mark{result.MarkImplausible}
	if p := r.Peaks()[0]; p.Case.TransferSize != 8192 {
		t.Errorf("of peaks with a caution, the lower one is taken")
	}
}

func TestCautionsNameWhatHelps(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *figures.Run)
		words  []string
		helps  []string
	}{
		"other hints": {func(r *figures.Run) {
			r.Parameters.Hints = []result.KeyValue{
				{Key: "cb_nodes", Value: "99"}, {Key: "romio_cb_write", Value: "enable"},
			}
			for i := range r.Cases {
				r.Cases[i].Effective = &result.Effective{Hints: []result.KeyValue{
					{Key: "cb_nodes", Value: "2"}, {Key: "romio_cb_write", Value: "enable"},
				}}
			}
		}, []string{"hints not as asked for"}, nil},
		"nothing": {func(*figures.Run) {}, nil, nil},
		"some warm": {func(r *figures.Run) {
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkWarm}
		}, []string{"some warm"}, []string{"--cold"}},
		"warm in spite of --cold": {func(r *figures.Run) {
			r.Parameters.Conditions.Cold = true
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkWarm}
		}, []string{"some warm"}, []string{"--memory-factor 2"}},
		"warm in spite of --cold, with -e": {func(r *figures.Run) {
			r.Parameters.Conditions.Cold, r.GivenParameters = true,
				[]result.GivenParameter{{Name: "num-bytes", Value: "4M"}}
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkWarm}
		}, []string{"some warm"}, []string{"a larger -e"}},
		"warm in memory": {func(r *figures.Run) {
			r.Target.Type, r.Parameters.Conditions.Cold = "tmpfs", true
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkWarm}
		}, []string{"target in memory", "some warm"}, []string{"a directory on storage (HDF5_PARAPREFIX)"}},
		"warm in spite of --memory-factor": {func(r *figures.Run) {
			r.Parameters.Conditions.Cold, r.Parameters.Conditions.MemoryFactor = true, new(2.0)
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkWarm}
		}, []string{"some warm"}, []string{"a larger --memory-factor"}},
		"short in spite of --min-seconds": {func(r *figures.Run) {
			r.Parameters.Conditions.MinSeconds, r.Cases[0].EndedBy = new(1.0), result.EndedByCap
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkShort}
		}, []string{"some short", "stopped at the limit of iterations"}, []string{"a larger --max-iterations"}},
		"short with a small --min-seconds": {func(r *figures.Run) {
			r.Parameters.Conditions.MinSeconds = new(0.1)
			r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkShort}
		}, []string{"some short"}, []string{"--min-seconds 1s"}},
		"few samples of the many that were requested": {func(r *figures.Run) {
			r.Cases[0].Samples, r.Cases[0].State = r.Cases[0].Samples[:2], result.Interrupted
		}, []string{"partial", "few samples"}, nil},
		"memory": {func(r *figures.Run) {
			r.Parameters.DatasetExtent, r.Target.Type = []uint64{1}, "tmpfs"
		}, []string{"target in memory"}, []string{"a directory on storage (HDF5_PREFIX)"}},
		"few samples for ratios": {func(r *figures.Run) {
			r.Parameters.Iterations, r.Parameters.Conditions.Order = 6, option.OrderGiven
			for i := range r.Cases {
				r.Cases[i].Samples = r.Cases[i].Samples[:2*6]
			}
		}, []string{"few samples for ratios"}, []string{"-i 7"}},
		"layers one after the other": {func(r *figures.Run) {
			r.Parameters.Conditions.Order = option.OrderGiven
		}, []string{"unpaired ratios"}, []string{"--order random"}},
		"samples that depend on one another": {func(r *figures.Run) {
			for k := range r.Cases[0].Samples {
				r.Cases[0].Samples[k].Access.WindowSeconds *= float64(1 + k) // the time of reads
			}
		}, []string{"dependent samples"}, []string{"-i 25"}},
		"synced, without times of classes": {func(r *figures.Run) {
			for i := range r.Cases {
				for k := range r.Cases[i].Samples {
					r.Cases[i].Samples[k].Classes = nil
				}
			}
		}, nil, nil},
		"what a preset sets": {func(r *figures.Run) {
			r.Parameters.Iterations = 2
			r.Parameters.Conditions.Sync = option.SyncNone
			for i := range r.Cases {
				r.Cases[i].Samples = r.Cases[i].Samples[:2]
				figurestest.SetTime(&r.Cases[i].Samples[0], workload.Sync, result.Interval{})
				r.Cases[i].Samples[1].Marks = []result.Mark{result.MarkShort, result.MarkShared}
			}
		}, []string{"some short", "some shared", "not synced", "few samples"}, []string{
			"--preset standard", "whole nodes",
		}},
	} {
		r := unmarked()
		r.Parameters.Conditions.Order = option.OrderRandom
		for i := range r.Cases {
			several := r.Cases[i].Samples
			for k := len(several); k < 2*stats.MinIndependenceSamples; k++ {
				s := several[k%len(several)]
				s.Iteration = k/2 + 1
				r.Cases[i].Samples = append(r.Cases[i].Samples, s)
			}
		}
		c.change(&r)
		cautions := r.Cautions(r.Points())
		var words []string
		for _, one := range cautions {
			words = append(words, one.Keyword)
		}
		if helps := r.RemediesFor(cautions); !slices.Equal(words, c.words) || !slices.Equal(helps, c.helps) {
			t.Errorf("%s: %q, help %q, want %q and %q", name, words, helps, c.words, c.helps)
		}
	}
}

func TestFewSamplesCannotShowIndependence(t *testing.T) {
	r := unmarked()
	if note := r.IndependenceNote(r.Points()); !strings.HasPrefix(note, "An interval of fewer than 25 samples") {
		t.Errorf("8 samples: %q", note)
	}
	for i := range r.Cases {
		several := r.Cases[i].Samples
		for k := len(several); k < 2*stats.MinIndependenceSamples; k++ {
			r.Cases[i].Samples = append(r.Cases[i].Samples, several[k%len(several)])
		}
	}
	if note := r.IndependenceNote(r.Points()); note != "" {
		t.Errorf("25 samples: %q", note)
	}
}

func TestTheEssenceOfARunThatOnlyReadsIsItsFile(t *testing.T) {
	r := unmarked()
	if words := r.KeyConditions(nil); words[0] != r.SyncText() {
		t.Errorf("%q", words)
	}
	r.Parameters.Conditions.ReadOnly = "/scratch/kept"
	if words := r.KeyConditions(nil); words[0] != "reads only /scratch/kept" || slices.Contains(words, r.SyncText()) {
		t.Errorf("%q", words)
	}
}

func TestTheEssenceShowsWhereReadsCameFrom(t *testing.T) {
	for caches, want := range map[string]string{
		figures.CacheWarm:                           "warm reads",
		figures.CacheCold:                           "cold reads",
		figures.CacheUnknown:                        "reads may be warm",
		figures.CacheWarm + " " + figures.CacheCold: "warm and cold reads",
		figures.CacheWarm + " unknown":              "reads may be warm",
		"unknown " + figures.CacheCold:              "reads may be warm",
		"unknown mixed " + figures.CacheCold:        "warm and cold reads",
	} {
		var points []figures.Point
		for cache := range strings.FieldsSeq(caches) {
			points = append(points, figures.Point{Cache: cache})
		}
		r := unmarked()
		if words := r.KeyConditions(points); !slices.Contains(words, want) {
			t.Errorf("%s: %q, want %q", caches, words, want)
		}
	}
}

func TestSmallRatiosHaveThreeDigits(t *testing.T) {
	for r, want := range map[float64]string{
		0: "0.00", 0.00123: "0.00123", 0.05: "0.0500", 0.5: "0.50", 1: "1.00", 12.34: "12.34", 1234.5: "1234",
		2e-9: "2.00e-09",
	} {
		if got := figures.FormatRatio(r); got != want {
			t.Errorf("%g: %s, want %s", r, got, want)
		}
	}
}

func TestSpansOfAColumnAreOfOneKind(t *testing.T) {
	with := figures.MedianEstimate{Low: 2, High: 3, Min: 1, Max: 4, N: 8, Interval: true}
	without := figures.MedianEstimate{Low: 1, High: 4, Min: 1, Max: 4, N: 3}
	spans, intervals := figures.RangeTexts([]figures.MedianEstimate{with}, figures.FormatRatio)
	if !intervals || spans[0] != "2.00 to 3.00" {
		t.Errorf("%q, intervals %v", spans, intervals)
	}
	spans, intervals = figures.RangeTexts([]figures.MedianEstimate{with, without, {N: 1}}, figures.FormatRatio)
	if want := "1.00 to 4.00,1.00 to 4.00,one sample"; intervals || strings.Join(spans, ",") != want {
		t.Errorf("%q, intervals %v, want %s", spans, intervals, want)
	}
}

func TestTheFirstCauseOfARunThatIsNotComplete(t *testing.T) {
	complete := unmarked()
	cut := unmarked()
	cut.State, cut.Errors = result.Interrupted, []result.Error{{Message: "stopped\nby a signal"}}
	begun := unmarked()
	begun.State, begun.Errors, begun.PlannedCases = result.Interrupted, cut.Errors, 6
	random := begun
	random.Cases = slices.Clone(begun.Cases)
	for i := range random.Cases {
		random.Cases[i].State = result.Interrupted
		random.Cases[i].Reason = "the run ended during an iteration of another case"
	}
	random.Cases[1].Reason, random.Cases[1].Error = "", &begun.Errors[0]
	skipped := unmarked()
	skipped.Cases[1].State, skipped.Cases[1].Reason = result.Skipped, "no time"
	late := skipped
	late.State = result.Failed
	running, dead := unmarked(), unmarked()
	running.State, dead.State, dead.Cases[0].State = result.Running, result.Running, result.Running
	const goesOn = "the run goes on, or it ended without completing its document"
	if all := texts(running); !slices.Contains(all, "T"+goesOn[1:]+".") {
		t.Errorf("running: cautions %q", all)
	}
	if text := strings.Join(texts(begun), " "); !strings.Contains(text, "The run was interrupted; 2 of its 6 "+
		"cases did not begin. Use h5perf rerun to repeat it.") {
		t.Errorf("cautions %q", text)
	}
	for name, c := range map[string]struct {
		run         figures.Run
		what, cause string
	}{
		"complete": {complete, "", ""},
		"cut":      {cut, "Interrupted: the run", "stopped; by a signal"},
		"between":  {begun, "Interrupted: 2 of 6 cases", "stopped; by a signal"},
		"in random order": {
			random, "Interrupted: 6 of 6 cases, at MPI-IO, 2 processes, transfers of 4 KiB", "stopped; by a signal",
		},
		"skipped":   {skipped, "Skipped: 1 of 4 cases, first MPI-IO, 2 processes, transfers of 4 KiB", "no time"},
		"late":      {late, "Skipped: 1 of 4 cases, first MPI-IO, 2 processes, transfers of 4 KiB", "no time"},
		"goes on":   {running, "Running", goesOn},
		"in a case": {dead, "Running: 1 of 4 cases, first POSIX, 2 processes, transfers of 4 KiB", goesOn},
	} {
		if what, cause := c.run.IncompleteReason(); what != c.what || cause != c.cause {
			t.Errorf("%s: %q, %q, want %q, %q", name, what, cause, c.what, c.cause)
		}
	}
}

func TestTransfersThatWereNotCollectiveAreACaution(t *testing.T) {
	r := figurestest.Sweep()
	const compact = "H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET"
	for i, transfers := range []result.Collective{
		{Collective: 6, Mixed: 1, GlobalCauses: []string{compact, "bit 9"}},
		{Collective: 2, Independent: 1, LocalCauses: []string{compact, "H5D_MPIO_DATATYPE_CONVERSION"}},
	} {
		r.Cases[i].Effective = &result.Effective{
			CollectiveReads:  &transfers,
			CollectiveWrites: &result.Collective{Independent: 4, GlobalCauses: []string{compact}},
		}
	}
	const want = "10 transfers were requested as collective, but 1 were mixed and 1 independent: type conversion, " +
		"neither contiguous nor chunked, bit 9."
	if all := texts(r); !slices.Contains(all, want) {
		t.Errorf("no %q in %q", want, all)
	}
	r.Cases[2].Effective = &result.Effective{
		CollectiveWrites: &result.Collective{Independent: 3}, // HDF5 tells no cause
	}
	const untold = "3 transfers were requested as collective, but 0 were mixed and 3 independent."
	if all := figures.CollectiveCautions(r.Cases[2]); len(all) != 1 || all[0].Text != untold {
		t.Errorf("%q, want %q", all, untold)
	}
	r.Cases[2].Effective = nil
	if all := figures.CollectiveCautions(r.Cases[2]); all != nil {
		t.Errorf("of a case without transfers: %q", all)
	}
}
