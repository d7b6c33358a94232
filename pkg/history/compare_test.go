package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// run returns a run that started the given number of days after day. It measured one write case with these throughputs
// in bytes per second. Computed with the time of the slowest process, the throughputs would be twice as high.
func run(id string, days int, throughputs ...float64) history.Record {
	doc := result.Document{
		SchemaVersion: result.Version, RunID: id, Kind: "parallel", State: result.Complete,
		Started:  day.AddDate(0, 0, days),
		Identity: result.Identity{Cluster: "c", Filesystem: "/scratch", Label: "nightly"},
		Parameters: result.Parameters{
			APIs: []string{"posix"}, Pattern: "contiguous", Conditions: option.Conditions{
				Sync: "close", Shift: new(0),
				Warmup: new(0), SpaceCheck: new(true),
			},
		},
		Cases: []result.Case{measured("posix", "write", throughputs...)},
	}
	return history.Record{Path: id + ".json", Document: doc}
}

func measured(api string, operation result.Operation, throughputs ...float64) result.Case {
	c := result.Case{
		Processes: 2, Nodes: 1, TransferSize: 1 << 20, BufferBytes: 1 << 20, API: api, State: result.Complete,
	}
	for i, t := range throughputs {
		c.Samples = append(c.Samples, result.Sample{
			Operation: operation, Iteration: i + 1, Started: day.Add(time.Duration(i) * time.Second), Bytes: 1 << 30,
			Access: result.Interval{WindowSeconds: (1 << 30) / t, Max: (1 << 29) / t},
		})
	}
	return c
}

// around returns n throughputs close to middle, without drift.
func around(middle float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = middle * (1 + 0.01*float64((i*7)%n-n/2)/float64(n))
	}
	return all
}

