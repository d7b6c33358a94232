package metrics_test

import (
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

func TestAWorkloadHasItsNameInPlaceOfATransferSize(t *testing.T) {
	doc := figurestest.Workload().Document
	figurestest.SetTime(&doc.Cases[0].Samples[0], workload.Sync, result.Interval{Max: 0.1})
	for k := range doc.Cases[0].Samples {
		s := &doc.Cases[0].Samples[k]
		s.OpenClose.WindowSeconds, s.Handled = 2, []result.HandledUnits{{Unit: "samples", Number: 50}}
	}
	f := families(t, doc)
	expect(t, "samples", value(t, f["units_per_second"], "api=posix", "operation=read", "unit=samples"), 25)
	if n := len(f["units_per_second"].GetMetric()); n != 2 {
		t.Errorf("%d rates of units, want those of writes and of reads of an API", n)
	}
	find(t, f["run_info"], "kind=workload", "workload=vpic", "workload_sha256=0123456789ab")
	for name, family := range f {
		for _, m := range family.GetMetric() {
			of := map[string]string{}
			for _, l := range m.GetLabel() {
				of[l.GetName()] = l.GetValue()
			}
			if _, point := of["transfer_bytes"]; point && (of["transfer_bytes"] != "" || of["workload"] != "vpic") {
				t.Errorf("%s: %v", name, of)
			}
		}
	}
	const middle = 1.0005 // median of the factors by which the samples differ
	write := strings.Fields("api=phdf5 operation=write processes=4 sync=none workload=vpic")
	expect(t, "create", value(t, f["class_duration_seconds"], append(write, "class=create")...), 0.3*middle)
	expect(t, "compute", value(t, f["class_duration_seconds"], append(write, "class=compute")...), 2.001)
	if rate := value(t, f["throughput_bytes_per_second"], append(write, "statistic=median")...); rate < (1<<30)/1.61 ||
		rate > (1<<30)/1.59 {
		t.Errorf("rate %v", rate)
	}
	find(t, f["samples"], "api=posix", "operation=write", "sync=workload")
	find(t, f["layer_efficiency_ratio"], "api=phdf5", "operation=write", "over=mpiio")
	for _, m := range f["class_duration_seconds"].GetMetric() {
		if m.GetGauge().GetValue() <= 0 {
			t.Errorf("a class without time: %v", m)
		}
	}
}

func TestASweepHasNoWorkload(t *testing.T) {
	f := families(t, series.Run(firstStart, 1))
	find(t, f["samples"], "api=posix", "operation=write", "processes=2", "transfer_bytes=65536", "workload=")
}

func TestMetricsSayWhatFiltersMadeOfTheData(t *testing.T) {
	doc := figurestest.Workload().Document
	c := &doc.Cases[len(doc.Cases)-1]
	c.Filtered = &result.Filtered{Bytes: 1 << 20, RequestedBytes: 1 << 20, NoRatioBytes: 1 << 20, Files: 1}
	c.Effective = &result.Effective{Files: []result.FileSize{{Bytes: 3 << 20}}}
	all := families(t, doc)
	expect(t, "size", value(t, all["file_bytes"], "operation=write", "api=phdf5"), 3<<20)
	expect(t, "caution", value(t, all["run_caution"], "caution=filters on data that hardly compress"), 1)
}
