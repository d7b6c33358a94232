package metrics_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/metricstest"
	"h5perf/pkg/workload"
)

var (
	firstStart = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	series     = metricstest.Series{
		Identity: result.Identity{Cluster: "alpha", Filesystem: "/scratch/a b", Label: "nightly"}, Type: "lustre",
		Speed: 2e9, Seed: 1,
	}
)

// families returns the metric families of a document, by name.
func families(t *testing.T, doc result.Document) map[string]*dto.MetricFamily {
	t.Helper()
	r, err := metrics.Registry(doc, false)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*dto.MetricFamily{}
	for _, f := range list {
		out[strings.TrimPrefix(f.GetName(), "h5perf_")] = f
	}
	return out
}

// find returns the metric of a family that has all these labels ("name=value"). There must be exactly one.
func find(t *testing.T, f *dto.MetricFamily, labels ...string) *dto.Metric {
	t.Helper()
	var found []*dto.Metric
	for _, m := range f.GetMetric() {
		has := func(want string) bool {
			return slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool {
				return l.GetName()+"="+l.GetValue() == want
			})
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return !has(l) }) {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d metrics with %v, want 1", f.GetName(), len(found), labels)
	}
	return found[0]
}

func value(t *testing.T, f *dto.MetricFamily, labels ...string) float64 {
	t.Helper()
	return find(t, f, labels...).GetGauge().GetValue()
}