func compare(t *testing.T, old, now []history.Record, allowed ...string) history.Comparison {
	t.Helper()
	c, err := history.Compare(old, now, history.CompareOptions{Allowed: allowed})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// compareOnePoint compares two sets of runs and expects a single point.
func compareOnePoint(t *testing.T, old, now []history.Record, allowed ...string) history.ComparedPoint {
	t.Helper()
	c := compare(t, old, now, allowed...)
	if len(c.Points) != 1 {
		t.Fatalf("%d points, want one: %+v", len(c.Points), c.Points)
	}
	return c.Points[0]
}

// each returns one run for each of the throughputs.
func each(id string, throughputs ...float64) (all []history.Record) {
	for i, t := range throughputs {
		all = append(all, run(fmt.Sprint(id, i), i, t, t))
	}
	return all
}

func TestCompareGivesAVerdict(t *testing.T) {
	old := each("a", around(1e9, 10)...)
	for want, middle := range map[history.Verdict]float64{
		history.Better: 1.2e9, history.Worse: 0.9e9, history.NoDifference: 1e9,
	} {
		for test, now := range map[string][]history.Record{
			history.TestByRuns: each("b", around(middle, 10)...), history.TestByPrediction: each("b", middle),
		} {
			if p := compareOnePoint(t, old, now); p.Verdict != want || p.Difference.Test != test || p.Old.Count != 10 {
				t.Errorf("%+v, want %s by %s", p, want, test)
			}
			if test != history.TestByPrediction || want != history.Better {
				continue
			}
			if p := compareOnePoint(t, now, old); p.Verdict != history.Worse || p.New.Count != 10 {
				t.Errorf("exchanged: %+v, want worse", p)
			}
		}
	}
	for _, now := range [][]history.Record{each("b", around(0.9e9, 10)...), each("b", 0.9e9)} {
		p := compareOnePoint(t, old, now)
		d := p.Difference
		if d.Ratio < 0.89 || d.Ratio > 0.91 || d.Low == nil || *d.Low > d.Ratio || *d.High < d.Ratio {
			t.Errorf("difference %+v, want -10 %% and an interval around it", d)
		}
		if p.Old.Median < 0.99e9 || p.Old.Median > 1.01e9 || p.Old.Low == nil || *p.Old.Low > p.Old.Median {
			t.Errorf("figures %+v", p.Old)
		}
	}
}

// Samples of one run on each side do not show how much throughput varies from run to run. So no difference is judged,
// however large it is and however many samples there are.
func TestCompareDoesNotJudgeOneRunAgainstOne(t *testing.T) {
	old, now := run("a", 0, around(1e9, 30)...), run("b", 1, around(0.5e9, 30)...)
	c := compare(t, []history.Record{old}, []history.Record{now})
	p := c.Points[0]
	if p.Verdict != history.NotJudged || p.Difference.Test != history.Untested || p.Difference.Low != nil ||
		p.Old.Count != 30 || math.Abs(p.Difference.Ratio-0.5) > 0.01 {
		t.Errorf("%+v %+v, want a difference that is not judged", p, p.Difference)
	}
	if len(c.Cautions) != 1 || !strings.Contains(c.Cautions[0].Text, "one run on each side") {
		t.Errorf("cautions %q", c.Cautions)
	}
}

// TestCompareNeverMixesConditions changes one condition at a time, of every kind. One of them is a parameter that is in
// no list.
func TestCompareNeverMixesConditions(t *testing.T) {
	reading := func(id string, days int, middle float64) history.Record {
		r := run(id, days)
		r.Cases[0] = measured("posix", "read", around(middle, 10)...)
		return r
	}
	old := []history.Record{reading("a", 0, 1e9)}
	hints := []result.KeyValue{{Key: "cb_nodes", Value: "1"}}
	family := &option.DriverSettings{SerialSettings: option.SerialSettings{FamilyMemberBytes: new(uint64(9))}}
	for name, change := range map[string]func(*result.Document){
		"sync":               func(d *result.Document) { d.Parameters.Conditions.Sync = "none" },
		"direct":             func(d *result.Document) { d.Parameters.Conditions.Direct = true },
		"cold":               func(d *result.Document) { d.Parameters.Conditions.Cold = true },
		"spread":             func(d *result.Document) { d.Parameters.Conditions.Spread = "nodes" },
		"shift":              func(d *result.Document) { d.Parameters.Conditions.Shift = new(1) },
		"data":               func(d *result.Document) { d.Parameters.Conditions.Data = "zero" },
		"compress_ratio":     func(d *result.Document) { d.Parameters.Conditions.CompressRatio = 2 },
		"time_limit_seconds": func(d *result.Document) { d.Parameters.Conditions.TimeLimit = new(9.0) },
		"read_only_file":     func(d *result.Document) { d.Parameters.Conditions.ReadOnly = "/x/y" },
		"pattern":            func(d *result.Document) { d.Parameters.Pattern = "interleaved" },
		"mode":               func(d *result.Document) { d.Parameters.Mode = "collective" },
		"geometry":           func(d *result.Document) { d.Parameters.Geometry = "2D" },
		"layout":             func(d *result.Document) { d.Parameters.Layout = "chunked" },
		"chunk_bytes":        func(d *result.Document) { d.Parameters.ChunkSize = []uint64{4096} },
		"bytes_per_process":  func(d *result.Document) { d.Parameters.BytesPerProcess = 9 },
		"files":              func(d *result.Document) { d.Parameters.Files = 9 },
		"hdf5_driver":        func(d *result.Document) { d.Parameters.Driver = "mpiposix" },
		"hints_asked":        func(d *result.Document) { d.Parameters.Hints = hints },
		"dataset_extent":     func(d *result.Document) { d.Parameters.DatasetExtent = []uint64{9, 9} },
		"extendible":         func(d *result.Document) { d.Parameters.Extendible = true },
		"kind":               func(d *result.Document) { d.Kind = "serial" },
		"filesystem":         func(d *result.Document) { d.Identity.Filesystem = "/home" },
		"cluster":            func(d *result.Document) { d.Identity.Cluster = "other" },
		"nodes":              func(d *result.Document) { d.Cases[0].Nodes = 2 },
		"buffer_bytes":       func(d *result.Document) { d.Cases[0].BufferBytes = 9 },
		"page_cache": func(
			d *result.Document,
		) {
			d.Cases[0].Samples[3].Marks = []result.Mark{result.MarkWarm}
		},
		"hdf5_driver_settings": func(d *result.Document) { d.Parameters.DriverSettings = family },
	} {
		now := reading("b", 1, 0.5e9)
		change(&now.Document)
		p := compareOnePoint(t, old, []history.Record{now})
		if p.Verdict != history.NotComparable || !strings.HasPrefix(p.Reason, name) ||
			strings.Contains(p.Reason, ";") || p.Difference != nil {
			t.Errorf("%s: %s (%s), want not comparable for this alone", name, p.Verdict, p.Reason)
		}
		condition, _, _ := strings.Cut(p.Reason, " ")
		p = compareOnePoint(t, old, []history.Record{now}, condition)
		if p.Verdict != history.NotJudged || len(p.Differs) != 1 || p.Differs[0].Name != condition {
			t.Errorf("%s allowed: %s, differs %v", name, p.Verdict, p.Differs)
		}
	}
}

func TestCompareTellsOfWhatMayBeTheCause(t *testing.T) {
	old := []history.Record{run("a", 0, around(1e9, 10)...)}
	for name, change := range map[string]func(*result.Document){
		"hdf5_version":     func(d *result.Document) { d.Software.HDF5 = "2.0" },
		"mpi_library":      func(d *result.Document) { d.Software.MPI = "MPICH" },
		"kernel":           func(d *result.Document) { d.Machine.Kernel = "7" },
		"file_system_type": func(d *result.Document) { d.Target.Type = "xfs" },
		"mount_options":    func(d *result.Document) { d.Target.Options = "noatime" },
		"image":            func(d *result.Document) { d.Machine.Image = &result.Image{Build: "a+b"} },
		"stripe":           func(d *result.Document) { d.Target.Stripe = &result.Stripe{System: "lustre", Count: 4} },
		"verify":           func(d *result.Document) { d.Parameters.Verify = true },
		"order":            func(d *result.Document) { d.Parameters.Conditions.Order = "random" },
		"mpi_variables.OMPI_MCA_io": func(d *result.Document) {
			d.Job.MPIVariables = []result.KeyValue{{Key: "OMPI_MCA_io", Value: "^ompio"}}
		},
		"hdf5_collective_transfers": func(d *result.Document) {
			d.Cases[0].Effective = &result.Effective{CollectiveWrites: &result.Collective{Independent: 3}}
		},
	} {
		now := run("b", 1, around(0.5e9, 10)...)
		change(&now.Document)
		p := compareOnePoint(t, old, []history.Record{now})
		if p.Verdict != history.NotJudged || len(p.Differs) != 1 || p.Differs[0].Name != name ||
			name == "hdf5_collective_transfers" && p.Differs[0].New != "all independent" {
			t.Errorf("%s: %s (%s), differs %v", name, p.Verdict, p.Reason, p.Differs)
		}
	}
}

func TestCompareIgnoresWhatChangesNoFigure(t *testing.T) {
	now := run("b", 1, around(1e9, 10)...)
	c := &now.Parameters.Conditions
	c.Seed, c.Timeout, c.MinSeconds, c.Preset = new(uint64(3)), new(9.0), new(1.0), "standard"
	now.Parameters.Iterations, now.Parameters.KeepFiles, now.Identity.Label = 99, true, "other"
	p := compareOnePoint(t, []history.Record{run("a", 0, around(1e9, 10)...)}, []history.Record{now})
	if p.Verdict != history.NotJudged || len(p.Differs) != 0 {
		t.Errorf("%s (%s), differs %v", p.Verdict, p.Reason, p.Differs)
	}
}

func TestCompareCountsNoRunTwice(t *testing.T) {
	a, b := run("a", 0, around(1e9, 10)...), run("b", 1, around(1e9, 10)...)
	again := a
	again.Path = "copy.json"
	if _, err := history.Compare([]history.Record{a, again}, []history.Record{b},
		history.CompareOptions{}); err == nil ||
		!strings.Contains(err.Error(), "a.json and copy.json hold the same run, a") {
		t.Errorf("error %v, want both files", err)
	}
	c := compare(t, []history.Record{a}, []history.Record{again})
	if !strings.Contains(c.Cautions[0].Text, "Run a is on both sides") {
		t.Errorf("cautions %q", c.Cautions)
	}
}

// TestCompareOfWhatFollowsFromTheMachine compares runs whose data files have different names, or whose sizes differ
// because the machines have different amounts of memory.
func TestCompareOfWhatFollowsFromTheMachine(t *testing.T) {
	old, now := run("a", 0, around(1e9, 10)...), run("b", 1, around(0.5e9, 10)...)
	old.Parameters.Conditions.ReadOnly, now.Parameters.Conditions.ReadOnly = "/x/1", "/x/2"
	p := compareOnePoint(t, []history.Record{old}, []history.Record{now})
	if p.Verdict != history.NotJudged || len(p.Differs) != 0 {
		t.Errorf("another file: %s (%s), differs %v", p.Verdict, p.Reason, p.Differs)
	}
	old.Parameters.Conditions.MemoryFactor, now.Parameters.Conditions.MemoryFactor = new(2.0), new(2.0)
	old.Parameters.BytesPerProcess, now.Parameters.BytesPerProcess = 1000, 1001
	p = compareOnePoint(t, []history.Record{old}, []history.Record{now})
	if p.Verdict != history.NotJudged || len(p.Differs) != 1 || p.Differs[0].Name != "bytes_per_process" {
		t.Errorf("another memory: %s (%s), differs %v", p.Verdict, p.Reason, p.Differs)
	}
}

func TestCompareSaysThatAPointHasNoThroughput(t *testing.T) {
	timed, untimed := run("a", 0, around(1e9, 10)...), run("b", 1, around(1e9, 10)...)
	untimed.Cases[0].Samples[3].Access = result.Interval{}
	for _, c := range []struct {
		old, now history.Record
		want     string
	}{{timed, untimed, "NEW"}, {untimed, timed, "OLD"}} {
		p := compareOnePoint(t, []history.Record{c.old}, []history.Record{c.now})
		want := c.want + " has no throughput: the time is below the resolution of the clock, or no data were moved"
		if p.Verdict != history.NotComparable || p.Failed || p.Reason != want {
			t.Errorf("%s, failed %v: %s", p.Verdict, p.Failed, p.Reason)
		}
	}
}

func TestCompareRefusesUnknownConditions(t *testing.T) {
	a := []history.Record{run("a", 0, 1e9)}
	unknown := history.CompareOptions{Allowed: []string{"speed"}}
	if _, err := history.Compare(a, a, unknown); err == nil || !strings.Contains(err.Error(), `"speed"`) ||
		!strings.Contains(err.Error(), "sync") {
		t.Errorf("error %v, want the name and those there are", err)
	}
}

func TestCompareTellsOfFailuresAndMissingPoints(t *testing.T) {
	old := []history.Record{run("a", 0, around(1e9, 10)...)}
	old[0].Cases = append(old[0].Cases, measured("mpiio", "write", 1e9))
	now := run("b", 1, around(1e9, 10)...)
	now.Cases[0].State, now.Cases[0].Error = result.Failed, &result.Error{Message: "no space left"}
	now.Cases = append(now.Cases, measured("phdf5", "write", 1e9))
	c := compare(t, old, []history.Record{now})
	got := map[string]string{}
	for _, p := range c.Points {
		got[p.API] = fmt.Sprint(p.Verdict, ": ", p.Reason, " ", p.Failed)
	}
	for api, want := range map[string]string{
		"posix": "not comparable: NEW failed: no space left true", "mpiio": "not comparable: only in OLD false",
		"phdf5": "not comparable: only in NEW false",
	} {
		if got[api] != want {
			t.Errorf("%s: %q, want %q", api, got[api], want)
		}
	}
}

func TestDefaultsThatHDF5ChangedAreTold(t *testing.T) {
	with := func(version string, change func(*result.Parameters)) []history.Record {
		r := run("run of "+version, 1, around(1e9, 30)...)
		r.Software.HDF5, r.Parameters.APIs = version, []string{result.PHDF5}
		r.Parameters.Layout = result.LayoutChunked
		change(&r.Parameters)
		return []history.Record{r}
	}
	nothing := func(*result.Parameters) {}
	set := func(p *result.Parameters) { p.Libver, p.ChunkCacheBytes = "v18", new(uint64(1<<20)) }
	for name, x := range map[string]struct {
		old, now []history.Record
		want     int
	}{
		"another default": {with("1.14.5", nothing), with("2.0.0", nothing), 2},
		"set in both":     {with("1.14.5", set), with("2.0.0", set), 0},
		"set in one":      {with("1.14.5", set), with("2.0.0", nothing), 0},
		"same default":    {with("1.10.8", nothing), with("1.14.5", nothing), 0},
		"without chunks": {
			with("1.14.5", func(p *result.Parameters) { p.Layout = "" }), with("2.0.0",
				func(p *result.Parameters) { p.Layout = "" }), 1,
		},
		"not known": {with("", nothing), with("2.1.0", nothing), 0},
	} {
		var told []string
		for _, c := range compare(t, x.old, x.now).Cautions {
			if c.Keyword == "defaults moved" {
				told = append(told, c.String())
			}
		}
		if len(told) != x.want || x.want > 1 && !strings.Contains(told[1], "HDF5 2.0 changed the default of "+
			"chunk-cache from 1M to 8M: some of the runs have the old one, and some the new one. Use --chunk-cache "+
			"8M in all runs.") {
			t.Errorf("%s: %q", name, told)
		}
	}
}

func TestCompareCountsRunsOnce(t *testing.T) {
	var old, now []history.Record
	for i := range 7 {
		old = append(old, run(fmt.Sprint("a", i), i, around(1e9+1e7*float64(i*3%7), 30)...))
		now = append(now, run(fmt.Sprint("b", i), 10+i, around(0.9e9+1e7*float64(i*3%7), 30)...))
	}
	p := compareOnePoint(t, old, now)
	if p.Difference.Test != history.TestByRuns || p.Old.Count != 7 || p.Old.Runs != 7 || p.Verdict != history.Worse {
		t.Errorf("%+v %+v", p, p.Difference)
	}
	// Three runs in each set cannot show a difference, however many samples they have. A caution says so.
	c := compare(t, old[:3], now[:3])
	if p := c.Points[0]; p.Verdict != history.NoDifference || p.Old.Low != nil || p.Difference.Low != nil {
		t.Errorf("of 3 runs: %+v", p)
	}
	if len(c.Cautions) != 2 || !strings.Contains(c.Cautions[0].String(), "where 1 point is compared, even a large "+
		"difference cannot be significant. Use at least 4 runs on each side.") ||
		c.Cautions[1].Keyword != "dependence unknown" {
		t.Errorf("cautions %q, want that 4 runs are needed, and that 3 do not show independence", c.Cautions)
	}
}

// TestCompareAlternatingRuns compares runs in which every second sample is slow. If the runs were measured alternately,
// this does not affect the comparison.
func TestCompareAlternatingRuns(t *testing.T) {
	noisy := func(ratio float64) (all []float64) {
		for i := range 10 {
			all = append(all, ratio*1e9*(1+0.9*float64(i%2))*(1+0.002*float64(i*3%7)))
		}
		return all
	}
	a, b := run("a", 0, noisy(1)...), run("b", 0, noisy(0.95)...)
	a.Pair, b.Pair = &result.Pair{Arm: "A", PartnerRunID: "b"}, &result.Pair{Arm: "B", PartnerRunID: "a"}
	b.Parameters.Conditions.Sync = "none"
	b.Cases[0].API = "mpiio"
	for i := range b.Cases[0].Samples {
		b.Cases[0].Samples[i].Started = b.Cases[0].Samples[i].Started.Add(time.Millisecond)
	}
	p := compareOnePoint(t, []history.Record{a}, []history.Record{b})
	if p.Verdict != history.Worse || p.Difference.Test != history.TestByPairs || p.Old.Count != 10 {
		t.Errorf("%+v %+v", p, p.Difference)
	}
	want := []history.ConditionChange{
		{Name: "api", Old: "posix", New: "mpiio"},
		{Name: "sync", Old: "close", New: "none"},
	}
	if !slices.Equal(p.Differs, want) {
		t.Errorf("differs %v", p.Differs)
	}
	// If OLD and NEW are swapped, NEW is better. A run without its partner is treated like any other run.
	if p := compareOnePoint(t, []history.Record{b}, []history.Record{a}); p.Verdict != history.Better {
		t.Errorf("%+v", p)
	}
	alone := run("c", 0, noisy(0.95)...)
	if p := compareOnePoint(t, []history.Record{a}, []history.Record{alone}); p.Difference.Test != history.Untested ||
		p.Verdict != history.NotJudged {
		t.Errorf("%+v", p)
	}
	// Samples of different iterations do not form a pair.
	b.Cases[0].Samples = b.Cases[0].Samples[1:]
	if p := compareOnePoint(t, []history.Record{a}, []history.Record{b}); p.Old.Count != 9 ||
		p.Verdict != history.Worse {
		t.Errorf("%s of %+v, want worse of 9 pairs", p.Verdict, p.Old)
	}
}

func TestCompareCautions(t *testing.T) {
	rising := make([]float64, 12)
	for i := range rising {
		rising[i] = 1e9 * (1 + 0.01*float64(i))
	}
	p := compareOnePoint(t, each("a", 1e9, 1.01e9), each("b", rising...))
	text := fmt.Sprint(p.Cautions)
	for _, want := range []string{
		"OLD has too few values for an interval: 2, and it needs 6", "NEW drifts", "Values of NEW depend on",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("cautions %q, want %q", text, want)
		}
	}
	now := run("b", 1, around(1e9, 10)...)
	now.Cases[0].Samples[0].Marks = []result.Mark{result.MarkImplausible}
	p = compareOnePoint(t, []history.Record{run("a", 0, around(1e9, 10)...)}, []history.Record{now})
	if !strings.Contains(fmt.Sprint(p.Cautions), "faster than the processors") {
		t.Errorf("cautions %q", p.Cautions)
	}
}

