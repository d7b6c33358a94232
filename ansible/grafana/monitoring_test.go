//go:build monitoring

package main

import (
	"encoding/json"
	"flag"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/figures/figurestest"
	runs "h5perf/pkg/history"
	"h5perf/pkg/metrics/metricstest"
	"h5perf/pkg/result"
)

// draw is the file that gets the answers to all queries, for the program that draws the panels.
var draw = flag.String("draw", "", "write the answers to all queries to this `file`")

func TestRules(t *testing.T) {
	metricstest.Promtool(t, "", "check", "rules", role+"/files/rules/h5perf.yml")
	metricstest.Promtool(t, "", "test", "rules", role+"/tests/h5perf_test.yml")
}

// days is the length of the history, and pitch the time between two points of a drawing.
const (
	days  = 60
	pitch = 6 * time.Hour
)

var (
	first = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	end   = first.AddDate(0, 0, days).Truncate(pitch)
)

// failedDay is the day on which a run on /scratch failed.
const failedDay = 30

// basisDay is the day from which on the runs on /home have windows. By these, throughput is lower by a quarter.
const basisDay = 20

// documents returns one run a day of each series. /scratch is slower by a fifth after 45 days, and what is
// read on /home comes from the page cache.
func documents() (all []result.Document) {
	series := func(cluster, filesystem, kind string, speed float64, seed uint64) metricstest.Series {
		return metricstest.Series{
			Identity: result.Identity{Cluster: cluster, Filesystem: filesystem, Label: "nightly"}, Type: kind,
			Speed: speed, Seed: seed,
		}
	}
	scratch, home, gpfs := series("alpha", "/scratch", "lustre", 2.4e9, 1), series("alpha", "/home", "nfs4", 9e8, 2),
		series("beta", "/gpfs", "gpfs", 1.7e9, 3)
	home.Warm = true
	for day := range days {
		start, factor := first.AddDate(0, 0, day), 1.0
		if day >= 45 {
			factor = 0.8
		}
		onScratch := scratch.Run(start, factor)
		home.Slowest = day < basisDay
		if day == failedDay {
			onScratch = scratch.Failed(start)
		}
		all = append(all, onScratch, home.Run(start, 1), gpfs.Run(start, 1))
	}
	for i := range all { // two transfer sizes, and one series with latencies, are enough
		all[i].Cases = all[i].Cases[len(all[i].Cases)-6:]
		for j := range all[i].Cases {
			if all[i].Identity != scratch.Identity {
				all[i].Cases[j].Latencies = nil
			}
		}
	}
	return append(all, workload())
}

// workload returns a run of a workload, on the last day.
func workload() result.Document {
	doc := figurestest.Workload().Document
	doc.Identity = result.Identity{Cluster: "alpha", Filesystem: "/scratch", Label: "vpic"}
	doc.Started = first.AddDate(0, 0, days-1)
	doc.Finished = new(doc.Started.Add(time.Hour))
	return doc
}

// reference returns the reference that is set on day 25: the runs on /scratch of a week.
func reference(all []result.Document) []runs.Pinned {
	p := runs.Pinned{Time: first.AddDate(0, 0, 25), By: "alice@login1", Note: "after the acceptance"}
	for _, doc := range all {
		if doc.Identity.Filesystem == "/scratch" && !doc.Started.Before(first.AddDate(0, 0, 18)) &&
			doc.Started.Before(p.Time) {
			p.Identity, p.Runs = doc.Identity, append(p.Runs, doc.RunID)
		}
	}
	return []runs.Pinned{p}
}

// history starts a Prometheus that has the documents, and returns its address.
func history(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	all := documents()
	metricstest.Backfill(t, data, all, reference(all), end.Add(time.Second))
	metricstest.BackfillRules(t, data, role+"/files/rules/h5perf.yml", first.Add(time.Hour).Truncate(time.Hour), end)
	return metricstest.Prometheus(t, "global: {}", data)
}

// chosen replaces each variable by the selection of all values, and basis by what is selected at first.
func chosen(text string) string {
	text = strings.ReplaceAll(text, "$basis", basis.Current.Value)
	return regexp.MustCompile(`\$(job|cluster|filesystem|label|api)\b`).ReplaceAllString(text, ".+")
}

// span returns the start of the time range that a dashboard shows at the end of the history.
func (d dashboard) span() (from time.Time) {
	days, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(d.Time.From, "now-"), "d"))
	if err != nil {
		panic(err)
	}
	return end.AddDate(0, 0, -days)
}

