package figures_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// of returns the point of an API and an operation.
func of(t *testing.T, r figures.Run, api string, operation result.Operation) figures.Point {
	t.Helper()
	points := r.Points()
	i := slices.IndexFunc(points, func(p figures.Point) bool { return p.Case.API == api && p.Operation == operation })
	if i < 0 {
		t.Fatalf("no point of %s, %s", api, operation)
	}
	return points[i]
}

func about(x, y float64) bool { return math.Abs(x-y) < 1e-6*math.Max(1, math.Abs(y)) }

func TestFiguresOfAWorkload(t *testing.T) {
	r := figurestest.Workload()
	p := of(t, r, result.PHDF5, result.OperationWrite)
	visible, _ := figures.Rows[1].PointMedian(p)
	middle := visible / 1.6 // of the factors of the samples
	if planned, done := p.ComputeTimes(); planned != 2 || done != 2.001 {
		t.Errorf("planned to compute %v, computed %v", planned, done)
	}
	for name, want := range map[string]float64{
		"utilisation": 2.001 / (2.001 + 1.6*middle), "throughput": (1 << 30) / (1.6 * middle),
		"transfer_throughput": (1 << 30) / (0.85 * middle), "metadata": 0.748 / 1.6,
	} {
		r := figures.Rows[slices.IndexFunc(figures.Rows,
			func(r figures.Row) bool { return r.Name == name })]
		got, ok := r.PointValue(p)
		if !ok || math.Abs(got.Median-want) > 0.001*want || p.StatisticText(name) != r.PointText(p, "") {
			t.Errorf("%s: %v (%s), want %v", name, got, p.StatisticText(name), want)
		}
	}
	var classes []string
	for _, c := range p.ClassTimes() {
		classes = append(classes, string(c.Class))
	}
	const want = "file open, create, attribute, select, transfer, object close, file close, compute"
	if got := strings.Join(classes, ", "); got != want {
		t.Errorf("classes %s, want %s", got, want)
	}
	sum := 0.0
	for _, c := range p.ClassTimes() {
		if c.Class != "compute" {
			sum += c.Seconds
		}
	}
	if !about(sum, visible) {
		t.Errorf("classes take %v of %v", sum, visible)
	}
	if got := p.FileSizeText(); got != "1.02 GiB, 1.02 times the data" {
		t.Errorf("%s", got)
	}
	smaller := p
	smaller.Case.Filtered = &result.Filtered{Bytes: p.BytesPerSample(), Files: 1}
	smaller.Case.Effective = &result.Effective{Files: []result.FileSize{{Bytes: 256 << 20}}}
	if got := smaller.FileSizeText(); got != "256 MiB, 1/4 of the data" {
		t.Errorf("%s", got)
	}
	if got := figures.FilterText(smaller.Case); !strings.Contains(got, "wrote 1 GiB through filters that make data "+
		"smaller; the files that rank 0 made have 256 MiB, and the filtered data 256 MiB: a ratio of 4.") {
		t.Errorf("%s", got)
	}
	if rank, samples := p.SlowestRank(); rank != 1 || samples != 8 {
		t.Errorf("slowest rank %d in %d samples", rank, samples)
	}
	if got, want := p.SlowestRankText(), p.Samples[0].Access.Max/p.Samples[0].Access.Mean-1; got !=
		fmt.Sprintf("1, +%.3g %%", 100*want) {
		t.Errorf("the slowest rank took %v more than the mean: %s", want, got)
	}
	if p.TransferText() != "vpic" {
		t.Errorf("it is of %s", p.TransferText())
	}
}