// TestCompareDistinguishesPoints compares trees with runs of several patterns.
func TestCompareDistinguishesPoints(t *testing.T) {
	tree := func(id string, contiguous, interleaved float64) []history.Record {
		other := each(id+"2", around(interleaved, 10)...)
		for i := range other {
			other[i].Parameters.Pattern = "interleaved"
		}
		return slices.Concat(each(id+"1", around(contiguous, 10)...), other)
	}
	c := compare(t, tree("a", 1e9, 2e9), tree("b", 1e9, 1e9))
	if len(c.Points) != 2 {
		t.Fatalf("%d points, want 2", len(c.Points))
	}
	for _, p := range c.Points {
		want := map[string]history.Verdict{"contiguous": history.NoDifference, "interleaved": history.Worse}
		if len(p.Conditions) != 1 || p.Conditions[0].Name != "pattern" || p.Verdict != want[p.Conditions[0].Value] {
			t.Errorf("%v: %s, want it named by its pattern", p.Conditions, p.Verdict)
		}
	}
}

// TestCompareOfUnchangedTreesSeldomAlarms compares unchanged runs of 20 points with 7 samples each, whose throughput
// varies from run to run. It counts the comparisons that show a difference in a point or in a group of points. The
// standard error of 200 comparisons is 0.015.
func TestCompareOfUnchangedTreesSeldomAlarms(t *testing.T) {
	const trees, points = 200, 20
	for _, sides := range [][2]int{{1, 1}, {10, 1}, {1, 10}, {10, 10}} {
		rng := rand.New(rand.NewPCG(3, 4))
		sweeps := func(id string, n int) (all []history.Record) {
			for k := range n {
				r := run(fmt.Sprint(id, k), k)
				r.Cases = nil
				whole := 0.05 * rng.NormFloat64()
				for i := range points {
					level := 1e9 * math.Exp(whole+0.05*rng.NormFloat64())
					samples := make([]float64, 7)
					for k := range samples {
						samples[k] = level * math.Exp(0.05*rng.NormFloat64())
						if rng.Float64() < 0.03 {
							samples[k] /= 2
						}
					}
					c := measured([]string{"posix", "mpiio"}[i%2], "write", samples...)
					c.Processes = i + 1
					r.Cases = append(r.Cases, c)
				}
				all = append(all, r)
			}
			return all
		}
		alarms := 0
		for range trees {
			c := compare(t, sweeps("a", sides[0]), sweeps("b", sides[1]))
			if len(c.Points) != points {
				t.Fatalf("%d points, want %d", len(c.Points), points)
			}
			if slices.ContainsFunc(c.Points, func(p history.ComparedPoint) bool {
				return p.Verdict == history.Better || p.Verdict == history.Worse
			}) || slices.ContainsFunc(c.Groups, func(g history.ComparedGroup) bool {
				return g.Verdict == history.Better || g.Verdict == history.Worse
			}) {
				alarms++
			}
		}
		t.Logf("%v runs of an unchanged tree of %d points give a false alarm in %.3f of comparisons", sides, points,
			float64(alarms)/trees)
		if float64(alarms) > trees*(0.05+2*0.0155) {
			t.Errorf("%v runs: %d of %d comparisons give a false alarm, want at most 5 %%", sides, alarms, trees)
		}
	}
}