func expect(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := got - want; d > 1e-9*want || d < -1e-9*want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// small returns a run of one case, which writes 100 bytes in 1 to n seconds, and reads them in 2 to 2n seconds.
func small(n int) result.Document {
	doc := series.Run(firstStart, 1)
	doc.Cases = doc.Cases[:1]
	c := &doc.Cases[0]
	c.Samples, c.Latencies = nil, nil
	for i := 1; i <= n; i++ {
		at := func(seconds float64) result.Interval {
			return result.Interval{WindowSeconds: seconds, Max: 0.9 * seconds, Min: 0.5, Mean: 0.7}
		}
		classes := func(transfer float64) []result.ClassTime {
			return []result.ClassTime{
				{Class: "file open", Interval: at(0.25)},
				{Class: "transfer", Interval: at(transfer)},
				{Class: "file close", Interval: at(0.125)},
			}
		}
		seconds := float64(i)
		c.Samples = append(c.Samples,
			result.Sample{
				Operation: "write", Iteration: i, Bytes: 100, Access: at(seconds), Classes: classes(seconds / 2),
			},
			result.Sample{
				Operation: "read", Iteration: i, Bytes: 100, Access: at(2 * seconds), Classes: classes(seconds),
			})
	}
	return doc
}

func TestThroughputAndTimesAreThoseOfTheSamples(t *testing.T) {
	f := families(t, small(9))
	point := strings.Fields("api=posix operation=write pattern=contiguous geometry=1D " +
		"mode=independent layout=contiguous " +
		"transfer_bytes=65536 processes=2 sync=close cache=")
	with := func(label string) []string { return append(slices.Clone(point), label) }
	for statistic, seconds := range map[string]float64{"median": 5, "min": 9, "max": 1, "lower": 8, "upper": 2} {
		expect(t, statistic, value(t, f["throughput_bytes_per_second"], with("statistic="+statistic)...), 100/seconds)
	}
	expect(t, "visible", value(t, f["visible_seconds"], point...), 5)
	for class, seconds := range map[string]float64{"file open": 0.25, "transfer": 2.5, "file close": 0.125} {
		expect(t, class, value(t, f["class_duration_seconds"], with("class="+class)...), seconds)
	}
	for _, m := range f["class_duration_seconds"].GetMetric() {
		if strings.Contains(m.String(), `"sync"}`) {
			t.Errorf("a time of making durable where nothing was: %v", m)
		}
	}
	expect(t, "samples", value(t, f["samples"], point...), 9)
}

func TestThroughputRestsOnDurableDataWhereTheRunMakesThemSo(t *testing.T) {
	doc := small(1)
	s := &doc.Cases[0].Samples[0]
	s.AccessAndSync = &result.Interval{WindowSeconds: 4, Max: 3}
	figurestest.SetTime(s, workload.Sync, result.Interval{WindowSeconds: 3, Max: 2})
	f := families(t, doc)
	expect(t, "throughput", value(t, f["throughput_bytes_per_second"], "operation=write", "statistic=median"), 25)
	expect(t, "sync", value(t, f["class_duration_seconds"], "operation=write", "class=sync"), 3)
}

func TestAPointWithoutAFigureIsLeftOut(t *testing.T) {
	doc := small(3)
	doc.Cases[0].Samples[2].Access = result.Interval{} // a write whose time is below the resolution of the clock
	for name, f := range families(t, doc) {
		for _, m := range f.GetMetric() {
			if strings.Contains(m.String(), `"write"`) {
				t.Errorf("%s has %v", name, m)
			}
		}
	}
}

func TestWhereAReadCameFromIsInItsName(t *testing.T) {
	seen := &result.Cache{Method: "cachestat", MaxResident: 1}
	for _, c := range []struct {
		name    string
		samples []result.Sample
	}{
		{
			"warm",
			[]result.Sample{
				{Cache: seen, Marks: []result.Mark{result.MarkWarm}},
				{Marks: []result.Mark{result.MarkShort, result.MarkWarm}},
			},
		},
		{"cold", []result.Sample{{Cache: seen, Marks: []result.Mark{result.MarkShort}}, {Cache: seen}}},
		{"mixed", []result.Sample{{Cache: seen}, {Cache: seen, Marks: []result.Mark{result.MarkWarm}}}},
		{"unknown", []result.Sample{{Cache: seen}, {Cache: &result.Cache{Method: "none", Reason: "no such call"}}}},
		{"unknown", []result.Sample{{}, {}}},
	} {
		doc := small(2)
		for i, s := range c.samples {
			sample := &doc.Cases[0].Samples[2*i+1]
			sample.Cache, sample.Marks = s.Cache, s.Marks
		}
		f := families(t, doc)
		find(t, f["throughput_bytes_per_second"], "operation=read", "cache="+c.name, "statistic=median", "sync=")
		for _, mark := range []result.Mark{result.MarkWarm, result.MarkShort, result.MarkImplausible} {
			n := 0
			for _, s := range c.samples {
				if s.HasMark(mark) {
					n++
				}
			}
			expect(t, string(mark), value(t, f["marked_samples"], "operation=read", "mark="+string(mark)), float64(n))
		}
	}
}

func TestEfficiencyIsThatOverTheLayerBelow(t *testing.T) {
	doc := small(1)
	posix := doc.Cases[0]
	layer := func(api string, seconds float64, marks ...result.Mark) result.Case {
		c := posix
		c.API, c.Samples = api, slices.Clone(posix.Samples)
		for i := range c.Samples {
			c.Samples[i].Access.WindowSeconds = seconds
		}
		c.Samples[1].Marks = marks
		return c
	}
	doc.Cases = []result.Case{posix, layer("mpiio", 2), layer("phdf5", 5, result.MarkWarm)}
	f := families(t, doc)["layer_efficiency_ratio"]
	expect(t, "mpiio over posix", value(t, f, "api=mpiio", "over=posix", "operation=write"), 0.5)
	expect(t, "phdf5 over mpiio", value(t, f, "api=phdf5", "over=mpiio", "operation=write"), 0.4)
	expect(t, "mpiio over posix", value(t, f, "api=mpiio", "over=posix", "operation=read"), 1)
	if n := len(f.GetMetric()); n != 3 {
		t.Errorf("%d ratios, want 3: a warm read is not compared with another", n)
	}
	doc.Cases = []result.Case{posix, layer("hdf5", 4)}
	expect(t, "hdf5 over posix", value(t, families(t, doc)["layer_efficiency_ratio"], "over=posix", "operation=write"),
		0.25)
}

func TestEfficiencyOfSamplesInTurnsIsThatOfPairs(t *testing.T) {
	doc := small(3)
	doc.Parameters.Conditions.Order = "random"
	mpiio := doc.Cases[0]
	mpiio.API, mpiio.Samples = "mpiio", slices.Clone(mpiio.Samples)
	for i, seconds := range []float64{2, 2, 12} { // where posix takes 1, 2, 3
		mpiio.Samples[2*i].Access.WindowSeconds = seconds
	}
	doc.Cases = append(doc.Cases, mpiio)
	f := families(t, doc)["layer_efficiency_ratio"]
	expect(t, "median of 1/2, 1, 1/4", value(t, f, "api=mpiio", "over=posix", "operation=write"), 0.5)
}

func TestLatencyIsACumulativeHistogram(t *testing.T) {
	doc := small(1)
	doc.Cases[0].Latencies = []result.Latency{{
		Operation: "write", Call: "pwrite", Count: 10, Mean: 0.002,
		Histogram: []result.Bucket{
			{From: 0, To: 1e-6, Count: 1},
			{From: 4e-4, To: 4.1e-4, Count: 5},
			{From: 0.99e-2, To: 1.01e-2, Count: 3},
			{From: 200, To: 201, Count: 1},
		},
	}}
	h := find(t, families(t, doc)["operation_duration_seconds"], "operation=write", "call=pwrite",
		"api=posix").GetHistogram()
	if h.GetSampleCount() != 10 || h.GetSampleSum() != 0.02 {
		t.Errorf("count %d, sum %v", h.GetSampleCount(), h.GetSampleSum())
	}
	for _, b := range h.GetBucket() {
		want := uint64(1)
		switch {
		case b.GetUpperBound() >= 0.02: // not 0.01, which calls of this bucket may exceed
			want = 9
		case b.GetUpperBound() >= 5e-4:
			want = 6
		}
		if b.GetCumulativeCount() != want {
			t.Errorf("up to %v: %d, want %d", b.GetUpperBound(), b.GetCumulativeCount(), want)
		}
	}
	if n := len(h.GetBucket()); n != 25 {
		t.Errorf("%d buckets", n)
	}
}

func TestAFailedRunHasNoFigures(t *testing.T) {
	f := families(t, series.Failed(firstStart))
	var names []string
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"run_completion_timestamp_seconds", "run_document_info", "run_duration_seconds", "run_info", "run_success",
		"verification_errors",
	}
	if !slices.Equal(names, want) {
		t.Errorf("families %v, want %v", names, want)
	}
	expect(t, "success", value(t, f["run_success"]), 0)
	expect(t, "end", value(t, f["run_completion_timestamp_seconds"]), float64(firstStart.Add(20*time.Minute).Unix()))
	expect(t, "duration", value(t, f["run_duration_seconds"]), 1200)
	expect(t, "errors of phdf5", value(t, f["verification_errors"], "api=phdf5"), 1)
	expect(t, "errors of posix", value(t, f["verification_errors"], "api=posix"), 0)
}

