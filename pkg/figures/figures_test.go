package figures_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/units"
)

func TestPointsHaveMedianAndInterval(t *testing.T) {
	r := figurestest.Sweep()
	points := r.Points()
	if len(points) != 2*3*3*2 {
		t.Fatalf("%d points, want those of 2 numbers of processes, 3 sizes, 3 APIs, 2 directions", len(points))
	}
	p := points[0] // 40 × 256 KiB/s times 1, 1.04, 0.97, 0.7, 1.01, 0.99, 1.08, 1.02
	unit := float64(4 * 256 * 10 * 1024)
	near(t, "median", p.Rate.Median/unit, 1.005)
	near(t, "low", p.Rate.Low/unit, 0.97) // from the second to the eighth: 96 %
	near(t, "high", p.Rate.High/unit, 1.08)
	if !p.Rate.Interval || p.Rate.N != 8 {
		t.Errorf("%+v, want an interval of 8 samples", p.Rate)
	}
}

func TestAFrozenRunKeepsItsPointsAndRatios(t *testing.T) {
	r := figurestest.Sweep()
	rates := func() (all []float64) {
		for _, p := range r.Points() {
			all = append(all, p.Rate.Median)
		}
		for _, ratio := range r.LayerRatios() {
			all = append(all, ratio.Value.Median)
		}
		return all
	}
	before := rates()
	r.Freeze()
	if d := cmp.Diff(before, rates()); d != "" {
		t.Errorf("frozen: %s", d)
	}
	clear(r.Points()) // belongs to the caller
	clear(r.LayerRatios())
	if d := cmp.Diff(before, rates()); d != "" {
		t.Errorf("after the caller changed its slices: %s", d)
	}
	if p := &r.Points()[0]; p.Run != &r {
		t.Error("the points are of another run")
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s %g, want %g", what, got, want)
	}
}

func TestTooFewSamplesHaveARange(t *testing.T) {
	for n, want := range map[int]string{
		1: "one sample", 2: "range 1.00 to 1.04 MiB/s", 5: "range 717 KiB/s to 1.04 MiB/s",
		6: "717 KiB/s to 1.04 MiB/s",
	} {
		r := figurestest.Sweep()
		r.Cases = []result.Case{figurestest.Case(2, 4096, "posix", 1024, n)}
		p := r.Points()[0]
		if got := p.Rate.RangeText(units.FormatRate); got != want {
			t.Errorf("%d samples: %q, want %q", n, got, want)
		}
	}
}

func TestAnInterruptedCaseHasFiguresOfItsCompleteIterations(t *testing.T) {
	r := figurestest.Failed()
	for _, p := range r.Points()[1:3] {
		if p.Partial != "partial 3 of 8" || p.Marks() != p.Partial || p.Rate.N != 3 || p.Missing != "" {
			t.Errorf("%s: %q, marks %q, %d samples, missing %q", p.Operation, p.Partial, p.Marks(), p.Rate.N, p.Missing)
		}
	}
	r.Parameters.Conditions.MinSeconds = new(1.0)
	if got := r.Points()[1].Partial; got != "partial 3 of at least 8" {
		t.Errorf("%q", got)
	}
	r.State, r.Cases[1].State = result.Running, result.Running // as after a node failure
	if got := r.Points()[1].Partial; got != "partial 3 of at least 8" {
		t.Errorf("running: %q", got)
	}
	r.Cases[1].State = result.Failed // by itself
	if p := r.Points()[1]; p.Missing == "" || p.Partial != "" {
		t.Errorf("failed: %+v", p)
	}
}

func TestACaseThatTheDeadlineEndedIsMarked(t *testing.T) {
	r := figurestest.Sweep()
	c := &r.Cases[0]
	c.Samples, c.EndedBy = c.Samples[:6], result.EndedByDeadline
	if p := r.Points()[0]; p.Marks() != "deadline 3 of 8" || p.Partial != "" {
		t.Errorf("marks %q", p.Marks())
	}
	if got := r.Points()[2].Marks(); got != "" {
		t.Errorf("of another case: %q", got)
	}
	if want := "1 case was stopped at the deadline of the run, with fewer iterations than requested."; !slices.Contains(
		texts(r), want) {
		t.Errorf("%q", texts(r))
	}
}