func TestCompareNamesOnlyVariablesThatDiffer(t *testing.T) {
	old, now := run("a", 0, around(1e9, 10)...), run("b", 1, around(1e9, 10)...)
	old.Job.MPIVariables = []result.KeyValue{{Key: "OMPI_MCA_btl", Value: "tcp"}, {Key: "UCX_TLS", Value: "all"}}
	now.Job.MPIVariables = []result.KeyValue{{Key: "OMPI_MCA_btl", Value: "tcp"}, {Key: "OMPI_MCA_io", Value: "ompio"}}
	want := []history.ConditionChange{
		{Name: "mpi_variables.UCX_TLS", Old: "all"}, {Name: "mpi_variables.OMPI_MCA_io", New: "ompio"},
	}
	if p := compareOnePoint(t, []history.Record{old}, []history.Record{now}); !slices.Equal(p.Differs, want) {
		t.Errorf("differs %v, want %v", p.Differs, want)
	}
	// If only some runs of a side have a variable, it differs, too.
	third := run("c", 2, around(1e9, 10)...)
	third.Job.MPIVariables = now.Job.MPIVariables
	p := compareOnePoint(t, []history.Record{now, third}, []history.Record{run("d", 3, 1e9), third})
	if len(p.Differs) != 2 || p.Differs[1] != (history.ConditionChange{
		Name: "mpi_variables.OMPI_MCA_io", Old: "ompio", New: ", ompio",
	}) {
		t.Errorf("differs %v", p.Differs)
	}
}

