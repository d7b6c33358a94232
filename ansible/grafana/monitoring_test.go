//go:build monitoring

package main

import (
	"encoding/json"
	"flag"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	runs "h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/metricstest"
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

// Days of what happens on alpha: HDF5 is upgraded for three days, the reference of /scratch is set, a run on /scratch
// fails, and /scratch becomes slower by a fifth with a new kernel.
const (
	upgradeDay   = 10
	referenceDay = 25
	failedDay    = 30
	fallDay      = 45
)

// documents returns one run a day of each series. What is read on /work comes from the page cache.
func documents() (all []result.Document) {
	series := func(cluster, filesystem, kind string, speed float64, seed uint64) metricstest.Series {
		return metricstest.Series{
			Identity: result.Identity{Cluster: cluster, Filesystem: filesystem, Label: "nightly"}, Type: kind,
			Speed: speed, Seed: seed,
		}
	}
	scratch, work, gpfs := series("alpha", "/scratch", "lustre", 2.4e9, 1), series("alpha", "/work", "nfs4", 9e8, 2),
		series("beta", "/gpfs", "gpfs", 1.7e9, 3)
	work.Warm = true
	for day := range days {
		start, factor := first.AddDate(0, 0, day), 1.0
		if day >= fallDay {
			factor = 0.8
		}
		onScratch := scratch.Run(start, factor)
		if day == failedDay {
			onScratch = scratch.Failed(start)
		}
		all = append(all, onScratch, work.Run(start, 1), gpfs.Run(start, 1))
	}
	for i := range all {
		doc := &all[i]
		if doc.Identity.Cluster != "alpha" {
			continue
		}
		if day := int(doc.Started.Sub(first) / (24 * time.Hour)); day >= fallDay {
			doc.Machine.Kernel = "6.1.9"
		} else if day >= upgradeDay && day < upgradeDay+3 {
			doc.Software.HDF5 = "1.14.6"
		}
	}
	for i := range all { // two transfer sizes, and one series with latencies, are enough
		all[i].Cases = all[i].Cases[len(all[i].Cases)-6:]
		for j := range all[i].Cases {
			if all[i].Identity != scratch.Identity {
				all[i].Cases[j].Latencies = nil
			}
		}
	}
	return append(all, workload(all[len(all)-2]))
}

// workload returns a run of a workload, on the last day, on the machine of another run.
func workload(on result.Document) result.Document {
	doc := figurestest.Workload().Document
	doc.Identity = result.Identity{Cluster: "alpha", Filesystem: "/scratch", Label: "vpic"}
	doc.Started = first.AddDate(0, 0, days-1)
	doc.Finished = new(doc.Started.Add(time.Hour))
	doc.Machine, doc.Software = on.Machine, on.Software
	return doc
}

// reference returns the reference that is set on day 25: the runs on /scratch of a week.
func reference(all []result.Document) []runs.PinnedReference {
	p := runs.PinnedReference{
		Time: first.AddDate(0, 0, referenceDay), Author: "alice@login1",
		Note: "after the acceptance",
	}
	for _, doc := range all {
		if doc.Identity.Filesystem == "/scratch" && !doc.Started.Before(first.AddDate(0, 0, 18)) &&
			doc.Started.Before(p.Time) {
			p.Identity, p.Runs = doc.Identity, append(p.Runs, doc.RunID)
		}
	}
	return []runs.PinnedReference{p}
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

// chosen are the values of variables.
type chosen map[string]string

// in replaces the variables in a text.
func (c chosen) in(text string) string {
	return regexp.MustCompile(`\$([a-z]+)\b`).ReplaceAllStringFunc(text, func(name string) string {
		value, there := c[name[1:]]
		if !there {
			panic("no variable " + name)
		}
		return value
	})
}

// choose returns the values that the variables of a dashboard have at first: all values, or the first one.
func (d dashboard) choose(t *testing.T, prometheus string) chosen {
	t.Helper()
	c := chosen{}
	for _, v := range d.Templating.List {
		switch {
		case v.Type != "query":
			if v.Current != nil {
				c[v.Name] = v.Current.Value
			}
		case v.Multi:
			c[v.Name] = v.AllValue
			fallthrough
		default:
			values := labelValues(t, prometheus, c.in(v.Query))
			if len(values) == 0 {
				t.Fatalf("%s: variable %s has no value: %s", d.Title, v.Name, c.in(v.Query))
			}
			slices.Sort(values)
			if !v.Multi {
				c[v.Name] = values[0]
			}
		}
	}
	return c
}

// span returns the start of the time range that a dashboard shows at the end of the history.
func (d dashboard) span() (from time.Time) {
	days, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(d.Time.From, "now-"), "d"))
	if err != nil {
		panic(err)
	}
	return end.AddDate(0, 0, -days)
}