func TestTheCostOfHDF5IsDividedIntoTransfersAndStructure(t *testing.T) {
	r := figurestest.Workload()
	costs := r.HDF5ExtraTimes()
	if len(costs) != 4 {
		t.Fatalf("%d costs, want those of two directions against two layers", len(costs))
	}
	for _, c := range costs {
		if !about(c.Visible.Seconds, c.Transfers.Seconds+c.Structure.Seconds) || !c.Visible.ExceedsVariation() {
			t.Errorf("%+v, %+v, %+v", c.Visible, c.Transfers, c.Structure)
		}
	}
	want := []string{
		"write, 4 processes: HDF5 took 700 ms longer than MPI-IO (1.6 s against 900 ms): transfers " +
			"within 1 % of the time, structure 699 ms longer (100 %).",
		"write, 4 processes: HDF5 took 800 ms longer than POSIX (1.6 s against 800 ms): transfers 72 ms longer " +
			"(9 %), structure 728 ms longer (91 %).",
	}
	if got := r.ExtraTimeSentences(); len(got) != 4 || !slices.Equal(got[:2], want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

func TestNoCostIsToldWhereThereIsNone(t *testing.T) {
	one := func(change func(*figures.Run)) string {
		r := figurestest.Workload()
		for i := range r.Cases { // writes only
			r.Cases[i].Samples = slices.DeleteFunc(r.Cases[i].Samples, func(s result.Sample) bool {
				return s.Operation == result.OperationRead
			})
		}
		change(&r)
		return strings.Join(r.ExtraTimeSentences(), "\n")
	}
	fail := func(c *result.Case) { c.State, c.Samples = result.Failed, nil }
	for name, test := range map[string]struct {
		change func(*figures.Run)
		want   string // what is said about MPI-IO
	}{
		"a layer failed": {
			func(r *figures.Run) { fail(&r.Cases[1]) },
			"write, 4 processes: no cost against MPI-IO, because it has no figure (failed).",
		},
		"HDF5 failed": {
			func(r *figures.Run) { fail(&r.Cases[2]) },
			"HDF5, 4 processes, workload vpic: no cost of HDF5, because it has no figure (failed).",
		},
		"not measured": {
			func(r *figures.Run) { r.Parameters.APIs, r.Cases = r.Parameters.APIs[2:], r.Cases[2:] },
			"write, 4 processes: the time of HDF5 cannot be divided into transfers and structure, because no layer " +
				"below it was measured.",
		},
		"interrupted before it": {
			func(r *figures.Run) { r.Cases = slices.Delete(r.Cases, 1, 2) },
			"write, 4 processes: no cost against MPI-IO, because it has no figure.",
		},
		"other bytes": {
			func(r *figures.Run) {
				for k := range r.Cases[1].Samples {
					r.Cases[1].Samples[k].Bytes /= 2
				}
			},
			"write, 4 processes: no cost against MPI-IO, because it moved 512 MiB, and HDF5 1 GiB.",
		},
		"one sample": {
			func(r *figures.Run) {
				for i := range r.Cases {
					r.Cases[i].Samples = r.Cases[i].Samples[:1]
				}
			},
			"(100 %). One sample does not show how much of that is chance.",
		},
		"two samples": {
			func(r *figures.Run) {
				for i := range r.Cases {
					r.Cases[i].Samples = r.Cases[i].Samples[:2]
				}
			},
			"(100 %). 2 samples do not show how much of that is chance.",
		},
		"no difference": {
			func(r *figures.Run) { r.Cases[2].Samples = r.Cases[1].Samples },
			"write, 4 processes: no difference between HDF5 and MPI-IO shown (900 ms against 900 ms).",
		},
		"a sweep": {func(r *figures.Run) { *r = figurestest.Sweep() }, ""},
	} {
		if got := one(test.change); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %s\nwant %s", name, got, test.want)
		}
	}
}

func TestAWorkloadWithoutDataHasTimesAndNoRate(t *testing.T) {
	r := figurestest.Workload()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Bytes = 0
		}
	}
	for _, p := range r.Points() {
		if p.Missing != "no rate: the workload moves no data" || len(p.ClassTimes()) == 0 {
			t.Errorf("%q, %v", p.Missing, p.ClassTimes())
		}
	}
	if costs := r.HDF5ExtraTimes(); len(costs) != 4 {
		t.Errorf("%d costs", len(costs))
	}
}

func TestAWorkloadIsToldInItsOwnWords(t *testing.T) {
	r := figurestest.Workload()
	told := strings.Join(append([]string{r.Access(), r.ThroughputMeaning()}, r.Conditions()...), "; ")
	const access = "workload vpic, dumps=5 particles=1048576, layout=contiguous; throughput is bytes divided by "
	if !strings.HasPrefix(told, access) || strings.Contains(told, "pattern") ||
		strings.Contains(told, " data") || !strings.Contains(told, "not synced") {
		t.Errorf("%s", told)
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = []result.Mark{result.MarkStaggered}
			figurestest.SetTime(&r.Cases[i].Samples[k], workload.Sync, result.Interval{Max: 0.1})
		}
	}
	for sync, want := range map[option.SyncMode]string{
		option.SyncNone: "synced by the workload", option.SyncClose: "synced before each file is closed",
		option.SyncPhase: "synced after each dump",
	} {
		if r.Parameters.Conditions.Sync = sync; r.SyncText() != want {
			t.Errorf("%s: %s, want %s", sync, r.SyncText(), want)
		}
	}
	cautions := fmt.Sprint(r.Cautions(r.Points()))
	if strings.Contains(cautions, "not synced") || strings.Contains(cautions, "-e") ||
		!strings.Contains(cautions, "larger sizes of the workload") {
		t.Error(cautions)
	}
}