func TestADifferenceThatIsNotThatOfTheMediansIsExplained(t *testing.T) {
	arms := func(old, now []float64) (a, b []history.Record) {
		a, b = []history.Record{run("a", 0, old...)}, []history.Record{run("b", 0, now...)}
		a[0].Pair, b[0].Pair = &result.Pair{Arm: "A", PartnerRunID: "b"}, &result.Pair{Arm: "B", PartnerRunID: "a"}
		return a, b
	}
	// The file system becomes faster while both are measured. In each pair, NEW is slower by 20 %.
	var old, now []float64
	for i := range 12 {
		old = append(old, 1e9*(1+float64(i*i)/4))
		now = append(now, 0.8e9*(1+float64(i*i)/4))
	}
	now[11], now[10], now[9] = 0.8*old[11], 1.3*old[10], 1.3*old[9]
	now[5], now[6] = 1.1*old[5], 1.1*old[6]
	a, b := arms(old, now)
	p := compareOnePoint(t, a, b)
	explained := func(p history.ComparedPoint, words string) bool {
		return slices.ContainsFunc(p.Cautions, func(c plain.Caution) bool {
			return strings.HasPrefix(c.Text, "The medians differ by ") && strings.Contains(c.Text, words)
		})
	}
	if !explained(p, "difference within the pairs") {
		t.Errorf("pairs: %+v, %+v, %+v: %q", p.Old, p.New, p.Difference, p.Cautions)
	}
	a, b = arms(around(1e9, 12), around(0.8e9, 12))
	if p := compareOnePoint(t, a, b); explained(p, "") {
		t.Errorf("pairs whose medians differ as much: %q", p.Cautions)
	}
	modes := func(slow int) []float64 { return append(around(1e9, slow), around(2e9, 10-slow)...) }
	p = compareOnePoint(t, each("a", modes(4)...), each("b", modes(6)...))
	if !explained(p, "between each value of NEW and each value of OLD") {
		t.Errorf("two modes: %+v, %+v, %+v: %q", p.Old, p.New, p.Difference, p.Cautions)
	}
	p = compareOnePoint(t, each("a", around(1e9, 10)...), each("b", around(2e9, 10)...))
	if explained(p, "") {
		t.Errorf("one mode: %q", p.Cautions)
	}
}