func TestACaseWithoutACompleteIterationHasAReasonAndNoFigure(t *testing.T) {
	r := figurestest.Failed()
	points := slices.DeleteFunc(r.Points(), func(p figures.Point) bool { return p.Partial != "" })
	want := []string{
		"failed: pwrite /scratch/data_1.posix: no space left on device (write transfer, iteration 2, file 1, rank 3 " +
			"on n1, 2 ranks failed)",
		"skipped: the file system is not one of HDF5",
		"interrupted: stopped by SIGTERM (signal, rank 0 on n1)",
	}
	if len(points) != len(want) {
		t.Fatalf("%d points, want %d", len(points), len(want))
	}
	for i, p := range points {
		if p.Missing != want[i] {
			t.Errorf("reason %q, want %q", p.Missing, want[i])
		}
		if p.Rate != (figures.MedianEstimate{}) || p.Samples != nil {
			t.Errorf("case %d has figures: %+v", i, p)
		}
	}
	if layers := r.LayerRatios(); len(layers) > 0 {
		t.Errorf("ratios of cases without figures: %+v", layers)
	}
}

func TestATimeBelowTheResolutionOfTheClockIsNoFigure(t *testing.T) {
	r := figurestest.Serial()
	r.Cases[0].Samples[0].Access = result.Interval{}
	p := r.Points()[0]
	if !strings.Contains(p.Missing, "below the resolution of the clock") || p.Rate.N != 0 {
		t.Errorf("%+v", p)
	}
	if got, want := p.BytesPerSample(), r.Cases[0].Samples[0].Bytes; got != want {
		t.Errorf("%d bytes, want those of the sample: %d", got, want)
	}
	if got := (figures.Point{Run: &r}).BytesPerSample(); got != 0 {
		t.Errorf("%d bytes of no sample", got)
	}
}

var rounding = cmpopts.EquateApprox(1e-9, 0)

func TestTimesOfClassesAreWindows(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = []result.Case{figurestest.Case(1, 4096, "posix", 1024, 1)} // 1 MiB in 1 s, of which 0.2 s are sync
	points := r.Points()
	if d := cmp.Diff([]figures.MedianClassTime{
		{"file open", 0.0625},
		{"create", 0.05},
		{"transfer", 0.75},
		{"sync", 0.2},
		{"file close", 0.03125},
	}, points[0].ClassTimes(), rounding); d != "" {
		t.Errorf("write (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]figures.MedianClassTime{
		{"file open", 0.03125},
		{"open", 0.125},
		{"transfer", 0.375},
		{"file close", 0.015625},
	}, points[1].ClassTimes(), rounding); d != "" {
		t.Errorf("read (-want +got)\n%s", d)
	}
}

func TestFiguresRestOnWindows(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = []result.Case{figurestest.Case(2, 4096, "posix", 1024, 1)} // 2 MiB in 2 s, the slowest process in 1.92 s
	p := r.Points()[0]
	near(t, "throughput", p.Rate.Median, 1<<20)
	near(t, "time to open", p.ClassTimes()[0].Seconds, 0.125)
}

func TestEveryMarkIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range result.ValuesOf[result.Mark]() {
		seen[figures.MarkMeaning(m)] = true
	}
	if want := len(result.ValuesOf[result.Mark]()); len(seen) != want || seen[""] {
		t.Errorf("%d different meanings, want %d: %v", len(seen), want, seen)
	}
}

func TestLayersOfOneCaseAreRatiosOfMedians(t *testing.T) {
	r := figurestest.Sweep()
	ratios := r.LayerRatios()
	if len(ratios) != 2*3*2*2 {
		t.Fatalf("%d ratios, want 2 numbers of processes, 3 sizes, 2 layers, 2 directions", len(ratios))
	}
	first := ratios[0]
	if first.Name() != "MPI-IO : POSIX" || first.Upper.Operation != "write" || first.Paired {
		t.Errorf("%+v", first)
	}
	near(t, "ratio", first.Value.Median, 0.7)
	near(t, "low", first.Value.Low, 0.7*0.7/1.08) // as if the upper one were at its lowest and the lower at its highest
	near(t, "high", first.Value.High, 0.7*1.08/0.7)
	if !first.Value.Interval {
		t.Errorf("no interval of 8 samples: %+v", first.Value)
	}
}

func TestLayersNeedMoreSamplesForAnIntervalThanMedians(t *testing.T) {
	for n, want := range map[int]bool{6: false, 7: true} { // each interval must hold with 97.5 %: 1 - 2/2^6 is less
		r := figurestest.Sweep()
		r.Cases = []result.Case{figurestest.Case(2, 4096, "posix", 1000, n), figurestest.Case(2, 4096, "mpiio", 800, n)}
		if got := r.LayerRatios()[0].Value.Interval; got != want {
			t.Errorf("%d samples: interval %v, want %v", n, got, want)
		}
	}
}