func TestSyncIsToldAlikeBeforeAndAfterARun(t *testing.T) {
	for _, flushes := range []bool{false, true} {
		before, after := figurestest.Workload(), figurestest.Workload()
		before.Cases = nil
		want := "not synced"
		if flushes {
			want = "synced by the workload"
			before.Parameters.Workload.Flushes = true
			for i := range after.Cases {
				for k := range after.Cases[i].Samples {
					figurestest.SetTime(&after.Cases[i].Samples[k], workload.Sync, result.Interval{Max: 0.1})
				}
			}
		}
		if was, is := before.SyncText(), after.SyncText(); was != want || is != want {
			t.Errorf("before the run %q, after it %q, want %q", was, is, want)
		}
	}
}

func TestAWorkloadIsNotAdvisedToUseWhatItDoesNotHave(t *testing.T) {
	r := figurestest.Workload()
	r.Parameters.Iterations = 2
	for i := range r.Cases {
		r.Cases[i].Samples = r.Cases[i].Samples[:4]
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = []result.Mark{result.MarkShort, result.MarkWarm, result.MarkStaggered}[k%2:]
		}
	}
	const want = "--preset standard, larger sizes of the workload (--set)"
	if got := strings.Join(r.RemediesFor(r.Cautions(r.Points())), ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFiltersOnOtherDataThanAskedForAreACaution(t *testing.T) {
	const other = 1 << 20
	for name, c := range map[string]struct {
		filtered *result.Filtered
		file     uint64
		word     string // keyword of the caution; "": there is none
	}{
		"no filters": {nil, 64 << 20, ""},
		"as asked": {
			&result.Filtered{Bytes: 64 << 20, RequestedBytes: 16 << 20, OtherBytes: other, Files: 1}, 18 << 20, "",
		},
		"no ratio": {
			&result.Filtered{
				Bytes: 64 << 20, RequestedBytes: 64 << 20, NoRatioBytes: 1 << 20, OtherBytes: other,
				Files: 1,
			},
			56 << 20, "filters on data that hardly compress",
		},
		"too large": {
			&result.Filtered{Bytes: 64 << 20, RequestedBytes: 16 << 20, OtherBytes: other, Files: 1}, 23 << 20,
			"other compression than asked for",
		},
		"too small": {
			&result.Filtered{Bytes: 64 << 20, RequestedBytes: 16 << 20, OtherBytes: other, Files: 1}, 12 << 20,
			"other compression than asked for",
		},
		"files of other ranks": {
			&result.Filtered{Bytes: 64 << 20, RequestedBytes: 16 << 20, OtherBytes: other, Files: 4}, 4 << 20, "",
		},
		"data without a requested size": {&result.Filtered{Bytes: 64 << 20, OtherBytes: other, Files: 1}, 9 << 20, ""},
		"little data": {
			&result.Filtered{Bytes: 64 << 10, RequestedBytes: 16 << 10, Files: 1}, 64 << 10, "",
		},
	} {
		r := figurestest.Workload()
		for i := range r.Cases {
			if r.Cases[i].API == result.PHDF5 {
				r.Cases[i].Filtered, r.Cases[i].Effective.Files[0].Bytes = c.filtered, c.file
			}
		}
		var words []string
		for _, caution := range r.Cautions(r.Points()) {
			if strings.Contains(caution.Help, "ratio") {
				words = append(words, caution.Keyword)
			}
		}
		if got := strings.Join(words, ", "); got != c.word {
			t.Errorf("%s: cautions %q, want %q", name, got, c.word)
		}
	}
}

func TestDataReadBackHaveACaution(t *testing.T) {
	for cold, want := range map[bool]string{false: "from memory.", true: "from memory: --cold and --shift apply only"} {
		run := figures.Run{Document: result.Document{
			Parameters: result.Parameters{Conditions: option.Conditions{Cold: cold}},
		}}
		for _, bytes := range []uint64{0, 1} {
			points := []figures.Point{{Run: &run, Samples: []result.Sample{{ReadBackBytes: bytes}}}}
			found := slices.ContainsFunc(run.Cautions(points), func(c plain.Caution) bool {
				return strings.Contains(c.Text, "while others wrote may come "+want)
			})
			if found != (bytes > 0) {
				t.Errorf("cold %v, %d bytes: %+v", cold, bytes, run.Cautions(points))
			}
		}
	}
}