// An interval at the level 95 % can contradict a verdict that is corrected for many points.
func TestIntervalsAreAtTheLevelOfTheirVerdict(t *testing.T) {
	var old, now []history.Record
	for k := range 8 {
		a, b := run(fmt.Sprint("a", k), k), run(fmt.Sprint("b", k), k)
		a.Cases, b.Cases = nil, nil
		for i := range 12 {
			// 2 of 8 values overlap: p is about 0.01, and about 0.1 after the correction for 12 points
			value := around(1e9, 8)[k*3%8] // high and low values alternate
			first := measured("posix", "write", value)
			second := measured("posix", "write", value/(1+0.0045*float64(min(i, 1))))
			first.TransferSize, second.TransferSize = 1<<(10+i), 1<<(10+i)
			a.Cases, b.Cases = append(a.Cases, first), append(b.Cases, second)
		}
		old, now = append(old, a), append(now, b)
	}
	c := compare(t, old, now)
	unsure := 0
	for _, p := range c.Points {
		d := p.Difference
		if d.Level < 0.99 || d.Low == nil {
			t.Fatalf("level %g, %+v", d.Level, d)
		}
		if p.Verdict == history.NoDifference {
			unsure++
			if *d.Low > 1 || *d.High < 1 {
				t.Errorf("no difference shown, and the interval is %g to %g", *d.Low, *d.High)
			}
			if d.DetectableRatio == nil || *d.DetectableRatio >= 1 || *d.DetectableRatio < 0.9 {
				t.Errorf("would show %v", d.DetectableRatio)
			}
		}
	}
	if unsure == 0 {
		t.Error("no point without a difference")
	}
	few := compareOnePoint(t, each("a", around(1e9, 3)...), each("b", around(1e9, 3)...))
	if few.Difference.DetectableRatio != nil {
		t.Errorf("of 3 + 3: would show %g", *few.Difference.DetectableRatio)
	}
}