func TestLayersOfSamplesInTurnsArePaired(t *testing.T) {
	r := figurestest.Sweep()
	r.Parameters.Conditions.Order = "random"
	first := r.LayerRatios()[0]
	if !first.Paired || !first.Value.Interval {
		t.Errorf("%+v, want pairs and an interval", first)
	}
	near(t, "low", first.Value.Low, 0.7) // both samples of a pair are slow or fast together
	near(t, "high", first.Value.High, 0.7)
}

func TestLayersMeasuredInTurnsThatShareNoIterationHaveNoRatio(t *testing.T) {
	r := figurestest.Sweep()
	r.Parameters.Conditions.Order = "random"
	r.Cases = []result.Case{figurestest.Case(2, 4096, "posix", 1000, 8), figurestest.Case(2, 4096, "mpiio", 800, 8)}
	for i := range r.Cases[1].Samples {
		r.Cases[1].Samples[i].Iteration += 8
	}
	if ratios := r.LayerRatios(); len(ratios) > 0 {
		t.Errorf("%+v", ratios[0].Value)
	}
}

func TestSerialHDF5LiesOnPOSIX(t *testing.T) {
	r := figurestest.Serial()
	ratios := r.LayerRatios()
	if len(ratios) != 2 || ratios[0].Name() != "serial HDF5 : POSIX" {
		t.Fatalf("%+v", ratios)
	}
	near(t, "ratio", ratios[0].Value.Median, 0.5)
}

func TestALayerIsRelatedToTheNextThatWasMeasured(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = []result.Case{
		figurestest.Case(2, 4096, "posix", 1000, 8), figurestest.Case(2, 4096, "phdf5", 500, 8),
		figurestest.Case(2, 8192, "posix", 1000, 8), figurestest.Case(2, 8192, "mpiio", 800, 8),
		figurestest.Case(2, 8192, "phdf5", 400, 8),
		figurestest.Case(2, 16384, "phdf5", 400, 8), // no layer below it
		figurestest.Case(2, 32768, "posix", 900, 8), figurestest.Case(2, 32768, "mpiio", 800, 8),
		figurestest.Case(2, 32768, "phdf5", 300, 8),
	}
	r.Cases[7].State, r.Cases[7].Reason = result.Failed, "no space left on device"
	var got []string
	for _, l := range r.LayerRatios() {
		if l.Upper.Operation == "write" {
			size := l.Upper.Case.TransferSize
			got = append(got, fmt.Sprintf("%d %s %.3f", size, l.Name(), l.Value.Median))
		}
	}
	want := []string{
		"4096 HDF5 : POSIX 0.500",
		"8192 MPI-IO : POSIX 0.800", "8192 HDF5 : MPI-IO 0.500",
		"32768 HDF5 : POSIX 0.333",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestMarksTellHowManySamplesHaveThem(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases[0].Samples[1].Marks = append(r.Cases[0].Samples[1].Marks, result.MarkStaggered)
	if got := r.Points()[1].Marks(); got != "staggered 1 of 8" { // all reads are warm
		t.Errorf("%q", got)
	}
	r.Cases[0].Samples[1].Marks = []result.Mark{result.MarkStaggered}
	if got := r.Points()[1].Marks(); got != "warm 7 of 8, staggered 1 of 8" {
		t.Errorf("%q", got)
	}
	for i := range r.Cases[1].Samples {
		r.Cases[1].Samples[i].Marks = nil
	}
	if got := r.Points()[3].Marks(); got != "not warm" {
		t.Errorf("%q", got)
	}
	if got := r.Points()[2].Marks(); got != "" { // a write cannot be warm
		t.Errorf("%q", got)
	}
}

func TestAMarkOfNearlyAllSamplesIsToldOnce(t *testing.T) {
	r := figurestest.Sweep()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			s := &r.Cases[i].Samples[k]
			s.Marks = nil
			if i > 0 || s.Iteration > 3 {
				s.Marks = []result.Mark{result.MarkShort}
			}
		}
	}
	const said = " The tables show this mark only where some samples do not have it."
	short := func() string {
		words := texts(r)
		i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, "marked short") })
		return words[i]
	}
	if got := short(); !strings.HasPrefix(got, "282 of 288 samples ") || !strings.HasSuffix(got, said) {
		t.Errorf("%q", got)
	}
	var named []string
	for _, p := range r.Points() {
		if marks := p.Marks(); marks != "" {
			named = append(named, marks)
		}
	}
	if d := cmp.Diff([]string{"short 5 of 8", "short 5 of 8"}, named); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for i := range r.Cases[:6] {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	if got := short(); strings.HasSuffix(got, said) {
		t.Errorf("192 of 288: %q", got)
	}
}