func TestErrorsAreCountedOnlyWhereTheyAreLookedFor(t *testing.T) {
	doc := small(1)
	expect(t, "errors", value(t, families(t, doc)["verification_errors"], "api=posix"), 0)
	failed := small(1)
	failed.State, failed.Cases[0].State = result.Failed, result.Failed
	failed.Cases[0].Error = &result.Error{Phase: "transfer", Message: "no space left on device"}
	expect(t, "errors of a full disk", value(t, families(t, failed)["verification_errors"], "api=posix"), 0)
	doc.Parameters.Verify = false
	if f, ok := families(t, doc)["verification_errors"]; ok {
		t.Errorf("without verification: %v", f)
	}
}

func TestARunThatEndedEarlyHasFiguresWhereThatIsAskedFor(t *testing.T) {
	doc := small(1)
	doc.State, doc.Cases[0].State = result.Interrupted, result.Interrupted
	if n := metrics.NumOmittedPoints(doc, false); n != 2 {
		t.Errorf("%d figures are left out, want 2", n)
	}
	if _, there := families(t, doc)["throughput_bytes_per_second"]; there {
		t.Error("figures of an interrupted run, without being asked for")
	}
	r, err := metrics.Registry(doc, true)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Gather()
	if err != nil || !slices.ContainsFunc(all, func(f *dto.MetricFamily) bool {
		return f.GetName() == "h5perf_throughput_bytes_per_second"
	}) || metrics.NumOmittedPoints(doc, true) != 0 {
		t.Errorf("%v, %d families without figures", err, len(all))
	}
}