// With equal sizes of a workload, a choice may change how many bytes are moved. Then throughputs say nothing.
func TestThroughputsOfOtherAmountsAreNotCompared(t *testing.T) {
	set := func(all []history.Record, bytes uint64, kind string) []history.Record {
		for i := range all {
			all[i].Parameters.Workload = &result.Workload{
				Name: "metadata", Sizes: []result.KeyValue{{Key: "objects", Value: "100"}},
				Chosen: []result.KeyValue{{Key: "kind", Value: kind}},
			}
			all[i].Cases = slices.Clone(all[i].Cases)
			c := &all[i].Cases[0]
			c.Samples = slices.Clone(c.Samples)
			for k := range c.Samples {
				c.Samples[k].Bytes = bytes
			}
		}
		return all
	}
	for _, c := range []struct {
		bytes      uint64
		kind       string
		comparable bool
	}{{1 << 20, "attribute", false}, {1 << 30, "attribute", true}, {1 << 20, "compact", true}} {
		old := set(each("a", around(1e9, 10)...), 1<<30, "compact")
		now := set(each("b", around(2e9, 10)...), c.bytes, c.kind)
		p := compareOnePoint(t, old, now, "workload.choices.kind")
		if got := p.Verdict != history.NotComparable; got != c.comparable ||
			!got && !strings.Contains(p.Reason, "1 GiB in OLD and 1 MiB in NEW, with equal sizes") {
			t.Errorf("%d bytes: %s, %s", c.bytes, p.Verdict, p.Reason)
		}
	}
}