// texts returns the texts of the cautions of a run.
func texts(r figures.Run) (all []string) {
	for _, c := range r.Cautions(r.Points()) {
		all = append(all, c.Text)
	}
	return all
}

func TestCautionsAreSentences(t *testing.T) {
	sweep, serial := figurestest.Sweep(), figurestest.Serial()
	failed, capped := figurestest.Failed(), figurestest.Failed()
	capped.State = result.Complete
	capped.Parameters.Conditions.MinSeconds, capped.Parameters.Conditions.MaxIterations = new(1.0), new(100)
	for i := range capped.Cases { // one case failed
		capped.Cases[i].EndedBy, capped.Cases[i].Samples = "cap", nil
		if i > 0 {
			capped.Cases[i].State = result.Complete
		}
	}
	crowded := figurestest.Sweep()
	crowded.Cases, crowded.Job = nil, job(2, "0-1")
	for _, c := range []struct {
		run  figures.Run
		want []string
	}{
		{crowded, []string{"Node n1 runs 4 processes on 2 processors (0-1); the processes share processors, so the " +
			"results are like those of a run with fewer processes."}},
		{sweep, []string{
			"144 of 144 read samples are marked warm. The data were in the memory of the client, so the result does " +
				"not show the speed of the storage. The tables show this mark only where some samples do not have it.",
			"The layers were measured one after another. If the speed of the system changed between them, the " +
				"interval of a ratio of layers may be too narrow.",
		}},
		{serial, []string{
			"2 of 2 read samples are marked warm. The data were in the memory of the client, so the " +
				"result does not show the speed of the storage. The tables show this mark only where some samples " +
				"do not have it.",
			"2 of 4 samples are marked short. All samples of the point took less than 1 s together, so caches and " +
				"chance have a large effect.",
			"2 of 4 samples are marked implausible. The result is faster than the processors of the job can copy " +
				"memory, " +
				"so it cannot be the speed of a file system.",
			"Writes are not synced: written data may still be in memory when the clock stops.",
			"There are too few samples for an interval.",
		}},
		{capped, []string{
			"1 result has no throughput; the tables show the reason instead.",
			"3 cases were stopped at the limit of 100 iterations, before reaching the requested precision or time: " +
				"at least 1 s per case.",
		}},
		{failed, []string{
			"The run failed. Use h5perf rerun to repeat it.",
			"3 results have no throughput; the tables show the reason instead.",
			"2 results are partial: there are fewer iterations than requested. Only complete iterations count.",
			"3 of 3 read samples are marked warm. The data were in the memory of the client, so the " +
				"result does not show the speed of the storage. The tables show this mark only where some samples " +
				"do not have it.",
			"There are too few samples for an interval. More iterations were requested, but cases ended before they " +
				"had them.",
		}},
	} {
		if d := cmp.Diff(c.want, texts(c.run)); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.run.Name, d)
		}
		for _, text := range texts(c.run) {
			if !regexp.MustCompile(`^[A-Z0-9].*\.$`).MatchString(text) {
				t.Errorf("not a sentence: %q", text)
			}
		}
	}
}

func TestATargetInMemoryIsNotTakenForStorage(t *testing.T) {
	const caution = "The target is memory (%s): no result shows the speed of storage."
	for _, c := range []struct {
		fs         string
		conditions option.Conditions
		want       string // how the page cache is described
		warned     bool
	}{
		{
			"tmpfs",
			option.Conditions{Cold: true},
			"page cache not dropped before reads, because the target is memory (tmpfs)",
			true,
		},
		{
			"ramfs",
			option.Conditions{Cold: true},
			"page cache not dropped before reads, because the target is memory (ramfs)",
			true,
		},
		{"hugetlbfs", option.Conditions{Cold: true}, "page cache not dropped before reads, because the target is " +
			"memory (hugetlbfs)", true},
		{"tmpfs", option.Conditions{}, "page cache kept before reads", true},
		{"xfs", option.Conditions{Cold: true}, "page cache dropped before reads", false},
		{
			"tmpfs",
			option.Conditions{Cold: true, Direct: true, ReadOnly: "/dev/shm/kept"},
			"page cache not dropped before reads, because the target is memory (tmpfs)", true,
		},
	} {
		r := figurestest.Sweep()
		r.Target.Type, r.Parameters.Conditions = c.fs, c.conditions
		if got := r.Conditions()[1]; got != c.want {
			t.Errorf("%s, %+v: %q, want %q", c.fs, c.conditions, got, c.want)
		}
		if got := slices.Contains(texts(r), fmt.Sprintf(caution, c.fs)); got != c.warned {
			t.Errorf("%s, %+v: warned %v, %q", c.fs, c.conditions, got, texts(r))
		}
	}
}

