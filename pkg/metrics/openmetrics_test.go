package metrics_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/metricstest"
)

// openMetrics returns runs as OpenMetrics text.
func openMetrics(runs ...figures.Run) (string, error) {
	var b strings.Builder
	err := metrics.WriteOpenMetrics(&b, runs, false)
	return b.String(), err
}

func TestTheHistoryOfRunsFillsADatabase(t *testing.T) {
	workload := figurestest.Workload()
	runs := []figures.Run{workload} // workload has ended last
	for day := range 3 {
		runs = append(runs, figures.Run{Document: series.Run(firstStart.AddDate(0, 0, 2-day), 1)})
	}
	text, err := openMetrics(runs...)
	if err != nil {
		t.Fatal(err)
	}
	file, blocks := filepath.Join(t.TempDir(), "text"), filepath.Join(t.TempDir(), "blocks")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	metricstest.Promtool(t, "", "tsdb", "create-blocks-from", "openmetrics", file, blocks)
	if listed := metricstest.Promtool(t, "", "tsdb", "list", blocks); strings.Count(listed, "\n") < 5 {
		t.Errorf("blocks of four days:\n%s", listed)
	}
	ends := map[string][]float64{} // by series
	for line := range strings.Lines(text) {
		if of, rest, is := strings.Cut(line, "} 1.0 "); is && strings.HasPrefix(of, "h5perf_run_success{") {
			end, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			ends[of] = append(ends[of], end)
		}
		if line[0] != '#' && !strings.Contains(line, `job="h5perf"`) {
			t.Errorf("without a job: %s", line)
		}
	}
	if len(ends) != 2 || !strings.HasSuffix(text, "\n# EOF\n") {
		t.Errorf("times %v", ends)
	}
	for of, all := range ends {
		if n := len(all); !slices.IsSorted(all) || n > 1 && all[n-1] != float64(runs[1].Finished.Unix()) {
			t.Errorf("%s: times %v", of, all)
		}
	}
}

func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	r := figurestest.Workload()
	r.Identity.Label, r.Parameters.Workload.Name = "my\x1b[2Jlabel", "a\x1bname"
	r.Cases[0].Latencies = []result.Latency{{Operation: r.Cases[0].Samples[0].Operation, Call: "pwrite\x1b"}}
	text, err := openMetrics(r)
	if err != nil || strings.Contains(text, "\x1b") || !strings.Contains(text, `label="my\\x1b[2Jlabel"`) ||
		!strings.Contains(text, `workload="a\\x1bname"`) {
		t.Errorf("%v, %q", err, text)
	}
}

func TestRunsThatCannotBeToldApartAreRefused(t *testing.T) {
	one := figures.Run{Document: series.Run(firstStart, 1)}
	if _, err := openMetrics(one, one); err == nil || !strings.Contains(err.Error(), "ended at the same time") {
		t.Errorf("the same run twice: %v", err)
	}
	a, b := one, one
	a.Pair, b.Pair = &result.Pair{Arm: result.ArmA}, &result.Pair{Arm: result.ArmB}
	if text, err := openMetrics(a, b); err != nil || strings.Count(text, `arm="A"`) != strings.Count(text, `arm="B"`) {
		t.Errorf("A and B: %v", err)
	}
	running := one
	running.State, running.Finished = result.Running, nil
	if text, err := openMetrics(running); err != nil || text != "# EOF\n" {
		t.Errorf("a run that has not ended: %v, %s", err, text)
	}
}