func TestTheDocumentOfARunIsNamed(t *testing.T) {
	doc := small(1)
	path := strings.TrimSuffix(history.DocumentPath("results", doc), ".json")
	find(t, families(t, doc)["run_document_info"], "document="+strings.TrimPrefix(path, "results/"))
}

// If the clock went back, how long the run took is not known.
func TestARunHasNoNegativeDuration(t *testing.T) {
	doc := small(1)
	for back, want := range map[time.Duration]bool{-time.Second: true, time.Second: false} {
		doc.Finished = new(doc.Started.Add(-back))
		if _, is := families(t, doc)["run_duration_seconds"]; is != want {
			t.Errorf("the run ended %v before its start: duration %v, want %v", back, is, want)
		}
	}
}

func TestInfoTellsTheConditions(t *testing.T) {
	doc := series.Run(firstStart, 1)
	doc.Machine.Image = &result.Image{Build: "0123abc+4567def", Digest: "sha256:1"}
	doc.Parameters.Conditions.Spread = option.SpreadNodes
	f := families(t, doc)["run_info"]
	expect(t, "info",
		value(t, f, "version=v1.2.3", "mpi=Open MPI v4.1.4", "hdf5=1.10.8", "file_system_type=lustre", "kernel=6.1.0",
			"image=0123abc+4567def", "nodes=2",
			"processes=4", "sync=close", "direct=false", "cold=false", "shift=0", "spread=nodes", "data=position",
			"kind=parallel"), 1)
}

func TestARunThatGoesOnIsRefused(t *testing.T) {
	doc := series.Run(firstStart, 1)
	doc.State, doc.Finished = result.Running, nil
	if _, err := metrics.Registry(doc, false); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("error %v", err)
	}
}

func TestASerialRunHasTheSameFamilies(t *testing.T) {
	doc := small(1)
	p := &doc.Parameters
	doc.Kind, p.Pattern, p.Geometry, p.Mode = "serial", "", "", ""
	p.DatasetExtent, p.BufferExtent = []uint64{64, 64}, []uint64{8, 4}
	doc.Cases[0].BufferBytes, doc.Cases[0].Processes = 32, 1
	find(t, families(t, doc)["throughput_bytes_per_second"], "operation=write", "pattern=", "geometry=", "mode=",
		"transfer_bytes=32", "transfer=32 B", "processes=1", "statistic=median")
}

func TestTextfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h5perf.prom")
	for _, doc := range []result.Document{series.Run(firstStart, 1), series.Failed(firstStart)} {
		if err := metrics.WriteTextfile(path, false, doc, false); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		success := map[result.State]int{result.Complete: 1}[doc.State]
		line := fmt.Sprintf("h5perf_run_success{cluster=\"alpha\",filesystem=\"/scratch/a b\",label=\"nightly\"} %d\n",
			success)
		if !strings.Contains(string(text), line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
		if out := metricstest.Promtool(t, string(text), "check", "metrics"); out != "" {
			t.Errorf("promtool check metrics: %s", out)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(entries) != 1 {
			t.Errorf("%v are beside the textfile (%v)", entries, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("mode %v, %v: node_exporter could not read it", info.Mode(), err)
		}
	}
	if err := metrics.CheckTextfile("h5perf.txt"); err == nil || !strings.Contains(err.Error(), ".prom") {
		t.Errorf("h5perf.txt: error %v", err)
	}
	missing := filepath.Join(path, "none", "x.prom")
	if err := metrics.WriteTextfile(missing, false, series.Run(firstStart, 1), false); err == nil ||
		!strings.Contains(err.Error(), "none") {
		t.Errorf("missing directory: error %v", err)
	}
}