func TestEveryQueryHasData(t *testing.T) {
	prometheus := history(t)
	type answer struct {
		RefID, Legend string
		Series        []metricstest.Answer
	}
	drawn := map[string]map[int][]answer{}
	for _, d := range dashboards() {
		drawn[d.UID] = map[int][]answer{}
		for _, v := range d.Templating.List {
			if v.Type == "query" {
				if values := labelValues(t, prometheus, chosen(v.Query)); len(values) == 0 {
					t.Errorf("%s: variable %s has no value: %s", d.Title, v.Name, v.Query)
				}
			}
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				var series []metricstest.Answer
				if q.Range {
					series = metricstest.Range(t, prometheus, chosen(q.Expr), d.span(), end, pitch)
				} else {
					series = metricstest.Query(t, prometheus, chosen(q.Expr), end)
				}
				if !hasNumber(series) {
					t.Errorf("%s, panel %s: no data: %s", d.Title, p.Title, q.Expr)
				}
				drawn[d.UID][p.ID] = append(drawn[d.UID][p.ID], answer{q.RefID, q.Legend, series})
			}
		}
	}
	moved := map[string]bool{}
	for _, s := range metricstest.Query(t, prometheus, named(chosen("h5perf_throughput_bytes_per_second")), end) {
		moved[s.Metric[what]] = true
	}
	if !moved["vpic"] || !moved["1048576 B"] || moved[""] || moved[" B"] {
		t.Errorf("what points move is %v", moved)
	}
	value := func(expression string, at time.Time) string {
		t.Helper()
		answer := metricstest.Query(t, prometheus, chosen(expression), at)
		if len(answer) == 0 {
			return ""
		}
		return answer[0].Values[0].Text
	}
	after := func(day int) time.Time { return first.AddDate(0, 0, day).Add(4 * time.Hour) }
	for _, c := range []struct {
		expression string
		at         time.Time
		want       string
	}{
		{`h5perf_run_success{filesystem="/scratch"}`, after(failedDay), "0"},
		{`count(h5perf_throughput_bytes_per_second{filesystem="/scratch"})`, after(failedDay), ""},
		{`sum(h5perf_verification_errors{filesystem="/scratch"})`, after(failedDay), "1"},
		{`h5perf_run_success{filesystem="/scratch"}`, after(failedDay + 1), "1"},
		{`count(h5perf_throughput_bytes_per_second{filesystem="/scratch"}) > bool 0`, after(failedDay + 1), "1"},
		{`count(h5perf_throughput_bytes_per_second{basis="slowest"}) > bool 0`, after(basisDay - 1), "1"},
		{`count(h5perf_throughput_bytes_per_second{basis="slowest"})`, after(basisDay), ""},
		{`count(h5perf_trend_group_runs{filesystem="/home",basis="slowest"}) > bool 0`, after(basisDay - 1), "1"},
		{`count(h5perf_trend_group_runs{filesystem="/home"})`, after(basisDay + 4), ""}, // a new series by the window
		{`max(h5perf_trend_group_runs{filesystem="/home",basis="window"})`, after(basisDay + 11), "12"},
		{`count(max_over_time(h5perf:slower:ratio{filesystem!="/scratch"}[50d]))`, end, ""},
		{`count(max_over_time(h5perf:below_reference:ratio{filesystem!="/scratch"}[50d]))`, end, ""},
		{`count(h5perf:slower:ratio)`, after(44), ""},
		{`count(h5perf:below_reference:ratio)`, after(44), ""},
		{`min(h5perf:slower:ratio) < bool 0.9`, after(50), "1"}, // told within a week
		{`count(h5perf:slower:ratio{operation="",api=""})`, end, "1"},
		{`min(h5perf:below_reference:ratio{operation="",api=""}) < bool 0.85`, end, "1"}, // two weeks later
		{`count(h5perf_trend_reference_info{by="alice@login1"})`, end, "1"},
		{`count(h5perf_trend_reference_info)`, after(24), ""},
		{`count(h5perf_throughput_bytes_per_second{operation="read",cache="warm",filesystem!="/home"})`, end, ""},
	} {
		if got := value(c.expression, c.at); got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.expression, c.at, got, c.want)
		}
	}
	if *draw == "" {
		return
	}
	text, err := json.Marshal(map[string]any{"end": end.Unix(), "step": pitch.Seconds(), "panels": drawn})
	if err == nil {
		err = os.WriteFile(*draw, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func hasNumber(series []metricstest.Answer) bool {
	for _, s := range series {
		for _, v := range s.Values {
			if f, err := strconv.ParseFloat(v.Text, 64); err == nil && !math.IsNaN(f) {
				return true
			}
		}
	}
	return false
}

// labelValues returns what Grafana gets for label_values(metric, label).
func labelValues(t *testing.T, prometheus, query string) []string {
	t.Helper()
	inner, ok := strings.CutPrefix(strings.TrimSuffix(query, ")"), "label_values(")
	at := strings.LastIndex(inner, ",")
	if !ok || at < 0 {
		t.Fatalf("variable %s", query)
	}
	resp, err := http.Get(prometheus + "/api/v1/label/" + strings.TrimSpace(inner[at+1:]) + "/values?" +
		url.Values{"match[]": {inner[:at]}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct{ Data []string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data
}
