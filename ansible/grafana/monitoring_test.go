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
	return all
}

// history starts a Prometheus that has the documents, and returns its address.
func history(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	metricstest.Backfill(t, data, documents(), end.Add(time.Second))
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
		{`min(h5perf:throughput:ratio{filesystem="/home",basis="slowest"}) > bool 0.9`, after(basisDay - 1), "1"},
		{`count(h5perf:throughput:ratio{filesystem="/home"})`, after(basisDay + 4), ""}, // no past by the window so far
		{`min(h5perf:throughput:ratio{filesystem="/home",basis="window"}) > bool 0.9`, after(basisDay + 7), "1"},
		{`count(min_over_time(h5perf:throughput:ratio{filesystem="/home"}[50d]) < 0.9)`, end, ""},
		{`min(h5perf:throughput:ratio) > bool 0.9`, after(44), "1"},
		{`count(h5perf:throughput:ratio < 0.9)`, after(46), "6"}, // three APIs, both directions, of /scratch
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