// answer is the answer to a query of a panel.
type answer struct {
	RefID, Legend string
	Series        []metricstest.Answer
}

// drawing is what the program needs that draws the panels of a dashboard.
type drawing struct {
	Panels map[int][]answer
	Events []event
}

func TestEveryQueryHasData(t *testing.T) {
	prometheus := history(t)
	drawings := map[string]drawing{}
	for _, d := range dashboards() {
		selected := d.choose(t, prometheus)
		swapped := maps.Clone(selected) // what the first file system has no data for, another one may have
		swapped["filesystem"] = "/work"
		drawn := drawing{map[int][]answer{}, d.events(t, prometheus, selected)}
		for _, p := range d.allPanels() {
			at := p.answers(t, prometheus, selected, d.span())
			if empty(at) {
				at = p.answers(t, prometheus, swapped, d.span())
			}
			if empty(at) {
				t.Errorf("%s, panel %s: no data of either file system: %s", d.Title, p.Title, p.Targets[0].Expr)
			}
			drawn.Panels[p.ID] = at
			legible(t, d.Title, p, at)
		}
		drawings[d.UID] = drawn
	}
	expectMarks(t, drawings)
	expectValues(t, prometheus)
	if *draw == "" {
		return
	}
	text, err := json.Marshal(map[string]any{"end": end.Unix(), "step": pitch.Seconds(), "dashboards": drawings})
	if err == nil {
		err = os.WriteFile(*draw, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// answers returns the answers to the queries of a panel.
func (p panel) answers(t *testing.T, prometheus string, c chosen, from time.Time) (all []answer) {
	t.Helper()
	for _, q := range p.Targets {
		var series []metricstest.Answer
		if q.Range {
			series = metricstest.Range(t, prometheus, c.in(q.Expr), from, end, pitch)
		} else {
			series = metricstest.Query(t, prometheus, c.in(q.Expr), end)
		}
		all = append(all, answer{q.RefID, q.Legend, series})
	}
	return all
}

// empty reports whether no answer has a number.
func empty(all []answer) bool {
	return !slices.ContainsFunc(all, func(a answer) bool { return hasNumber(a.Series) })
}

// legible checks that a panel has at most six lines, with different names, and that no case is named by a number of
// bytes.
func legible(t *testing.T, title string, p panel, all []answer) {
	t.Helper()
	var names []string
	for _, a := range all {
		for _, s := range a.Series {
			names = append(names, filled(a.Legend, s.Metric))
			if name := s.Metric["case"]; regexp.MustCompile(`^\d+( B)? ×`).MatchString(name) {
				t.Errorf("%s, panel %s: case %s", title, p.Title, name)
			}
		}
	}
	slices.Sort(names)
	if p.Type == "timeseries" && (len(names) > 6 || len(slices.Compact(slices.Clone(names))) < len(names)) {
		t.Errorf("%s, panel %s: lines %q", title, p.Title, names)
	}
}

// filled returns a legend or the text of an annotation with the values of labels.
func filled(format string, labels map[string]string) string {
	return regexp.MustCompile(`\{\{(\w+)\}\}`).ReplaceAllStringFunc(format, func(name string) string {
		return labels[strings.Trim(name, "{}")]
	})
}

// event is what Grafana marks for an annotation.
type event struct {
	Name, Color, Title, Text string
	From, To                 int64 // Unix times
}

// events returns the events of the annotations of a dashboard, made as Grafana makes them: times of a series that are
// at most a step apart are one event.
func (d dashboard) events(t *testing.T, prometheus string, c chosen) (all []event) {
	t.Helper()
	for _, a := range d.Annotations.List {
		step, err := time.ParseDuration(a.Step)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range metricstest.Range(t, prometheus, c.in(a.Expr), d.span(), end, step) {
			var own []event
			for _, v := range s.Values {
				value, err := strconv.ParseFloat(v.Text, 64)
				if err != nil {
					t.Fatal(err)
				}
				at := int64(v.Seconds)
				if a.UseValueForTime {
					at = int64(value / 1000)
				} else if value <= 0 {
					continue
				}
				if n := len(own); n > 0 && own[n-1].To+int64(step.Seconds()) >= at {
					own[n-1].To = at
					continue
				}
				own = append(own, event{
					a.Name, a.IconColor, filled(a.TitleFormat, s.Metric), filled(a.TextFormat, s.Metric), at, at,
				})
			}
			all = append(all, own...)
		}
	}
	return all
}

// expectMarks checks the annotations of the overview, and that other dashboards have the same changes.
func expectMarks(t *testing.T, drawings map[string]drawing) {
	t.Helper()
	day := func(at int64) int { return int(time.Unix(at, 0).Sub(first) / (24 * time.Hour)) }
	got := map[string]int{}
	for _, e := range drawings["h5perf-overview"].Events {
		got[e.Name+": "+e.Title+": "+e.Text] = day(e.From)
		if e.Name == "Failed runs" && (e.To-e.From > 86400 || e.To-e.From < 80000) {
			t.Errorf("%s: %d seconds", e.Title, e.To-e.From)
		}
	}
	want := map[string]int{
		"Lasting changes: /scratch: everything -20 %: kernel was 6.1.0, now 6.1.9": fallDay,
		"Something else changed: alpha: kernel 6.1.9: first run with it":           fallDay,
		"Something else changed: alpha: HDF5 1.14.6: first run with it":            upgradeDay,
		"Something else changed: alpha: HDF5 1.10.8: first run with it":            upgradeDay + 3,
		"References: /scratch: reference set: alice@login1: after the acceptance":  referenceDay,
		"Failed runs: /scratch: the run failed: no figures until the next run":     failedDay,
	}
	if !maps.Equal(got, want) {
		t.Errorf("marks %v, want %v", got, want)
	}
	for uid, marks := range map[string]int{"h5perf-layers": len(want), "h5perf-fleet": 2, "h5perf-last-run": 0} {
		if n := len(drawings[uid].Events); n != marks {
			t.Errorf("%s has %d marks, want %d: %v", uid, n, marks, drawings[uid].Events)
		}
	}
}

// expectValues checks what the history says at some times.
func expectValues(t *testing.T, prometheus string) {
	t.Helper()
	value := func(expression string, at time.Time) string {
		t.Helper()
		answer := metricstest.Query(t, prometheus, expression, at)
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
		{`max(h5perf_trend_group_runs{filesystem="/work"})`, after(31), "32"},
		{`count(max_over_time(h5perf:slower:ratio{filesystem!="/scratch"}[50d]))`, end, ""},
		{`count(max_over_time(h5perf:below_reference:ratio{filesystem!="/scratch"}[50d]))`, end, ""},
		{`count(h5perf:slower:ratio)`, after(44), ""},
		{`count(h5perf:below_reference:ratio)`, after(44), ""},
		{`min(h5perf:slower:ratio) < bool 0.9`, after(50), "1"}, // told within a week
		{`count(h5perf:slower:ratio{operation="",api=""})`, end, "1"},
		{`min(h5perf:below_reference:ratio{operation="",api=""}) < bool 0.85`, end, "1"}, // two weeks later
		{`count(h5perf_trend_reference_info{by="alice@login1"})`, end, "1"},
		{`count(h5perf_trend_reference_info)`, after(24), ""},
		{`count(h5perf_throughput_bytes_per_second{operation="read",cache="warm",filesystem!="/work"})`, end, ""},
	} {
		if got := value(c.expression, c.at); got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.expression, c.at, got, c.want)
		}
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