func TestDataOfAnotherRunAreWhatTheyAreVerifiedToBe(t *testing.T) {
	r := figurestest.Sweep()
	r.Parameters.Conditions.ReadOnly = "/scratch/kept"
	for verify, want := range map[bool]string{
		false: "data of another run, not verified", true: "position data",
	} {
		r.Parameters.Verify = verify
		if got := r.Conditions(); !slices.Contains(got, want) || slices.Contains(got, "position data") != verify {
			t.Errorf("verify %v: %q, want %q", verify, got, want)
		}
	}
}

func TestCappedSaysWhatIsNotEnough(t *testing.T) {
	r := figurestest.Sweep()
	for _, c := range []struct {
		name       string
		endedBy    result.EndedBy
		conditions option.Conditions
		n          int // samples of 97 to 108 % of the throughput, one of them of 70 %
		want       string
	}{
		{
			"width", "cap",
			option.Conditions{RepeatUntil: new(0.05), MaxIterations: new(16)},
			16,
			"The case was stopped at the limit of 16 iterations: the interval is 6 % wide, not 5 %.",
		},
		{
			"few", "cap",
			option.Conditions{RepeatUntil: new(0.05), MaxIterations: new(5)},
			5,
			"The case was stopped at the limit of 5 iterations: there are too few samples to show that the interval " +
				"is at most 5 % wide.",
		},
		{"enough of one", "cap", option.Conditions{RepeatUntil: new(0.2), MaxIterations: new(16)}, 16, ""},
		{
			"time", "cap",
			option.Conditions{RepeatUntil: new(0.2), MinSeconds: new(3600.0), MaxIterations: new(16)},
			16,
			"The case was stopped at the limit of 16 iterations: 16.8 s were measured, not 3600 s.",
		},
		{"enough", "width", option.Conditions{RepeatUntil: new(0.05), MaxIterations: new(8)}, 8, ""},
		{
			"deadline", "deadline",
			option.Conditions{},
			5,
			"The case was stopped at the deadline after 5 of 8 iterations.",
		},
		{
			"deadline", "deadline",
			option.Conditions{MinSeconds: new(1.0)},
			5,
			"The case was stopped at the deadline after 5 of at least 8 iterations.",
		},
	} {
		r.Cases = []result.Case{figurestest.Case(1, 4096, "posix", 1024, c.n)}
		p := result.Parameters{Iterations: 8, Conditions: c.conditions}
		if got := figures.StoppedEarlyText(p, c.endedBy, r.Points()[0].Samples); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestConditionsInWords(t *testing.T) {
	r := figurestest.Sweep()
	r.Parameters.Verify = true
	r.Parameters.Conditions = option.Conditions{
		Sync: "each", Direct: true, Cold: true, Shift: new(-2), Spread: "nodes", Data: "compress", CompressRatio: 2.5,
		Order: "random", Warmup: new(2),
		RepeatUntil: new(0.02), MinSeconds: new(1.5), TimeLimit: new(300.0), Preset: "strict",
		ReadOnly: "/scratch/kept",
	}
	want := "POSIX with O_DIRECT, page cache dropped before reads, rank r reads the " +
		"data of rank r-2, steps with fewer processes use all nodes, " +
		"data compressible 2.5 : 1, reads only /scratch/kept, cases in random order, 2 warm-up iterations, " +
		"repeated until the interval is 2 % wide, at least 1.5 s per case, transfers limited to 300 s, " +
		"preset strict, nothing verified"
	if got := strings.Join(r.Conditions(), ", "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var read uint64
	for _, i := range []int{0, 2} {
		c := &r.Cases[i]
		c.Verified = true
		c.Warmup = []result.Sample{{Operation: result.OperationRead, Bytes: 512}}
		read += 512
		for _, s := range c.Samples {
			if s.Operation == result.OperationRead {
				read += s.Bytes
			}
		}
	}
	want = strings.TrimSuffix(want, "nothing verified") + "verified: " + units.FormatBytes(float64(read)) +
		" of read data were compared with the written data"
	if got := strings.Join(r.Conditions(), ", "); got != want || figures.ComparedBytes(r.Cases[0].Warmup) != 512 {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
